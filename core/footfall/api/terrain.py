"""The terrain role: distance, normal, velocity and coefficients of the ground."""

from __future__ import annotations

from footfall.geometry.heights import (
    checked_heights as checked_heights,
    read_heights as read_heights,
)
from footfall.interfaces.terrain import (
    Terrain as Terrain,
    TerrainSample as TerrainSample,
    TerrainSolid as TerrainSolid,
)
from footfall.terrain.coefficients import (
    Coefficients as Coefficients,
    CoefficientsConfig as CoefficientsConfig,
    plane_patches as plane_patches,
)
