"""Dynamics engine on iDynTree's ``KinDynComputations``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.engine import Engine
    from footfall.api.plugin import Registry


def _idyntree() -> type[Engine]:
    from footfall_idyntree.engine import IDynTree

    return IDynTree


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the engine ``idyntree``."""
    registry.engine.add(
        "idyntree",
        _idyntree,
        summary="iDynTree's KinDynComputations, converted at the door; URDF",
        requires=("idyntree",),
        extra="idyntree",
    )
