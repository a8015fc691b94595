"""The Delassus matrix from articulated bodies: three published methods, for comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.contact import DelassusMethod
    from footfall.api.plugin import Registry


def _unit_body_forces() -> type[DelassusMethod]:
    from footfall_operational_space.delassus import UnitBodyForces

    return UnitBodyForces


def _omega_recursion() -> type[DelassusMethod]:
    from footfall_operational_space.delassus import OmegaRecursion

    return OmegaRecursion


def _unit_contact_forces() -> type[DelassusMethod]:
    from footfall_operational_space.delassus import UnitContactForces

    return UnitContactForces


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the methods."""
    registry.delassus.add(
        "unit_body_forces", _unit_body_forces, summary="Omega by unit forces on touched bodies"
    )
    registry.delassus.add(
        "omega_recursion", _omega_recursion, summary="Omega by Chang and Khatib's recursion"
    )
    registry.delassus.add(
        "unit_contact_forces",
        _unit_contact_forces,
        summary="unit forces at every contact point (Chardonnet et al. 2006)",
    )
