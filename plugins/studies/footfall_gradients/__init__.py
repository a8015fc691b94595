"""Derivatives of a step through hard contact: ``sim.derivatives()``, ``footfall.derivatives``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _derivatives() -> Callable[..., Any]:
    from footfall_gradients.derivatives import derivatives

    return derivatives


def _differences() -> Callable[..., Any]:
    from footfall_gradients.differences import step_differences

    return step_differences


def _rollout() -> Callable[..., Any]:
    from footfall_gradients.rollout import Rollout

    return Rollout


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add functions for Python."""
    differences = "Jacobians of the next step by central differences"
    through = "steps, and gradients back through them"
    registry.function.add("Rollout", _rollout, summary=through)
    registry.function.add("step_differences", _differences, summary=differences)
    registry.function.add("derivatives", _derivatives, summary="Jacobians of the last step")
