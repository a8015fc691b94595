"""The exact Coulomb cone at velocity level, by block Gauss-Seidel."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the contact law ``coulomb``."""
    registry.contact.add(
        "coulomb",
        "footfall_coulomb.contact:Coulomb",
        summary="exact friction cone, impulses, block Gauss-Seidel (default)",
    )
