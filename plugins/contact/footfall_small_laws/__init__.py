"""Contact laws in a few hundred lines each: linear and cone complementarity, bisection, springs."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the contact laws ``lcp``, ``ccp``, ``bisection`` and ``regularized``."""
    registry.contact.add(
        "lcp",
        "footfall_small_laws.lcp.contact:LinearComplementarity",
        summary="linear complementarity: n-sided friction pyramid, Lemke's pivoting",
    )
    registry.contact.add(
        "ccp",
        "footfall_small_laws.ccp.contact:ConeComplementarity",
        summary="convex cone complementarity: exact cone, lifts sliding points",
    )
    registry.contact.add(
        "bisection",
        "footfall_small_laws.bisection.contact:Bisection",
        summary="maximum dissipation contact by contact, by bisection (RaiSim's method)",
    )
    registry.contact.add(
        "regularized",
        "footfall_small_laws.regularized:Regularized",
        summary="linear spring-damper with regularised friction: soft, creeps",
    )
