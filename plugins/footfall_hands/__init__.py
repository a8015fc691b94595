"""Hands in a running simulation: grips, dragging, touching, and runs that users act on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.interaction import Interaction
    from footfall.api.plugin import Registry
    from footfall_hands.grip import Springs


def _hands() -> type[Interaction]:
    from footfall_hands.interaction import Hands

    return Hands


def _springs() -> type[Springs]:
    from footfall_hands.grip import Springs

    return Springs


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the interaction ``hands``."""
    registry.interaction.add("hands", _hands, summary="hands that drag and touch; live runs")
    registry.function.add("Springs", _springs, summary="gains of a grip of `Simulator.grab`")
