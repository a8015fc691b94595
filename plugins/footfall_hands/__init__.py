"""Hands in a running simulation: grips, dragging, touching, and runs that users act on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.interaction import Interaction
    from footfall.api.plugin import Registry


def _hands() -> type[Interaction]:
    from footfall_hands.interaction import Hands

    return Hands


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the interaction ``hands``."""
    registry.interaction.add("hands", _hands, summary="hands that drag and touch; live runs")
