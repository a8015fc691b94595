"""Dynamics engine on Pinocchio's recursive algorithms."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the engine ``pinocchio``."""
    registry.engine.add(
        "pinocchio",
        "footfall_pinocchio.engine:Pinocchio",
        summary="recursive rigid-body algorithms in C++; URDF and MJCF",
        requires=("pinocchio",),
    )
