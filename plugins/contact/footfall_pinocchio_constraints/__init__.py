"""Coulomb's law by Pinocchio's constraint solvers, as a check of ``coulomb``."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the contact law ``pinocchio_constraints``."""
    registry.contact.add(
        "pinocchio_constraints",
        "footfall_pinocchio_constraints.contact:PinocchioConstraints",
        summary="exact friction cone by Pinocchio's ADMM or PGS solver, a check of coulomb",
        requires=("pinocchio",),
    )
