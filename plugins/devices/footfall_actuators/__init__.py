"""Drives of joints: ideal, with rotors, transfer functions, springs, gear friction, motors."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the actuators."""
    registry.actuator.add(
        "ideal", "footfall_actuators.actuator:Ideal", summary="delivers the commanded torque"
    )
    registry.actuator.add(
        "reflected",
        "footfall_actuators.actuator:Reflected",
        summary="delivers the commanded torque; the rotor's inertia counts",
    )
    registry.actuator.add(
        "second_order",
        "footfall_actuators.second_order:SecondOrder",
        summary="torque follows its command with a transfer function",
    )
    registry.actuator.add(
        "series_elastic",
        "footfall_actuators.series_elastic:SeriesElastic",
        summary="a spring between the rotor and the joint",
    )
    registry.actuator.add(
        "parallel_elastic",
        "footfall_actuators.parallel_elastic:ParallelElastic",
        summary="a spring beside the motor, at the joint",
    )
    registry.actuator.add(
        "tendon_elastic",
        "footfall_actuators.tendon_elastic:TendonElastic",
        summary="springs along the motors of a coupling, e.g. tendons",
    )
    registry.actuator.add(
        "servo_friction",
        "footfall_actuators.servo_friction:ServoFriction",
        summary="gear friction that depends on speed (Stribeck) and load",
    )
    registry.actuator.add(
        "dc_motor",
        "footfall_actuators.dc_motor:DCMotor",
        summary="a DC motor with back-EMF, limits of voltage and current, delay and gear friction",
    )
