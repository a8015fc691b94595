"""Impacts with restitution and friction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_restitution.impact import Restitution


def _restitution() -> type[Restitution]:
    from footfall_restitution.impact import Restitution

    return Restitution


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the impact model ``restitution``."""
    registry.impact.add(
        "restitution", _restitution, summary="Newton's or Poisson's hypothesis, exact friction cone"
    )
