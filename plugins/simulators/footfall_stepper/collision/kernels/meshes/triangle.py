"""A triangle of a mesh against a convex shape, from Coal's answer."""

from __future__ import annotations

import math

from footfall.jit.compiling import routine
from footfall_stepper.collision.kernels.arrays import FLAT_EDGE, WorkCount
from footfall_stepper.collision.kernels.clip import INSIDE, clip
from footfall_stepper.collision.kernels.meshes.surface import (
    EXACT,
    SLACK,
    beyond_edge,
    merge,
    nearer,
    region,
    share,
)
from footfall_stepper.collision.kernels.points import add_point
from footfall_stepper.collision.kernels.supports import (
    ALIGNED,
    face_normal,
    local_direction,
    put_face,
    support,
    turned_normal,
)


@routine
def drop_false(geo, wrk, first, i, j, rows, n, apart):
    """Remove points since ``first`` that are deeper than the overlap, or nearer than the shapes.

    A point on shape j may be as deep below a triangle of mesh i as the triangle alone has to move
    to be free of j, or as the point is away from the whole surface; a corner of the overlap may be
    on the surface, and is tried half way to the middle, too. An open mesh has no inside: beyond
    half of shape j, j is on its other side.

    Args:
        geo: the shapes.
        wrk: the points.
        first: the first of them.
        i: the mesh.
        j: the convex shape.
        rows: triangles of the mesh that are near, in column 10.
        n: their number.
        apart: gap of the triangle and the shape; negative: how far it has to move, [m].
    """
    kept, last = first, wrk.counts[WorkCount.POINTS]
    cx, cy, cz, middle, below = 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(first, last):
        p = wrk.point[k]
        if p[3] < 0.0:
            below += 1.0
            cx, cy, cz = (
                cx + (p[0] - cx) / below,
                cy + (p[1] - cy) / below,
                cz + (p[2] - cz) / below,
            )
            middle += (p[3] - middle) / below
    for k in range(first, last):
        p = wrk.point[k]
        gap, good = p[3], True
        if gap < apart - EXACT * abs(apart) - SLACK * wrk.metre[0]:
            reach = math.inf if geo.size[i, 0] > 0.0 else 0.0
            for m in range(3):
                reach += 0.5 * abs(p[4 + m]) * (geo.bounds[j, 3 + m] - geo.bounds[j, m])
            h = 0.5 * gap
            x, y, z = p[0] + h * p[4], p[1] + h * p[5], p[2] + h * p[6]
            good = 0.0 > gap >= -reach
            if good and nearer(geo, i, rows, n, 10, x, y, z, (EXACT - 1.0) * gap):
                gap = 0.5 * (gap + middle)
                h = 0.5 * gap
                x, y, z = 0.5 * (p[0] + cx), 0.5 * (p[1] + cy), 0.5 * (p[2] + cz)
                x, y, z = x + h * p[4], y + h * p[5], z + h * p[6]
                good = gap < 0.0 and not nearer(geo, i, rows, n, 10, x, y, z, (EXACT - 1.0) * gap)
        if good:
            for m in range(7):
                wrk.point[kept, m] = p[m]
            wrk.feature[kept] = wrk.feature[k]
            kept += 1
    wrk.counts[WorkCount.POINTS] = min(kept, wrk.counts[WorkCount.POINTS])


@routine
def add_lowest(geo, wrk, i, t, nx, ny, nz, name):
    """Collect the point in ``wrk.b[0]``, if its foot along the triangle's normal is on it."""
    pose, p = geo.pose[i], wrk.b[0]
    x, y, z = local_direction(pose, p[0] - pose[9], p[1] - pose[10], p[2] - pose[11])
    for k in range(3):
        if share(geo, i, t, k, x, y, z) < -INSIDE:
            return
    q, m = geo.vertex[geo.vertex_start[i] + geo.corner[geo.corner_start[t]]], geo.normal[t]
    gap = (x - q[0]) * m[0] + (y - q[1]) * m[1] + (z - q[2]) * m[2]
    h = 0.5 * gap
    add_point(wrk, p[0] - h * nx, p[1] - h * ny, p[2] - h * nz, gap, nx, ny, nz, name)


