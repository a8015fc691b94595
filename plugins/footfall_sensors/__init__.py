"""Sensors: inertial, joints, feet, base, distances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall.api.sensor import Sensor


def _imu() -> type[Sensor]:
    from footfall_sensors.sensor import Imu

    return Imu


def _encoder() -> type[Sensor]:
    from footfall_sensors.joints import Encoder

    return Encoder


def _joint_torque() -> type[Sensor]:
    from footfall_sensors.joints import JointTorque

    return JointTorque


def _force_torque() -> type[Sensor]:
    from footfall_sensors.feet import ForceTorque

    return ForceTorque


def _contact_switch() -> type[Sensor]:
    from footfall_sensors.feet import ContactSwitch

    return ContactSwitch


def _center_of_pressure() -> type[Sensor]:
    from footfall_sensors.feet import CenterOfPressure

    return CenterOfPressure


def _base_state() -> type[Sensor]:
    from footfall_sensors.base import BaseState

    return BaseState


def _ray() -> type[Sensor]:
    from footfall_sensors.ray import Ray

    return Ray


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the sensors."""
    add = registry.sensor.add
    add("imu", _imu, summary="orientation, angular velocity and proper acceleration of a frame")
    add("encoder", _encoder, summary="positions and velocities of joints")
    add("joint_torque", _joint_torque, summary="torques of the actuators on the joints")
    add("force_torque", _force_torque, summary="force and moment on a foot")
    add("contact_switch", _contact_switch, summary="a switch: whether the ground presses on a foot")
    add("center_of_pressure", _center_of_pressure, summary="centre of pressure of a foot")
    add("base_state", _base_state, summary="pose and velocity of the base, without errors of IMUs")
    add("ray", _ray, summary="distances along rays to bodies and the ground: range finders, scans")
