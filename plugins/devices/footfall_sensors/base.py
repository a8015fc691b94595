"""The state of the base, as from an ideal estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from footfall.api.device import Mount, Sensor, SensorBody, Signal
from footfall.api.plugin import Floats, PluginConfig
from footfall_sensors.places import XYZ, XYZW, copied


class BaseReading(NamedTuple):
    """Pose and velocity of the base.

    Attributes:
        position: shape (3,), position of the root's origin, world frame, [m].
        orientation: shape (4,), quaternion x y z w of the root in the world.
        linear_velocity: shape (3,), velocity of the root's origin, along world axes, [m/s].
        angular_velocity: shape (3,), along world axes, [rad/s].
    """

    position: Floats
    orientation: Floats
    linear_velocity: Floats
    angular_velocity: Floats


class BaseState(Sensor):
    """Pose and velocity of the root link at the start of the step."""

    name = "base_state"

    def __init__(self, config: PluginConfig) -> None:
        self.config = config

    def signals(self, body: SensorBody) -> tuple[Signal, ...]:
        """Return the four signals."""
        return (
            Signal("position", XYZ, "m", "position of the base's origin, world frame"),
            Signal("orientation", XYZW, "1", "orientation of the base in the world", "quaternion"),
            Signal("linear_velocity", XYZ, "m/s", "velocity of the base's origin, world axes"),
            Signal("angular_velocity", XYZ, "rad/s", "angular velocity of the base, world axes"),
        )

    def bound(self, mount: Mount) -> Callable[[Floats], None]:
        """Return the measurement."""
        at, i = mount.columns, mount.index
        places = np.concatenate(
            [
                at["base_position"] + 3 * i + np.arange(3),
                at["base_quaternion"] + 4 * i + np.arange(4),
                at["base_velocity"] + 6 * i + np.arange(6),
            ]
        )
        return copied(places, mount.out)

    def reading(self, body: SensorBody, values: Floats) -> BaseReading:
        """Return views of the signals."""
        return BaseReading(values[:3], values[3:7], values[7:10], values[10:])
