"""The Delassus matrix from articulated bodies: three published methods, for comparison."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the methods."""
    registry.delassus.add(
        "unit_body_forces",
        "footfall_delassus.delassus:UnitBodyForces",
        summary="inverse inertias of touched links, by unit forces on them",
    )
    registry.delassus.add(
        "omega_recursion",
        "footfall_delassus.delassus:OmegaRecursion",
        summary="inverse inertias of touched links, by Chang and Khatib's recursion",
    )
    registry.delassus.add(
        "unit_contact_forces",
        "footfall_delassus.delassus:UnitContactForces",
        summary="unit forces at every contact point (Chardonnet et al. 2006)",
    )
