"""Sensors: inertial, joints, feet, base, distances."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the sensors."""
    add = registry.sensor.add
    add(
        "imu",
        "footfall_sensors.sensor:Imu",
        summary="orientation, angular velocity and proper acceleration of a frame",
    )
    add("encoder", "footfall_sensors.joints:Encoder", summary="positions and velocities of joints")
    add(
        "joint_torque",
        "footfall_sensors.joints:JointTorque",
        summary="torques of the actuators on the joints",
    )
    add(
        "force_torque",
        "footfall_sensors.feet:ForceTorque",
        summary="force and moment on a foot",
    )
    add(
        "contact_switch",
        "footfall_sensors.feet:ContactSwitch",
        summary="a switch: whether the ground presses on a foot",
    )
    add(
        "contact_force",
        "footfall_sensors.contact_force:ContactForceSensor",
        summary="contact force between two bodies or links, normal and friction",
    )
    add(
        "center_of_pressure",
        "footfall_sensors.feet:CenterOfPressure",
        summary="centre of pressure of a foot",
    )
    add(
        "base_state",
        "footfall_sensors.base:BaseState",
        summary="pose and velocity of the base, without errors of IMUs",
    )
    add(
        "ray",
        "footfall_sensors.ray:Ray",
        summary="distances along rays to bodies and the ground: range finders, scans",
    )
