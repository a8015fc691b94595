"""``footfall check``: run the conformance kit on an installed plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _check() -> Callable[..., Any]:
    from footfall_check.command import check

    return check


def _actuator() -> Callable[[], tuple[Any, ...]]:
    from footfall_check.kit import actuator

    return lambda: actuator.CHECKS


def _backend() -> Callable[[], tuple[Any, ...]]:
    from footfall_check.kit import backend

    return lambda: backend.CHECKS


def _solver() -> Callable[[], tuple[Any, ...]]:
    from footfall_check.kit import solver

    return lambda: solver.CHECKS


def _input_device() -> Callable[[], tuple[Any, ...]]:
    from footfall_check.kit import input_device

    return lambda: input_device.CHECKS


def _integrator() -> Callable[[], tuple[Any, ...]]:
    from footfall_check.kit import integrator

    return lambda: integrator.CHECKS


def _interaction() -> Callable[[], tuple[Any, ...]]:
    from footfall_check.kit import interaction

    return lambda: interaction.CHECKS


def _controller() -> Callable[[], tuple[Any, ...]]:
    from footfall_check.kit import controller

    return lambda: controller.CHECKS


def _sensor() -> Callable[[], tuple[Any, ...]]:
    from footfall_check.kit import sensor

    return lambda: sensor.CHECKS


def _impact() -> Callable[[], tuple[Any, ...]]:
    from footfall_check.kit import impact

    return lambda: impact.CHECKS


def _engine() -> Callable[[], tuple[Any, ...]]:
    from footfall_check.kit import engine

    return lambda: engine.CHECKS


def _terrain() -> Callable[[], tuple[Any, ...]]:
    from footfall_check.kit import terrain

    return lambda: terrain.CHECKS


def _visualizer() -> Callable[[], tuple[Any, ...]]:
    from footfall_check.kit import visualizer

    return lambda: visualizer.CHECKS


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command ``check`` and the checks of roles other than contact laws."""
    registry.command.add(
        "check",
        _check,
        summary="Check that an installed plugin keeps the contract of its role, physics included.",
    )
    registry.kit.add("actuator", _actuator, summary="the checks of actuators")
    registry.kit.add("backend", _backend, summary="the checks of backends")
    registry.kit.add("controller", _controller, summary="the checks of controllers")
    registry.kit.add("sensor", _sensor, summary="the checks of sensors")
    registry.kit.add("impact", _impact, summary="the checks of impact models")
    registry.kit.add("engine", _engine, summary="the checks of dynamics engines")
    registry.kit.add("solver", _solver, summary="the checks of QP solvers")
    registry.kit.add("terrain", _terrain, summary="the checks of terrains")
    registry.kit.add("visualizer", _visualizer, summary="the checks of visualizers")
    registry.kit.add("input_device", _input_device, summary="the checks of input devices")
    registry.kit.add("integrator", _integrator, summary="the checks of integrators")
    registry.kit.add("interaction", _interaction, summary="the checks of interactions")
