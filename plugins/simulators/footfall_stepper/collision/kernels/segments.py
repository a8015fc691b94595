"""Two segments, and capsules, which are segments with a radius."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, routine
from footfall_stepper.collision.kernels.arrays import WorkCount
from footfall_stepper.collision.kernels.clip import clip
from footfall_stepper.collision.kernels.points import add_point
from footfall_stepper.collision.kernels.supports import ACROSS, support


@inner
def clamp(x):
    """Return a number clamped to [0, 1]."""
    return min(max(x, 0.0), 1.0)


@routine
def closest_parameters(px, py, pz, ux, uy, uz, vx, vy, vz):
    """Return s and t in [0, 1] at which two segments ``s u`` and ``p + t v`` are closest.

    After Ericson, Real-Time Collision Detection (2005), section 5.1.9; for parallel segments the
    smallest such s.
    """
    uu, vv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
    uv = ux * vx + uy * vy + uz * vz
    up, vp = ux * px + uy * py + uz * pz, vx * px + vy * py + vz * pz
    det = uu * vv - uv * uv
    s = clamp((up * vv - uv * vp) / det) if det > 1e-14 * uu * vv else 0.0
    t = (s * uv - vp) / vv
    if t < 0.0:
        return clamp(up / uu), 0.0
    if t > 1.0:
        return clamp((up + uv) / uu), 1.0
    return s, t


@routine
def capsule_capsule(geo, wrk, i, j):
    """Collect the contact of two capsules: two points if they lie along one another."""
    a, b, la, lb = geo.pose[i], geo.pose[j], geo.size[i, 1], geo.size[j, 1]
    ux, uy, uz = 2.0 * la * a[6], 2.0 * la * a[7], 2.0 * la * a[8]
    vx, vy, vz = 2.0 * lb * b[6], 2.0 * lb * b[7], 2.0 * lb * b[8]
    ax, ay, az = a[9] - 0.5 * ux, a[10] - 0.5 * uy, a[11] - 0.5 * uz
    px, py, pz = b[9] - 0.5 * vx - ax, b[10] - 0.5 * vy - ay, b[11] - 0.5 * vz - az
    s, t = closest_parameters(px, py, pz, ux, uy, uz, vx, vy, vz)
    nx, ny, nz = px + t * vx - s * ux, py + t * vy - s * uy, pz + t * vz - s * uz
    d = math.sqrt(nx * nx + ny * ny + nz * nz)
    cx, cy, cz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    c = math.sqrt(cx * cx + cy * cy + cz * cz)
    if d > 1e-12 * (la + lb):
        nx, ny, nz = nx / d, ny / d, nz / d
    elif c > 1e-9 * la * lb:
        nx, ny, nz = cx / c, cy / c, cz / c
    else:
        nx, ny, nz = a[0], a[1], a[2]
    gap = d - geo.size[i, 0] - geo.size[j, 0]
    if gap > wrk.margin[0]:
        return
    if c <= ACROSS * 4.0 * la * lb:
        na, _, _, _ = support(geo, i, nx, ny, nz, wrk.a, wrk.id_a)
        nb, _, _, _ = support(geo, j, -nx, -ny, -nz, wrk.b, wrk.id_b)
        if clip(wrk, na, nb, nx, ny, nz) > 1:
            return
        wrk.counts[WorkCount.POINTS] = 0
    middle = geo.size[i, 0] + 0.5 * gap
    x, y, z = ax + s * ux + middle * nx, ay + s * uy + middle * ny, az + s * uz + middle * nz
    add_point(wrk, x, y, z, gap, nx, ny, nz, 0)
