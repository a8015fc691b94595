"""Hands in a running simulation: grips, dragging, touching, and runs that users act on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from footfall.api.interaction import Interaction
    from footfall.api.plugin import Registry
    from footfall_hands.grip import Springs


def _hands() -> type[Interaction]:
    from footfall_hands.interaction import Hands

    return Hands


def _springs() -> type[Springs]:
    from footfall_hands.grip import Springs

    return Springs


def _with_gravity() -> Callable[..., Any]:
    from footfall_hands.objects import with_gravity

    return with_gravity


def _with_object() -> Callable[..., Any]:
    from footfall_hands.objects import with_object

    return with_object


def _without_object() -> Callable[..., Any]:
    from footfall_hands.objects import without_object

    return without_object


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the interaction ``hands``, and functions that add and delete objects."""
    registry.interaction.add("hands", _hands, summary="hands that drag and touch; live runs")
    registry.function.add("Springs", _springs, summary="gains of a grip of `Simulator.grab`")
    registry.function.add("with_gravity", _with_gravity, summary="continue with another gravity")
    registry.function.add("with_object", _with_object, summary="continue with one more body")
    registry.function.add("without_object", _without_object, summary="continue without an object")
