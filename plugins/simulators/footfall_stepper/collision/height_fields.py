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
    x, y, h = field.x, field.y, field.heights
    if not (x[0] <= point[0] <= x[-1] and y[0] <= point[1] <= y[-1]):
        return None
    i = min(int(np.searchsorted(x, point[0], "right")), len(x) - 1) - 1
    j = min(int(np.searchsorted(y, point[1], "right")), len(y) - 1) - 1
    dx, dy = x[i + 1] - x[i], y[j + 1] - y[j]
    u, v = (point[0] - x[i]) / dx, (point[1] - y[j]) / dy
    # The cell is cut from its lower left to its upper right corner, see HeightField.mesh.
    a, c = h[i, j], h[i + 1, j + 1]
    along_x, along_y = (
        (h[i + 1, j] - a, c - h[i + 1, j]) if u >= v else (c - h[i, j + 1], h[i, j + 1] - a)
    )
    height = a + u * along_x + v * along_y
    if height <= point[2]:
        return None
    normal = np.array([-along_x / dx, -along_y / dy, 1.0])
    return Pose.facing(normal / np.linalg.norm(normal), np.array([point[0], point[1], height]))
