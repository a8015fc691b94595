"""Signed distance to a union of boxes, given its surface as axis-aligned rectangles."""

from __future__ import annotations

import math

from footfall.api.kernels import inner, kernel

ON_IT = 1e-9
"""Distance from an edge below which the direction to it is undefined, [m]."""


@inner
def is_inside(boxes, x, y, z):
    """Return whether a point lies in one of the boxes (n, 6): lower corner, upper corner."""
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
    """Return the index of the nearest rectangle; in a tie, one with the point straight above."""
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


@inner
def turned(c, s, x, y):
    """Return a vector (x, y) rotated by the angle of cosine c and sine s."""
    return c * x - s * y, s * x + c * y


@kernel
def steps_sample(
    points, faces, axis, side, boxes, yaw, own, gap, normal, friction, restitution, time
):
    """Write signed distance, normal and coefficients of the nearest rectangle of every point.

    ``faces`` (m, 6) are lower and upper corner, ``axis`` (m,) the axis normal to each and
    ``side`` (m,) +1 or -1, the direction out of the ground along it; ``yaw`` (2,) are cosine and
    sine of the rotation of everything about the vertical. ``own`` (m, 2) are friction and
    restitution; without rows the coefficients are not written. Nothing depends on ``time``.
    """
    for k in range(len(gap)):
        x, y = turned(yaw[0], -yaw[1], points[k, 0], points[k, 1])
        z = points[k, 2]
        if not math.isfinite(x + y + z):
            gap[k] = math.nan
            continue
        i = nearest_rectangle(faces, axis, x, y, z)
        if len(own) > 0:
            friction[k], restitution[k] = own[i, 0], own[i, 1]
        dx = x - min(max(x, faces[i, 0]), faces[i, 3])
        dy = y - min(max(y, faces[i, 1]), faces[i, 4])
        dz = z - min(max(z, faces[i, 2]), faces[i, 5])
        along = dx if axis[i] == 0 else (dy if axis[i] == 1 else dz)
        size = math.sqrt(dx * dx + dy * dy + dz * dz)
        if size == abs(along) or size < ON_IT:
            gap[k] = side[i] * along
            nx = side[i] if axis[i] == 0 else 0.0
            ny = side[i] if axis[i] == 1 else 0.0
            nz = side[i] if axis[i] == 2 else 0.0
        else:
            sign = -1.0 if is_inside(boxes, x, y, z) else 1.0
            gap[k] = sign * size
            nx, ny, nz = sign * dx / size, sign * dy / size, sign * dz / size
        normal[k, 0], normal[k, 1] = turned(yaw[0], yaw[1], nx, ny)
        normal[k, 2] = nz
