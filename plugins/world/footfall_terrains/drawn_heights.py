"""Drawing of a height grid: triangles, and lines along the grid."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from footfall.api.plugin import Floats, Ints
from footfall.api.viewer import GroundSurface
from footfall.api.world import CoefficientsConfig

MOST = 240
"""Largest number of drawn cells along a side; of finer grids only some heights are drawn."""
LINES = 20
"""Approximate number of lines drawn along each side."""
BORDER = 0.15
"""Width of the level border drawn around the grid, relative to the grid's longer side."""


def drawn_heights(
    x: Floats, y: Floats, heights: Floats, config: CoefficientsConfig
) -> tuple[GroundSurface, ...]:
    """Return the surface with a border, split by its patches; the last patch wins."""
    rim = BORDER * max(x[-1] - x[0], y[-1] - y[0])
    i, j = _chosen(len(x)), _chosen(len(y))
    gx = np.concatenate([[x[0] - rim], x[i], [x[-1] + rim]])
    gy = np.concatenate([[y[0] - rim], y[j], [y[-1] + rim]])
    z = np.pad(heights[np.ix_(i, j)], 1, mode="edge")
    points = np.column_stack([a.ravel() for a in (*np.meshgrid(gx, gy, indexing="ij"), z)])
    number = np.arange(len(points)).reshape(len(gx), len(gy))
    triangles, owner = _triangles(number), np.full(2 * (len(gx) - 1) * (len(gy) - 1), -1)
    middle = points[triangles].mean(axis=1)
    patches = config.patches
    for k, patch in enumerate(patches):
        owner[_within(middle, patch.x, patch.y)] = k
    found = []
    for k in (-1, *range(len(patches))):
        mine = triangles[owner == k]
        if len(mine):
            lines = _lines(number) if k < 0 else np.zeros((0, 2), np.int64)
            found.append(GroundSurface(points, mine, lines, None if k < 0 else patches[k].color))
    return tuple(found)


def _chosen(n: int) -> Ints:
    """Return the drawn grid lines, both ends included."""
    return np.unique(np.linspace(0, n - 1, min(n, MOST + 1)).round().astype(np.int64))


def _triangles(number: Ints) -> Ints:
    a, b = number[:-1, :-1].ravel(), number[1:, :-1].ravel()
    c, d = number[1:, 1:].ravel(), number[:-1, 1:].ravel()
    return np.stack([a, b, c, a, c, d], axis=1).reshape(-1, 3)


def _lines(number: Ints) -> Ints:
    """Return about ``LINES`` lines of the grid in each direction."""
    found = []
    for grid in (number, number.T):
        stride = max(1, (len(grid) - 2) // LINES)
        rows = grid[1:-1:stride]
        found.append(np.stack([rows[:, :-1].ravel(), rows[:, 1:].ravel()], axis=1))
    return np.concatenate(found)


def _within(points: Floats, *intervals: tuple[float, float] | None) -> npt.NDArray[np.bool_]:
    inside = np.ones(len(points), bool)
    for axis, interval in enumerate(intervals):
        if interval is not None:
            inside &= (points[:, axis] >= interval[0]) & (points[:, axis] < interval[1])
    return inside
