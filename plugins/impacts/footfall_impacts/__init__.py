"""Impact models: inelastic, inelastic with friction, and with restitution."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the impact models ``inelastic``, ``frictional`` and ``restitution``."""
    registry.impact.add(
        "inelastic",
        "footfall_impacts.inelastic:Inelastic",
        summary="touching points come to rest, tangentially too",
    )
    registry.impact.add(
        "frictional",
        "footfall_impacts.frictional.impact:Frictional",
        summary="inelastic, friction pyramid, two phases, QP",
    )
    registry.impact.add(
        "restitution",
        "footfall_impacts.restitution.impact:Restitution",
        summary="Newton's or Poisson's hypothesis, exact friction cone",
    )
