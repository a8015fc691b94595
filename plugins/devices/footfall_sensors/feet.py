"""Sensors of feet; a foot is a frame in which contact features are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from footfall.api.device import Mount, Sensor, SensorBody, Signal
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Floats, PluginConfig
from footfall_sensors.kernels import measurement as kernels
from footfall_sensors.places import NO_ROW, XYZ, copied, foot_of


class FootConfig(PluginConfig):
    """Settings of a sensor of a foot."""

    foot: str
    """Frame of the foot's contact features, e.g. ``l_sole``. The sensor uses this frame."""


class PressedFootConfig(FootConfig):
    """Settings of a sensor of a foot with a force threshold."""

    threshold: float = Field(default=1.0, ge=0.0)
    """Normal force above which the foot counts as loaded, [N]."""


class ForceTorqueReading(NamedTuple):
    """Reading of a six-axis sensor.

    Attributes:
        force: shape (3,), contact force on the foot, along the foot's axes, [N].
        moment: shape (3,), contact moment about the origin of the foot's frame, [N m].
    """

    force: Floats
    moment: Floats


class ContactSwitchReading(NamedTuple):
    """Reading of a contact switch.

    Attributes:
        pressed: shape (1,), 1 or 0.
    """

    pressed: Floats


class CenterOfPressureReading(NamedTuple):
    """Reading of the centre of pressure.

    Attributes:
        position: shape (2,), x and y in the plane z = 0 of the foot's frame, [m]; NaN if not
            pressed.
    """

    position: Floats


def _wrench(mount: Mount, foot: str) -> int:
    return mount.columns["foot_wrench"] + 6 * mount.foot[foot]


class ForceTorque(Sensor):
    """Contact force and moment on a foot in the foot's frame, mean over the step.

    Unlike a real sensor above the sole, it does not measure the sole's inertia.
    """

    name = "force_torque"
    Config = FootConfig

    def __init__(self, config: FootConfig) -> None:
        self.config = config

    def signals(self, body: SensorBody) -> tuple[Signal, ...]:
        """Return force and moment."""
        foot = foot_of(body, self.config.foot)
        return (
            Signal("force", XYZ, "N", f"contact force on {foot}, along its axes"),
            Signal("moment", XYZ, "N m", f"contact moment on {foot}, about its origin"),
        )

    def bound(self, mount: Mount) -> Callable[[Floats], None]:
        """Return the measurement."""
        return copied(_wrench(mount, self.config.foot) + np.arange(6), mount.out)

    def reading(self, body: SensorBody, values: Floats) -> ForceTorqueReading:
        """Return views of the signals."""
        return ForceTorqueReading(values[:3], values[3:])


class PressedFoot(Sensor):
    """A sensor of a foot that is pressed if its normal force is above a threshold."""

    Config = PressedFootConfig
    kernel: ClassVar[Callable[..., None]]

    def __init__(self, config: PressedFootConfig) -> None:
        self.config = config

    def bound(self, mount: Mount) -> Callable[[Floats], None]:
        """Return the measurement."""
        arrays = kernels.FootArrays(
            place=np.array([_wrench(mount, self.config.foot)], np.int64),
            limit=np.array([self.config.threshold]),
            out=mount.out,
        )
        return bind(type(self).kernel, table_of(arrays), like=(NO_ROW,))


class ContactSwitch(PressedFoot):
    """1 if the contact force along a foot's z axis is above a threshold, otherwise 0."""

    name = "contact_switch"
    kernel = kernels.pressed

    def signals(self, body: SensorBody) -> tuple[Signal, ...]:
        """Return the switch."""
        foot = foot_of(body, self.config.foot)
        meaning = f"whether the ground presses on {foot}"
        return (Signal("pressed", (foot,), "1", meaning, "switch"),)

    def reading(self, body: SensorBody, values: Floats) -> ContactSwitchReading:
        """Return a view of the signal."""
        return ContactSwitchReading(values)


class CenterOfPressure(PressedFoot):
    """Centre of pressure ``(-m_y / f_z, m_x / f_z)`` in the x-y plane of a foot's frame.

    NaN if the normal force ``f_z`` is not above the threshold.
    """

    name = "center_of_pressure"
    kernel = kernels.pressure_center

    def signals(self, body: SensorBody) -> tuple[Signal, ...]:
        """Return the position."""
        foot = foot_of(body, self.config.foot)
        return (Signal("position", ("x", "y"), "m", f"centre of pressure in the frame {foot}"),)

    def reading(self, body: SensorBody, values: Floats) -> CenterOfPressureReading:
        """Return a view of the signal."""
        return CenterOfPressureReading(values)
