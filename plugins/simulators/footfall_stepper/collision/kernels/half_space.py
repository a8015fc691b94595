"""Any shape on a half-space: the lowest points of its surface."""

from __future__ import annotations

from footfall.jit.compiling import inner, routine
from footfall_stepper.collision.kernels.arrays import CORNERS, ShapeKind
from footfall_stepper.collision.kernels.points import add_point
from footfall_stepper.collision.kernels.supports import local_direction, put, put_cap


@inner
def drop(wrk, plane, x, y, z, feature):
    """Collect a point of the other shape, given in the world."""
    nx, ny, nz = plane[6], plane[7], plane[8]
    gap = nx * (x - plane[9]) + ny * (y - plane[10]) + nz * (z - plane[11])
    h = 0.5 * gap
    add_point(wrk, x - h * nx, y - h * ny, z - h * nz, gap, nx, ny, nz, feature)


@routine
def drop_local(wrk, plane, pose, x, y, z, feature):
    """Collect a point given in the other shape's frame."""
    put(pose, x, y, z, wrk.matrix, 7)
    drop(wrk, plane, wrk.matrix[7, 0], wrk.matrix[7, 1], wrk.matrix[7, 2], feature)


@routine
def half_space_and(geo, wrk, plane, j):
    """Collect the contacts of the half-space with the frame ``plane`` (12,) with the shape j.

    Box, convex, mesh: every vertex within the margin. Sphere: its lowest point. Capsule: the
    lowest point of both ends. Cylinder: points of the rims, including the exact lowest of each.
    """
    pose, size, kind = geo.pose[j], geo.size[j], geo.kind[j]
    if kind == ShapeKind.BOX:
        for k in range(8):
            x = size[0] if k & 1 else -size[0]
            y = size[1] if k & 2 else -size[1]
            z = size[2] if k & 4 else -size[2]
            drop_local(wrk, plane, pose, x, y, z, k)
    elif kind in (ShapeKind.SPHERE, ShapeKind.CAPSULE):
        x, y, z = local_direction(pose, -plane[6], -plane[7], -plane[8])
        r = size[0]
        drop_local(wrk, plane, pose, r * x, r * y, r * z + size[1], 0)
        if kind == ShapeKind.CAPSULE:
            drop_local(wrk, plane, pose, r * x, r * y, r * z - size[1], 1)
    elif kind == ShapeKind.CYLINDER:
        x, y, _ = local_direction(pose, -plane[6], -plane[7], -plane[8])
        put_cap(pose, size, 1.0, x, y, wrk.a, wrk.id_a, 0)
        put_cap(pose, size, -1.0, x, y, wrk.a, wrk.id_a, CORNERS)
        for k in range(2 * CORNERS):
            drop(wrk, plane, wrk.a[k, 0], wrk.a[k, 1], wrk.a[k, 2], wrk.id_a[k])
    else:
        first = geo.vertex_start[j]
        for k in range(first, geo.vertex_start[j + 1]):
            x, y, z = geo.vertex[k, 0], geo.vertex[k, 1], geo.vertex[k, 2]
            drop_local(wrk, plane, pose, x, y, z, k - first)
