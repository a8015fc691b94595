"""Drives of joints: ideal, with reflected inertia, with a transfer function, with springs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.actuator import Actuator
    from footfall.api.plugin import Registry


def _ideal() -> type[Actuator]:
    from footfall_actuators.actuator import Ideal

    return Ideal


def _reflected() -> type[Actuator]:
    from footfall_actuators.actuator import Reflected

    return Reflected


def _second_order() -> type[Actuator]:
    from footfall_actuators.second_order import SecondOrder

    return SecondOrder


def _series_elastic() -> type[Actuator]:
    from footfall_actuators.series_elastic import SeriesElastic

    return SeriesElastic


def _parallel_elastic() -> type[Actuator]:
    from footfall_actuators.parallel_elastic import ParallelElastic

    return ParallelElastic


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the actuators."""
    registry.actuator.add("ideal", _ideal, summary="delivers the commanded torque")
    registry.actuator.add(
        "reflected", _reflected, summary="delivers the commanded torque; the rotor's inertia counts"
    )
    registry.actuator.add(
        "second_order", _second_order, summary="torque follows its command with a transfer function"
    )
    registry.actuator.add(
        "series_elastic", _series_elastic, summary="a spring between the rotor and the joint"
    )
    registry.actuator.add(
        "parallel_elastic", _parallel_elastic, summary="a spring beside the motor, at the joint"
    )
