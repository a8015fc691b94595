"""Height fields are solid below: shapes whose middle is below one are pushed up."""

from __future__ import annotations

import numpy as np

from footfall.geometry.shapes import HeightField
from footfall.spatial.pose import Pose
from footfall.typing import Floats

CELLS = 100.0
"""Depth of the solid below the lowest height, in lengths of the smallest cell."""


def solid_depth(field: HeightField) -> float:
    """Return how far below its lowest height a field is solid, [m]."""
    return CELLS * float(min(np.diff(field.x).min(), np.diff(field.y).min()))


def plane_above(field: HeightField, point: Floats) -> Pose | None:
    """Return the frame of the half-space below the triangle above a point; None if there is none.

    The frame is in the triangle's plane, z along its normal.

    Args:
        field: the height field.
        point: shape (3,), in the field's frame, [m].
    """
    grid, h, cell = (field.x, field.y), field.heights, []
    for lines, at in zip(grid, point[:2], strict=True):
        if not lines[0] <= at <= lines[-1]:
            return None
        cell.append(min(int(np.searchsorted(lines, at, "right")), len(lines) - 1) - 1)
    i, j = cell
    size = np.array([field.x[i + 1] - field.x[i], field.y[j + 1] - field.y[j]])
    u, v = (point[:2] - (field.x[i], field.y[j])) / size
    # The cell is cut from its lower left to its upper right corner, see HeightField.mesh.
    corner = h[i + 1, j] if u >= v else h[i, j + 1]
    rise = np.array([corner - h[i, j], h[i + 1, j + 1] - corner])[:: 1 if u >= v else -1]
    height = h[i, j] + rise @ (u, v)
    if height <= point[2]:
        return None
    normal = np.append(-rise / size, 1.0)
    return Pose.facing(normal / np.linalg.norm(normal), np.append(point[:2], height))
