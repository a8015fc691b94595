"""``footfall.symbolic``: a robot's dynamics as CasADi functions."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


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
