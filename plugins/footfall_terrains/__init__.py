"""Grounds that move, curve or have edges: ``moving``, ``heightmap`` and ``steps``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall.api.terrain import Terrain


def _moving() -> type[Terrain]:
    from footfall_terrains.moving import Moving

    return Moving


def _heightmap() -> type[Terrain]:
    from footfall_terrains.heightmap import Heightmap

    return Heightmap


def _steps() -> type[Terrain]:
    from footfall_terrains.steps import Steps

    return Steps


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the terrains."""
    registry.terrain.add("moving", _moving, summary="a moving plane: belt, shaker, elevator")
    registry.terrain.add("heightmap", _heightmap, summary="heights on a grid, bilinear in between")
    registry.terrain.add("steps", _steps, summary="boxes and stairs on a floor")
