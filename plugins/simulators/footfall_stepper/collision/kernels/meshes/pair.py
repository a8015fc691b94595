"""A mesh against another shape, from Coal's answers."""

from __future__ import annotations

import math

from footfall.jit.compiling import kernel, routine
from footfall_stepper.collision.kernels.arrays import ShapeKind, WorkCount
from footfall_stepper.collision.kernels.meshes.surface import (
    EXACT,
    SLACK,
    nearest,
    push_out,
    within,
)
from footfall_stepper.collision.kernels.meshes.triangle import from_triangle
from footfall_stepper.collision.kernels.meshes.two_meshes import from_triangles
from footfall_stepper.collision.kernels.place import found, geometries, work
from footfall_stepper.collision.kernels.points import (
    CLOSEST,
    CROSSINGS,
    NAMES_B,
    add_point,
    write_points,
)
from footfall_stepper.collision.kernels.spheres import turn_normals
from footfall_stepper.collision.kernels.supports import local_direction, turned_normal

TURNED = 0.995
"""Cosine of the angle (6 degrees) from which the ways out of two points are compared."""


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
        push_out(geo, wrk, i, j, rows, 1.0)
    elif solid and geo.size[j, 0] > 0.0 and within(geo, j, i):
        push_out(geo, wrk, j, i, rows, -1.0)


@routine
def from_edges(wrk, rows, n):
    """Collect the deepest answer, if triangles overlap and none of the points does.

    Then sharp edges cross, with a normal that is none of a single triangle: the depth is a lower
    bound, and the direction up to 30 degrees off.
    """
    deepest, least = -1, -SLACK * wrk.metre[0]
    for k in range(n):
        if rows[k, 9] < least:
            deepest, least = k, rows[k, 9]
    for k in range(wrk.counts[WorkCount.POINTS]):
        if wrk.point[k, 3] < 0.0:
            return
    if deepest >= 0:
        p = rows[deepest]
        x, y, z = 0.5 * (p[3] + p[6]), 0.5 * (p[4] + p[7]), 0.5 * (p[5] + p[8])
        add_point(wrk, x, y, z, p[9], p[0], p[1], p[2], CLOSEST)


@routine
def outside(geo, i, rows, n, column, px, py, pz):
    """Return whether a point (world) is outside a shape: a mesh near the triangles in the rows."""
    pose, higher = geo.pose[i], 0.0
    x, y, z = local_direction(pose, px - pose[9], py - pose[10], pz - pose[11])
    if geo.kind[i] == ShapeKind.MESH:
        _, _, _, _, higher = nearest(geo, i, rows, n, column, x, y, z)
    elif geo.kind[i] == ShapeKind.BOX:
        size = geo.size[i]
        higher = max(abs(x) - size[0], abs(y) - size[1], abs(z) - size[2])
    else:
        for t in range(geo.face_start[i], geo.face_start[i + 1]):
            p, m = geo.vertex[geo.vertex_start[i] + geo.corner[geo.corner_start[t]]], geo.normal[t]
            above = (x - p[0]) * m[0] + (y - p[1]) * m[1] + (z - p[2]) * m[2]
            higher = max(higher, above)
    return higher > 0.0


@routine
def frees(geo, wrk, i, j, rows, n, k):
    """Return whether point k's way out may free mesh i of shape j: it does so at deeper points.

    Its length is that of point k and its tolerances; only points with another normal count.
    """
    way, deeper = wrk.point[k], False
    d = (1.0 + EXACT) * -way[3] + SLACK * wrk.metre[0]
    for b in range(wrk.counts[WorkCount.POINTS]):
        p = wrk.point[b]
        turned = p[4] * way[4] + p[5] * way[5] + p[6] * way[6] < TURNED
        if turned and -p[3] > d:
            h, deeper = 0.5 * p[3], True
            x, y, z = h * p[4] + d * way[4], h * p[5] + d * way[5], h * p[6] + d * way[6]
            if not outside(geo, i, rows, n, 10, p[0] + x, p[1] + y, p[2] + z):
                return False
            if not outside(geo, j, rows, n, 11, p[0] - x, p[1] - y, p[2] - z):
                return False
    return deeper


@kernel
def shorter_way(table, i, j, rows, n, way, free):
    """Write the shortest way out, longer than the last one, that may free both shapes; 1 if so.

    Two sharp edges overlap along several normals; the shortest way counts. In a groove, the way out
    of one side does not free the other. Without a way, or if the last one is known to free both,
    longer points with other normals are dropped, and the contacts written.

    Args:
        table: of the detector.
        i: first shape, see ``mesh_pair``.
        j: second shape.
        rows: of ``mesh_pair``.
        n: number of answers.
        way: shape (4,), the last way of the other shape out of the mesh: direction, length [m].
        free: whether it frees both.
    """
    geo, wrk = geometries(table), work(table)
    swapped = geo.kind[i] != ShapeKind.MESH
    mesh, other = (j, i) if swapped else (i, j)
    known = geo.kind[other] in (ShapeKind.MESH, ShapeKind.BOX, ShapeKind.CONVEX)
    best, length, kept = -1, math.inf, 0
    for k in range(wrk.counts[WorkCount.POINTS] if known and not free else 0):
        depth = -wrk.point[k, 3]
        if way[3] < depth < length and frees(geo, wrk, mesh, other, rows, n, k):
            best, length = k, depth
    if best >= 0:
        for m in range(3):
            way[m] = wrk.point[best, 4 + m]
        way[3] = length
        return 1
    for k in range(wrk.counts[WorkCount.POINTS]):
        p = wrk.point[k]
        along = p[4] * way[0] + p[5] * way[1] + p[6] * way[2]
        if not (free and along < TURNED and -p[3] > (1.0 + EXACT) * way[3]):
            for m in range(7):
                wrk.point[kept, m] = p[m]
            wrk.feature[kept] = wrk.feature[k]
            kept += 1
    wrk.counts[WorkCount.POINTS] = kept
    if swapped:
        turn_normals(wrk)
        for k in range(kept):
            if wrk.feature[k] < CROSSINGS:
                wrk.feature[k] ^= NAMES_B
    write_points(geo, wrk, found(table), i, j)
    return 0


@kernel
def mesh_pair(table, i, j, rows, n):
    """Collect the points of a mesh with another shape from Coal's answers, one per triangle.

    Args:
        table: of the detector.
        i: first shape; the mesh, if only one shape is a mesh.
        j: second shape.
        rows: shape (>= n, 12): normal from the mesh to the other shape, closest points on the mesh
            and on the other, gap, triangles of both.
        n: number of answers.
    """
    geo, wrk = geometries(table), work(table)
    mesh, other = (i, j) if geo.kind[i] == ShapeKind.MESH else (j, i)
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
        if not both and geo.size[mesh, 0] > 0.0:
            from_edges(wrk, rows, n)
