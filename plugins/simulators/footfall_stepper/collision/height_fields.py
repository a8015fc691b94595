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


def plane_above(field: HeightField, frame: Floats, bounds: Floats) -> Floats | None:
    """Return the frame of the half-space below the triangle above a box, (12,), world.

    None if the middle of the box is not below the field. The z axis is the triangle's normal.

    Args:
        field: the height field.
        frame: shape (12,), its frame in the world: rotation column-major, translation.
        bounds: shape (6,), lower and upper corner of the box, world, [m].
    """
    pose = Pose(frame[:9].reshape(3, 3).T, frame[9:])
    x, y, z = pose.inverse().apply(0.5 * (bounds[:3] + bounds[3:])).tolist()
    cell, h = [], field.heights
    for lines, at in ((field.x, x), (field.y, y)):
        if not lines[0] <= at <= lines[-1]:
            return None
        cell.append(min(int(np.searchsorted(lines, at, "right")), len(lines) - 1) - 1)
    i, j = cell
    dx, dy = field.x[i + 1] - field.x[i], field.y[j + 1] - field.y[j]
    u, v = (x - field.x[i]) / dx, (y - field.y[j]) / dy
    # The cell is cut from its lower left to its upper right corner, see HeightField.mesh.
    corner = h[i + 1, j] if u >= v else h[i, j + 1]
    rise = np.array([corner - h[i, j], h[i + 1, j + 1] - corner])[:: 1 if u >= v else -1]
    height = h[i, j] + rise @ (u, v)
    if height <= z:
        return None
    normal = np.append(-rise / (dx, dy), 1.0)
    plane = pose @ Pose.facing(normal / np.linalg.norm(normal), np.array([x, y, height]))
    return np.append(plane.rotation.T.ravel(), plane.translation)
