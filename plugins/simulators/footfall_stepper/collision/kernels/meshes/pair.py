"""A mesh against another shape, from Coal's answers."""

from __future__ import annotations

import math

from footfall.jit.compiling import kernel, routine
from footfall_stepper.collision.kernels.arrays import ShapeKind, WorkCount
from footfall_stepper.collision.kernels.meshes.surface import push_out, within
from footfall_stepper.collision.kernels.meshes.triangle import from_triangle
from footfall_stepper.collision.kernels.meshes.two_meshes import from_triangles
from footfall_stepper.collision.kernels.place import found, geometries, work
from footfall_stepper.collision.kernels.points import CROSSINGS, NAMES_B, write_points
from footfall_stepper.collision.kernels.spheres import turn_normals
from footfall_stepper.collision.kernels.supports import turned_normal


@routine
def from_inside(geo, wrk, i, j, rows, n):
    """Collect a contact if one of two shapes is inside the other, closed mesh.

    Then no triangle overlaps, and the nearest one, if any is near, is seen from behind.
    """
    least, facing, solid = math.inf, 0.0, geo.kind[j] == ShapeKind.MESH
    for k in range(n):
        if rows[k, 9] < least:
            least = rows[k, 9]
            x, y, z = turned_normal(geo, i, int(rows[k, 10]))
            facing = rows[k, 0] * x + rows[k, 1] * y + rows[k, 2] * z
    if least <= 0.0 or facing > 0.5:
        return
    if geo.size[i, 0] > 0.0 and within(geo, i, j):
        push_out(geo, wrk, i, j, 1.0)
    elif solid and geo.size[j, 0] > 0.0 and within(geo, j, i):
        push_out(geo, wrk, j, i, -1.0)


@kernel
def mesh_pair(table, i, j, rows, n):
    """Write the contacts of a mesh with another shape from Coal's answers, one per triangle.

    Args:
        table: of the detector.
        i: first shape; the mesh, if only one shape is a mesh.
        j: second shape.
        rows: shape (>= n, 12): normal from the mesh to the other shape, closest points on the mesh
            and on the other, gap, triangles of both.
        n: number of answers.
    """
    geo, wrk, fnd = geometries(table), work(table), found(table)
    swapped = geo.kind[i] != ShapeKind.MESH
    mesh, other = (j, i) if swapped else (i, j)
    both = geo.kind[other] == ShapeKind.MESH
    for k in range(n):
        rows[k, 10] += geo.face_start[mesh]
        if both:
            rows[k, 11] += geo.face_start[other]
    from_inside(geo, wrk, mesh, other, rows, n)
    if wrk.counts[WorkCount.POINTS] == 0:
        for k in range(n):
            s, t = int(rows[k, 10]), int(rows[k, 11])
            if both:
                from_triangles(geo, wrk, mesh, other, s, t, rows, n)
            else:
                from_triangle(geo, wrk, mesh, other, s, rows, n, k)
    if swapped:
        turn_normals(wrk)
        for k in range(wrk.counts[WorkCount.POINTS]):
            if wrk.feature[k] < CROSSINGS:
                wrk.feature[k] ^= NAMES_B
    write_points(geo, wrk, fnd, i, j)
