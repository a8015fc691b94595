"""Dynamics engine on Pinocchio's recursive algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the engine ``pinocchio``."""
    registry.engine.add(
        "pinocchio",
        "footfall_pinocchio.engine:Pinocchio",
        summary="recursive rigid-body algorithms in C++, read without copies; URDF and MJCF",
        requires=("pinocchio",),
    )
