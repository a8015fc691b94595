"""Coulomb's law by Pinocchio's constraint solvers, as a check of ``coulomb``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_pinocchio_constraints.contact import PinocchioConstraints


def _pinocchio_constraints() -> type[PinocchioConstraints]:
    from footfall_pinocchio_constraints.contact import PinocchioConstraints

    return PinocchioConstraints


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the contact law ``pinocchio_constraints``."""
    registry.contact.add(
        "pinocchio_constraints",
        _pinocchio_constraints,
        summary="exact friction cone by Pinocchio's ADMM or PGS solver, a check of coulomb",
        requires=("pinocchio",),
    )
