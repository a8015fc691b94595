"""What looks at scenes and runs, and says what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _deep_starts() -> Callable[..., Any]:
    from footfall_watch.deep_starts import tell_deep_starts

    return tell_deep_starts


def _stable_step() -> Callable[..., Any]:
    from footfall_watch.start_check import check_step

    return check_step


def _impact_order() -> Callable[..., Any]:
    from footfall_watch.start_check import check_order

    return check_order


def _watch() -> Callable[..., Any]:
    from footfall_watch.watch import Watch

    return Watch


def _surprises() -> Callable[..., Any]:
    from footfall_watch.surprises import Surprises

    return Surprises


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the checks of a scene's start and the watch on runs."""
    registry.start_check.add(
        "deep_starts", _deep_starts, summary="bodies that start inside each other or the ground"
    )
    registry.start_check.add(
        "stable_step", _stable_step, summary="the longest stable step of laws that give way"
    )
    registry.start_check.add(
        "impact_order", _impact_order, summary="impacts after forces of the middle of a step"
    )
    registry.watch.add(
        "alarms", _watch, summary="energy from nothing, no answers, bodies that pass through"
    )
    registry.watch.add(
        "surprises", _surprises, summary="what the chosen laws declare to miss and a run has met"
    )
