"""``footfall.symbolic``: a robot's dynamics as CasADi functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the function ``symbolic``."""
    registry.function.add(
        "symbolic",
        "footfall_symbolic.symbolic:symbolic",
        summary="M, h, Jacobians and places of a robot's links as CasADi functions",
        requires=("adam", "liecasadi"),
        extra="symbolic",
    )
