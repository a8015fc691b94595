"""The terrain role: distance, normal, velocity and coefficients of the ground."""

from __future__ import annotations

from footfall.geometry.heights import checked_heights, read_heights
from footfall.interfaces.terrain import Terrain, TerrainSample, TerrainSolid
from footfall.terrain.coefficients import (
    Coefficients,
    CoefficientsConfig,
    Patch,
    plane_patches,
)

__all__ = [
    "Coefficients",
    "CoefficientsConfig",
    "Patch",
    "Terrain",
    "TerrainSample",
    "TerrainSolid",
    "checked_heights",
    "plane_patches",
    "read_heights",
]
