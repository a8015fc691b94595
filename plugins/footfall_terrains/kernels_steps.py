"""Signed distance to a union of boxes whose surface is given as axis-aligned rectangles."""

from __future__ import annotations

import math

from footfall.api.kernels import inner, kernel

ON_IT = 1e-9
"""Distance from an edge at which the direction to it says nothing any more, [m]."""


@inner
def is_inside(boxes, x, y, z):
    """Whether a point lies in one of the boxes (n, 6): lower corner, upper corner."""
    for i in range(len(boxes)):
        if (
            boxes[i, 0] <= x <= boxes[i, 3]
            and boxes[i, 1] <= y <= boxes[i, 4]
            and boxes[i, 2] <= z <= boxes[i, 5]
        ):
            return True
    return False


@inner
def nearest_rectangle(faces, axis, x, y, z):
    """Return the index of the nearest rectangle; of two as near, one that is met squarely."""
    best, chosen, square = 1e300, 0, False
    for i in range(len(faces)):
        dx = max(max(faces[i, 0] - x, x - faces[i, 3]), 0.0)
        dy = max(max(faces[i, 1] - y, y - faces[i, 4]), 0.0)
        dz = max(max(faces[i, 2] - z, z - faces[i, 5]), 0.0)
        d = dx * dx + dy * dy + dz * dz
        along = dx if axis[i] == 0 else (dy if axis[i] == 1 else dz)
        if d < best or (d == best and d == along * along and not square):
            best, chosen, square = d, i, d == along * along
    return chosen


@kernel
def steps_sample(points, faces, axis, side, boxes, gap, normal, face):
    """Write signed distance, normal and nearest rectangle of every point.

    ``faces`` (m, 6) are lower and upper corner, ``axis`` (m,) the axis that each is square to and
    ``side`` (m,) +1 or -1, the direction out of the ground along it.
    """
    for k in range(len(gap)):
        x, y, z = points[k, 0], points[k, 1], points[k, 2]
        if not math.isfinite(x + y + z):
            gap[k] = math.nan
            continue
        i = nearest_rectangle(faces, axis, x, y, z)
        face[k] = i
        dx = x - min(max(x, faces[i, 0]), faces[i, 3])
        dy = y - min(max(y, faces[i, 1]), faces[i, 4])
        dz = z - min(max(z, faces[i, 2]), faces[i, 5])
        along = dx if axis[i] == 0 else (dy if axis[i] == 1 else dz)
        size = math.sqrt(dx * dx + dy * dy + dz * dz)
        for r in range(3):
            normal[k, r] = 0.0
        if size == abs(along) or size < ON_IT:
            gap[k] = side[i] * along
            normal[k, axis[i]] = side[i]
            continue
        sign = -1.0 if is_inside(boxes, x, y, z) else 1.0
        gap[k] = sign * size
        normal[k, 0], normal[k, 1], normal[k, 2] = (
            sign * dx / size,
            sign * dy / size,
            sign * dz / size,
        )
