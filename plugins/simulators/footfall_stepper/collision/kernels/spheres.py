"""A sphere against a sphere, a box, a capsule or a cylinder: closed forms."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, routine
from footfall_stepper.collision.kernels.arrays import ShapeKind, WorkCount
from footfall_stepper.collision.kernels.points import add_point
from footfall_stepper.collision.kernels.supports import local_direction


@inner
def outside_box(size, x, y, z):
    """Return the signed distance of a point to a box and its outward gradient, box frame.

    Inside, the nearest face is used; at equal distances the first axis.
    """
    dx, dy, dz = abs(x) - size[0], abs(y) - size[1], abs(z) - size[2]
    sx = 1.0 if x >= 0.0 else -1.0
    sy = 1.0 if y >= 0.0 else -1.0
    sz = 1.0 if z >= 0.0 else -1.0
    if dx <= 0.0 and dy <= 0.0 and dz <= 0.0:
        if dx >= dy and dx >= dz:
            return dx, sx, 0.0, 0.0
        if dy >= dz:
            return dy, 0.0, sy, 0.0
        return dz, 0.0, 0.0, sz
    ex, ey, ez = max(dx, 0.0), max(dy, 0.0), max(dz, 0.0)
    d = math.sqrt(ex * ex + ey * ey + ez * ez)
    return d, sx * ex / d, sy * ey / d, sz * ez / d


@inner
def outside_capsule(size, x, y, z):
    """Return the signed distance of a point to a capsule and its gradient."""
    h = z - min(max(z, -size[1]), size[1])
    d = math.sqrt(x * x + y * y + h * h)
    if d == 0.0:
        return -size[0], 1.0, 0.0, 0.0
    return d - size[0], x / d, y / d, h / d


@inner
def outside_cylinder(size, x, y, z):
    """Return the signed distance of a point to a cylinder and its gradient."""
    rho = math.hypot(x, y)
    dr, dz = rho - size[0], abs(z) - size[1]
    sz = 1.0 if z >= 0.0 else -1.0
    cx, cy = (x / rho, y / rho) if rho > 0.0 else (1.0, 0.0)
    if dr <= 0.0 and dz <= 0.0:
        if dz >= dr:
            return dz, 0.0, 0.0, sz
        return dr, cx, cy, 0.0
    er, ez = max(dr, 0.0), max(dz, 0.0)
    d = math.sqrt(er * er + ez * ez)
    return d, cx * er / d, cy * er / d, sz * ez / d


@routine
def sphere_and(geo, wrk, i, j):
    """Collect the contact of the sphere i with the shape j; the normal points from i to j."""
    ball, pose, size, kind = geo.pose[i], geo.pose[j], geo.size[j], geo.kind[j]
    r = geo.size[i, 0]
    wx, wy, wz = ball[9] - pose[9], ball[10] - pose[10], ball[11] - pose[11]
    x, y, z = local_direction(pose, wx, wy, wz)
    if kind == ShapeKind.BOX:
        d, gx, gy, gz = outside_box(size, x, y, z)
    elif kind == ShapeKind.CAPSULE:
        d, gx, gy, gz = outside_capsule(size, x, y, z)
    elif kind == ShapeKind.CYLINDER:
        d, gx, gy, gz = outside_cylinder(size, x, y, z)
    else:
        d = math.sqrt(x * x + y * y + z * z)
        gx, gy, gz = (x / d, y / d, z / d) if d > 0.0 else (0.0, 0.0, -1.0)
        d -= size[0]
    nx = -(pose[0] * gx + pose[3] * gy + pose[6] * gz)
    ny = -(pose[1] * gx + pose[4] * gy + pose[7] * gz)
    nz = -(pose[2] * gx + pose[5] * gy + pose[8] * gz)
    middle = 0.5 * (r + d)
    add_point(
        wrk,
        ball[9] + middle * nx,
        ball[10] + middle * ny,
        ball[11] + middle * nz,
        d - r,
        nx,
        ny,
        nz,
        0,
    )


@inner
def turn_normals(wrk):
    """Reverse the normals of the points of the current pair."""
    for k in range(wrk.counts[WorkCount.POINTS]):
        for m in range(4, 7):
            wrk.point[k, m] = -wrk.point[k, m]
