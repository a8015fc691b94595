"""Sensors of joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from footfall.api.device import Mount, Sensor, SensorBody, Signal
from footfall.api.plugin import Floats, Ints, PluginConfig
from footfall_sensors.places import copied, joints_of


class JointsConfig(PluginConfig):
    """Settings of a sensor of joints."""

    joints: Annotated[tuple[str, ...], Field(min_length=1)] = ("*",)
    """Names or patterns of joints."""


class EncoderReading(NamedTuple):
    """Reading of encoders, in the body's order of joints.

    Attributes:
        position: shape (n,), [rad or m].
        velocity: shape (n,), [rad/s or m/s].
    """

    position: Floats
    velocity: Floats


class JointTorqueReading(NamedTuple):
    """Reading of torque sensors, in the body's order of joints.

    Attributes:
        torque: shape (n,), [N m or N].
    """

    torque: Floats


class _SensorOfJoints(Sensor):
    Config = JointsConfig

    def __init__(self, config: JointsConfig) -> None:
        self.config = config


class Encoder(_SensorOfJoints):
    """Positions and velocities of joints at the start of the step."""

    name = "encoder"

    def signals(self, body: SensorBody) -> tuple[Signal, ...]:
        """Return positions and velocities."""
        names = joints_of(body, self.config.joints)
        return (
            Signal("position", names, "rad or m", "positions of joints"),
            Signal("velocity", names, "rad/s or m/s", "velocities of joints"),
        )

    def bound(self, mount: Mount) -> Callable[[Floats], None]:
        """Return the measurement."""
        joint = _places(mount.body, self.config.joints)
        floating = mount.body.model.base == "floating"
        q = mount.columns["q"] + mount.first_q + (7 if floating else 0)
        v = mount.columns["v"] + mount.first_v + (6 if floating else 0)
        return copied(np.concatenate([q + joint, v + joint]), mount.out)

    def reading(self, body: SensorBody, values: Floats) -> EncoderReading:
        """Return views of the signals."""
        n = len(values) // 2
        return EncoderReading(values[:n], values[n:])


class JointTorque(_SensorOfJoints):
    """Torques of the actuators on the joints in the step, behind gears and limits."""

    name = "joint_torque"

    def signals(self, body: SensorBody) -> tuple[Signal, ...]:
        """Return the torques."""
        names = joints_of(body, self.config.joints)
        return (Signal("torque", names, "N m or N", "torques of the actuators on the joints"),)

    def bound(self, mount: Mount) -> Callable[[Floats], None]:
        """Return the measurement."""
        first = mount.columns["tau"] + mount.first_v
        first += 6 if mount.body.model.base == "floating" else 0
        return copied(first + _places(mount.body, self.config.joints), mount.out)

    def reading(self, body: SensorBody, values: Floats) -> JointTorqueReading:
        """Return a view of the signal."""
        return JointTorqueReading(values)


def _places(body: SensorBody, patterns: tuple[str, ...]) -> Ints:
    names = body.model.joint_names
    return np.array([names.index(name) for name in joints_of(body, patterns)], np.int64)
