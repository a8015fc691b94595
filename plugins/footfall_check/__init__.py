"""``footfall check``: an installed plugin put through the conformance kit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _check() -> Callable[..., Any]:
    from footfall_check.command import check

    return check


def _solver() -> Callable[[], tuple[Any, ...]]:
    from footfall_check.kit import solver

    return lambda: solver.CHECKS


def _input_device() -> Callable[[], tuple[Any, ...]]:
    from footfall_check.kit import input_device

    return lambda: input_device.CHECKS


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command ``check`` and the checks of roles that act beside the step."""
    registry.command.add(
        "check",
        _check,
        summary="Check that an installed plugin keeps its role's contract, physics included.",
    )
    registry.kit.add("solver", _solver, summary="the checks of QP solvers")
    registry.kit.add("input_device", _input_device, summary="the checks of input devices")
