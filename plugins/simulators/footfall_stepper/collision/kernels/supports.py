"""Support polygons: the part of a shape that is farthest in a direction."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, routine
from footfall_stepper.collision.kernels.arrays import CORNERS, ShapeKind

ALIGNED = 0.99995
"""Cosine of the angle (0.57 degrees) within which a direction counts as a face's normal."""
ACROSS = 0.01
"""Its sine: limit up to which an axis counts as lying in the contact plane."""


@inner
def local_direction(pose, x, y, z):
    """Return a world direction in the axes of a pose."""
    return (
        pose[0] * x + pose[1] * y + pose[2] * z,
        pose[3] * x + pose[4] * y + pose[5] * z,
        pose[6] * x + pose[7] * y + pose[8] * z,
    )


@inner
def put(pose, x, y, z, out, k):
    """Write a point of a pose's frame, in world coordinates, to ``out[k]``."""
    for m in range(3):
        out[k, m] = pose[m] * x + pose[3 + m] * y + pose[6 + m] * z + pose[9 + m]


@routine
def put_box_face(pose, size, axis, side, out, name):
    """Write the corners of a box's face, in cyclic order; a corner's name has one bit per axis."""
    one, two = (axis + 1) % 3, (axis + 2) % 3
    for k in range(4):
        s = 1.0 if k == 1 or k == 2 else -1.0
        t = 1.0 if k >= 2 else -1.0
        bits = 0
        for m in range(3):
            out[k, m] = (
                pose[9 + m]
                + side * size[axis] * pose[3 * axis + m]
                + s * size[one] * pose[3 * one + m]
                + t * size[two] * pose[3 * two + m]
            )
        bits += (1 << axis) if side > 0.0 else 0
        bits += (1 << one) if s > 0.0 else 0
        bits += (1 << two) if t > 0.0 else 0
        name[k] = bits


@routine
def put_cap(pose, size, side, x, y, out, name, at):
    """Write a cylinder's cap as a polygon: corners fixed to the body, one at the lowest point.

    ``(x, y)`` is the contact's direction in the cylinder's frame. The rim's point farthest along
    it replaces the nearest corner, so that a cylinder rolls on its rim exactly.
    """
    first = 0 if side > 0.0 else CORNERS
    lowest, replaced = math.atan2(y, x), -1
    if math.hypot(x, y) > 1e-9:
        turn = lowest / (2.0 * math.pi) * CORNERS
        replaced = math.floor(turn + 0.5) % CORNERS
    for k in range(CORNERS):
        angle = lowest if k == replaced else 2.0 * math.pi * k / CORNERS
        u, w = size[0] * math.cos(angle), size[0] * math.sin(angle)
        put(pose, u, w, side * size[1], out, at + k)
        name[at + k] = first + k


@inner
def best_face(geo, i, x, y, z):
    """Return the face of a convex whose normal is nearest to a direction in its frame."""
    best, face = -2.0, geo.face_start[i]
    for f in range(geo.face_start[i], geo.face_start[i + 1]):
        c = geo.normal[f, 0] * x + geo.normal[f, 1] * y + geo.normal[f, 2] * z
        if c > best + 1e-12:
            best, face = c, f
    return face, best


@routine
def put_face(geo, i, face, out, name):
    """Write the corners of a face of a convex or mesh, named and ``flat``; return their number."""
    start, n = geo.corner_start[face], geo.corner_start[face + 1] - geo.corner_start[face]
    for k in range(n):
        v = geo.corner[start + k]
        at = geo.vertex_start[i] + v
        put(geo.pose[i], geo.vertex[at, 0], geo.vertex[at, 1], geo.vertex[at, 2], out, k)
        name[k] = v | geo.flat[start + k]
    return n


@routine
def support(geo, i, nx, ny, nz, out, name):
    """Write the support polygon of shape i in a world direction, in world coordinates.

    Returns:
        The number of corners; whether the direction is the face's normal (within 0.57 degrees), or
        perpendicular to the segment; the axis and side of that face's outward normal, as
        ``(axis, side)`` of the frame, -1 for a convex's own normal and -2 for none.
    """
    pose, size, kind = geo.pose[i], geo.size[i], geo.kind[i]
    x, y, z = local_direction(pose, nx, ny, nz)
    if kind == ShapeKind.BOX:
        axis, c = 0, x
        if abs(y) > abs(c):
            axis, c = 1, y
        if abs(z) > abs(c):
            axis, c = 2, z
        put_box_face(pose, size, axis, 1.0 if c > 0.0 else -1.0, out, name)
        return 4, abs(c) > ALIGNED, axis, 1.0 if c > 0.0 else -1.0
    if kind == ShapeKind.CYLINDER:
        side = 1.0 if z > 0.0 else -1.0
        if abs(z) > 0.7:
            put_cap(pose, size, side, x, y, out, name, 0)
            return CORNERS, abs(z) > ALIGNED, 2, side
        r = size[0] / math.hypot(x, y)
        put(pose, r * x, r * y, size[1], out, 0)
        put(pose, r * x, r * y, -size[1], out, 1)
        name[0], name[1] = 0, CORNERS
        return 2, abs(z) < ACROSS, -2, side
    if kind == ShapeKind.CAPSULE:
        r = size[0]
        put(pose, r * x, r * y, r * z + size[1], out, 0)
        put(pose, r * x, r * y, r * z - size[1], out, 1)
        name[0], name[1] = 0, 1
        return 2, abs(z) < ACROSS, -2, 1.0
    if kind == ShapeKind.CONVEX:
        face, c = best_face(geo, i, x, y, z)
        return put_face(geo, i, face, out, name), c > ALIGNED, -1, float(face)
    put(pose, size[0] * x, size[0] * y, size[0] * z, out, 0)  # a sphere
    name[0] = 0
    return 1, False, -2, 1.0


@inner
def face_normal(geo, i, axis, side):
    """Return the outward normal of a face given by ``support``, world frame."""
    pose = geo.pose[i]
    if axis >= 0:
        return side * pose[3 * axis], side * pose[3 * axis + 1], side * pose[3 * axis + 2]
    return turned_normal(geo, i, int(side))


@inner
def turned_normal(geo, i, face):
    """Return the normal of a face of a convex or mesh, world frame."""
    pose, x, y, z = geo.pose[i], geo.normal[face, 0], geo.normal[face, 1], geo.normal[face, 2]
    return (
        pose[0] * x + pose[3] * y + pose[6] * z,
        pose[1] * x + pose[4] * y + pose[7] * z,
        pose[2] * x + pose[5] * y + pose[8] * z,
    )
