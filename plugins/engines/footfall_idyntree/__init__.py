"""Dynamics engine on iDynTree's ``KinDynComputations``."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the engine ``idyntree``."""
    registry.engine.add(
        "idyntree",
        "footfall_idyntree.engine:IDynTree",
        summary="iDynTree's KinDynComputations; URDF",
        requires=("idyntree",),
        extra="idyntree",
    )
