"""Heights on a grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from footfall.api.advanced import FunctionName, HeightField, read_heights
from footfall.api.engine import Pose
from footfall.api.kernels import bind
from footfall.api.plugin import (
    Capability,
    DataFile,
    Floats,
    SettingError,
    error_line,
    load_function,
)
from footfall.api.viewer import GroundSurface
from footfall.api.world import CoefficientsConfig, TerrainSample, TerrainSolid
from footfall_terrains.drawn_heights import drawn_heights
from footfall_terrains.kernels.heightmap import heights_sample
from footfall_terrains.terrain import PatchedTerrain

Length = Annotated[float, Field(gt=0.0)]
Pair = Annotated[tuple[float, float], Field(strict=False)]
AROUND = 1000.0
"""Width of the level ground around the grid, [m]."""


class HeightmapConfig(CoefficientsConfig):
    """A rectangular grid of heights, from a file or a function."""

    file: DataFile | None = None
    """Path relative to the scene: ``.npy`` (entry [i, j] at x_i, y_j), ``.csv`` (line i at x_i), or
    grey ``.png`` (black 0, white 1; x to the right, y up)."""
    function: FunctionName | None = None
    """``module:function``, instead of a file. Footfall calls ``function(x, y)`` once, with arrays
    [m]. It returns heights."""
    size: Annotated[tuple[Length, Length], Field(strict=False)] = (4.0, 4.0)
    """Lengths of the grid along x and y, [m]."""
    center: Pair = (0.0, 0.0)
    """Centre of the grid, [m], world frame."""
    cells: Annotated[tuple[Annotated[int, Field(ge=1, le=4000)], ...], Field(strict=False)] = ()
    """Numbers of cells along x and y. Default: 80, 80 for a function; a file with n heights along
    an axis has n - 1 cells."""
    height: float = 1.0
    """Factor of the file's or function's heights, [m]."""
    base: float = 0.0
    """Height added to all, [m]."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if self.file is not None and self.function is not None:
            raise ValueError("file and function: give one of them")
        if self.file is None and self.function is None:
            raise ValueError("no heights: give a file (.npy, .csv, .png) or a function")
        if len(self.cells) not in (0, 2):
            raise ValueError(f"cells must have 2 elements, got {len(self.cells)}")
        return self


class Heightmap(PatchedTerrain):
    """A surface bilinearly interpolated between heights on a grid.

    Outside the grid the ground stays at the height of its border.

    The gap is the distance to the nearest point of the surface, negative below it. It is exact if
    it is less than 16 cells and less than the surface's radius of curvature, else an upper bound.
    """

    name = "heightmap"
    Config = HeightmapConfig
    capabilities = frozenset({Capability.TILTED_TERRAIN, Capability.CURVED_TERRAIN})
    kinds = frozenset({"point", "sphere"})

    def __init__(self, config: HeightmapConfig) -> None:
        self.config = config
        heights = config.base + config.height * _numbers(config)
        (lx, ly), (cx, cy) = config.size, config.center
        self._x = cx + np.linspace(-0.5 * lx, 0.5 * lx, heights.shape[0])
        self._y = cy + np.linspace(-0.5 * ly, 0.5 * ly, heights.shape[1])
        self._heights = heights
        self._grid = np.ascontiguousarray(np.pad(heights, 1, mode="edge"))
        self._gx, self._gy = _widened(self._x), _widened(self._y)
        super().__init__(config)

    def sample(self, time: float, points: Floats, sample: TerrainSample) -> None:
        """Overwrite gaps and normals, and the coefficients if there are patches."""
        heights_sample(points, self._grid, self._gx, self._gy, sample.gap, sample.normal, time)
        self.coefficients.sample(points, sample)

    def bound(self, points: Floats, sample: TerrainSample) -> Callable[[float], object]:
        """Bind the kernel, if the coefficients do not vary."""
        if self.coefficients.patchy:
            return super().bound(points, sample)
        fixed = points, self._grid, self._gx, self._gy, sample.gap, sample.normal
        return bind(heights_sample, *fixed, like=(0.0,))

    def grounds(self) -> tuple[GroundSurface, ...]:
        """Return the surface, patches in their own colours."""
        return drawn_heights(self._x, self._y, self._heights, self.config)

    def solids(self) -> tuple[TerrainSolid, ...]:
        """Return the surface with each cell split into two triangles; empty if there are patches.

        It differs from the bilinear patch by at most a quarter of the cell's twist, ``|h00 - h10 -
        h01 + h11| / 4``, at the centre of the cell.
        """
        config = self.config
        if config.patches:
            return ()
        field = HeightField(self._gx, self._gy, self._grid)
        return (TerrainSolid(field, Pose.identity(), config.friction, config.restitution),)


def _numbers(config: HeightmapConfig) -> Floats:
    """Return the grid of a file or function.

    Raises:
        SettingError: if it is not a grid of finite numbers, or has the wrong size.
    """
    if config.file is not None:
        heights = read_heights(config.file)
        if config.cells and heights.shape != (config.cells[0] + 1, config.cells[1] + 1):
            nx, ny = heights.shape
            raise SettingError(
                f"{config.cells[0]} x {config.cells[1]} cells need one height more along each, but "
                f"{config.file} is {nx} x {ny}",
                "cells",
            )
        return heights
    return _of_function(config, *(config.cells or (80, 80)))


def _of_function(config: HeightmapConfig, nx: int, ny: int) -> Floats:
    assert config.function is not None
    (lx, ly), (cx, cy) = config.size, config.center
    x = cx + np.linspace(-0.5 * lx, 0.5 * lx, nx + 1)
    y = cy + np.linspace(-0.5 * ly, 0.5 * ly, ny + 1)
    grid = np.meshgrid(x, y, indexing="ij")
    try:
        function = load_function(config.function)
    except ValueError as error:
        raise SettingError(str(error), "function") from error
    try:
        heights = np.asarray(function(*grid), float)
    except Exception as error:
        raise SettingError(f"{config.function}: {error_line(error)}", "function") from error
    if heights.shape not in ((), grid[0].shape):
        raise SettingError(
            f"{config.function} returned shape {heights.shape}, expected {grid[0].shape}",
            "function",
        )
    return read_heights(config.function, np.broadcast_to(heights, grid[0].shape), "function")


def _widened(x: Floats) -> Floats:
    """Return grid coordinates with one more, far away, at each end."""
    return np.concatenate([[x[0] - AROUND], x, [x[-1] + AROUND]])
