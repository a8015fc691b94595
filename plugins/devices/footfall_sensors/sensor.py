"""An inertial measurement unit."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from footfall.api.device import Mount, Sensor, SensorBody, Signal
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Floats, PluginConfig
from footfall_sensors.kernels import measurement as kernels
from footfall_sensors.places import NO_ROW, XYZ, XYZW, frame_of


class ImuConfig(PluginConfig):
    """Settings of the unit."""

    frame: str
    """Link or fixed joint that carries the sensor."""


class ImuReading(NamedTuple):
    """Reading of an IMU.

    Attributes:
        orientation: shape (4,), quaternion x y z w of the sensor's frame in the world.
        angular_velocity: shape (3,), along the sensor's axes, [rad/s].
        acceleration: shape (3,), proper acceleration (at rest g upwards), along the sensor's axes,
            [m/s^2].
    """

    orientation: Floats
    angular_velocity: Floats
    acceleration: Floats


class Imu(Sensor):
    """Orientation, angular velocity and proper acceleration of a frame.

    The acceleration is the mean over the step and includes impacts. Other values are those at the
    start of the step.
    """

    name = "imu"
    Config = ImuConfig

    def __init__(self, config: ImuConfig) -> None:
        self.config = config

    def signals(self, body: SensorBody) -> tuple[Signal, ...]:
        """Return the three signals."""
        frame_of(body, self.config.frame)
        of = f"of {self.config.frame}"
        return (
            Signal("orientation", XYZW, "1", f"orientation {of} in the world", "quaternion"),
            Signal("angular_velocity", XYZ, "rad/s", f"angular velocity {of}, along its axes"),
            Signal("acceleration", XYZ, "m/s^2", f"proper acceleration {of}, along its axes"),
        )

    def bound(self, mount: Mount) -> Callable[[Floats], None]:
        """Return the measurement."""
        frame = frame_of(mount.body, self.config.frame)
        arrays = kernels.ImuArrays(
            place=np.array(
                [mount.first_link + frame.link, mount.columns["v"], mount.columns["a"]], np.int64
            ),
            frame=np.append(frame.rotation.T.ravel(), frame.translation),
            axes=np.zeros(9),
            out=mount.out,
        )
        return bind(kernels.inertial, mount.table, table_of(arrays), like=(NO_ROW,))

    def reading(self, body: SensorBody, values: Floats) -> ImuReading:
        """Return views of the signals."""
        return ImuReading(values[:4], values[4:7], values[7:])
