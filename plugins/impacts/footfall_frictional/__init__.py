"""The two-phase impact with friction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_frictional.impact import Frictional


def _frictional() -> type[Frictional]:
    from footfall_frictional.impact import Frictional

    return Frictional


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the impact model ``frictional``."""
    registry.impact.add(
        "frictional", _frictional, summary="inelastic, friction pyramid, two phases, QP"
    )
