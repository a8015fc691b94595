"""Grounds that move, curve or have edges: ``moving``, ``heightmap`` and ``steps``."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the terrains."""
    registry.terrain.add(
        "moving",
        "footfall_terrains.moving:Moving",
        summary="a moving plane: belt, shaker, elevator",
    )
    registry.terrain.add(
        "heightmap",
        "footfall_terrains.heightmap:Heightmap",
        summary="heights on a grid, bilinear in between",
    )
    registry.terrain.add(
        "steps", "footfall_terrains.steps:Steps", summary="boxes and stairs on a floor"
    )