@routine
def put_widened(geo, wrk, i, t, depth):
    """Write a triangle as ``put_face``, wider where the surface turns inwards beyond an edge.

    The feet of a point as deep as ``depth`` behind such an edge are outside both triangles. Each
    corner is written twice, moved with the edge before it and with the edge after it.
    """
    put_face(geo, i, t, wrk.b, wrk.id_b)
    nx, ny, nz = turned_normal(geo, i, t)
    for k in range(3):
        ox, oy, oz = beyond_edge(geo, i, t, k)
        after = (k + 1) % 3
        p, q = wrk.b[k], wrk.b[after]
        ex, ey, ez = q[0] - p[0], q[1] - p[1], q[2] - p[2]
        sx, sy, sz = ny * oz - nz * oy, nz * ox - nx * oz, nx * oy - ny * ox
        length = math.sqrt(ex * ex + ey * ey + ez * ez)
        bend = max(0.0, -(sx * ex + sy * ey + sz * ez) / length)
        by = 4.0 * depth * bend / max(1.0 + nx * ox + ny * oy + nz * oz, 1.0) / length
        x, y, z = by * (ey * nz - ez * ny), by * (ez * nx - ex * nz), by * (ex * ny - ey * nx)
        a, b = 2 * k + 1, 2 * after
        wrk.a[a, 0], wrk.a[a, 1], wrk.a[a, 2] = p[0] + x, p[1] + y, p[2] + z
        wrk.a[b, 0], wrk.a[b, 1], wrk.a[b, 2] = q[0] + x, q[1] + y, q[2] + z
        wrk.id_a[a], wrk.id_a[b] = wrk.id_b[k], wrk.id_b[after] & ~FLAT_EDGE
    return 6


@routine
def from_triangle(geo, wrk, i, j, t, rows, n, k):
    """Collect the contacts of triangle t of mesh i with a convex shape j: answer k of n."""
    row, first = rows[k], wrk.counts[WorkCount.POINTS]
    nx, ny, nz = row[0], row[1], row[2]
    # A point that is removed must not replace one that other triangles share.
    wrk.counts[WorkCount.COMPARED_FROM] = first
    good, name = region(geo, i, t, row[3], row[4], row[5], nx, ny, nz)
    mx, my, mz = turned_normal(geo, i, t)
    if nx * nx + ny * ny + nz * nz < 0.5:  # touching exactly: Coal has no normal
        nx, ny, nz, good = mx, my, mz, True
    if not good or nx * mx + ny * my + nz * mz > ALIGNED:
        if row[9] < -SLACK * wrk.metre[0]:
            na = put_widened(geo, wrk, i, t, -row[9])
        else:
            na = put_face(geo, i, t, wrk.a, wrk.id_a)
        nb, _, _, _ = support(geo, j, -mx, -my, -mz, wrk.b, wrk.id_b)
        if nb > 1:
            clip(wrk, na, nb, mx, my, mz)
        elif not good:
            add_lowest(geo, wrk, i, t, mx, my, mz, name)
    else:
        nb, flat, axis, side = support(geo, j, -nx, -ny, -nz, wrk.b, wrk.id_b)
        if nb > 2 and flat:
            x, y, z = face_normal(geo, j, axis, side)
            na = put_face(geo, i, t, wrk.a, wrk.id_a)
            clip(wrk, na, nb, -x, -y, -z)
    drop_false(geo, wrk, first, i, j, rows, n, row[9])
    closest = wrk.margin[0]
    for m in range(first, wrk.counts[WorkCount.POINTS]):
        closest = min(closest, wrk.point[m, 3])
    # The best face need not contain the farthest vertex.
    deeper = closest - 1e-3 * abs(closest) - 1e-6 * wrk.metre[0]
    if good and (wrk.counts[WorkCount.POINTS] == first or row[9] < deeper):
        x, y, z = 0.5 * (row[3] + row[6]), 0.5 * (row[4] + row[7]), 0.5 * (row[5] + row[8])
        add_point(wrk, x, y, z, row[9], nx, ny, nz, name)
    merge(geo, wrk, i, j, first)
    wrk.counts[WorkCount.COMPARED_FROM] = 0
