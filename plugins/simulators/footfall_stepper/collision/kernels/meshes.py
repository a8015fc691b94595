"""Triangles of a mesh against a convex shape or another mesh, from Coal's answers."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, kernel, routine
from footfall_stepper.collision.kernels.arrays import ShapeKind, WorkCount
from footfall_stepper.collision.kernels.clip import clip
from footfall_stepper.collision.kernels.place import found, geometries, work
from footfall_stepper.collision.kernels.points import (
    CROSSINGS,
    NAMES_B,
    add_point,
    crossing,
    write_points,
)
from footfall_stepper.collision.kernels.spheres import turn_normals
from footfall_stepper.collision.kernels.supports import (
    ALIGNED,
    face_normal,
    local_direction,
    put_face,
    support,
    turned_normal,
)

ON = 1e-5
"""Barycentric coordinate of a triangle below which a point counts as lying on its edge."""
BEYOND = 1e-3
"""Sine of the angle by which a neighbour may rise above the contact plane."""

# A function first compiled for an inlined caller is inlined at all its callers. So the function
# that calls most of the others is a routine (compiles in 3 s instead of 16 s).


@inner
def share(geo, i, t, k, x, y, z):
    """Return the barycentric coordinate of a point (mesh frame) opposite to corner k's edge.

    That is the coordinate of corner k + 2; it is 0 on the edge from corner k to corner k + 1.
    """
    first, at = geo.vertex_start[i], geo.corner_start[t]
    p = geo.vertex[first + geo.corner[at + k]]
    q = geo.vertex[first + geo.corner[at + (k + 1) % 3]]
    r = geo.vertex[first + geo.corner[at + (k + 2) % 3]]
    n = geo.normal[t]
    ex, ey, ez = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    ix, iy, iz = n[1] * ez - n[2] * ey, n[2] * ex - n[0] * ez, n[0] * ey - n[1] * ex
    to = ix * (x - p[0]) + iy * (y - p[1]) + iz * (z - p[2])
    whole = ix * (r[0] - p[0]) + iy * (r[1] - p[1]) + iz * (r[2] - p[2])
    return to / whole


@inner
def rises(geo, i, vertex, x, y, z, nx, ny, nz):
    """Return whether a vertex lies above the plane through a point, all in the mesh frame."""
    at = geo.vertex_start[i] + vertex
    dx, dy, dz = geo.vertex[at, 0] - x, geo.vertex[at, 1] - y, geo.vertex[at, 2] - z
    above = dx * nx + dy * ny + dz * nz
    return above > 0.0 and above * above > BEYOND * BEYOND * (dx * dx + dy * dy + dz * dz)


@routine
def region(geo, i, t, px, py, pz, wx, wy, wz):
    """Return whether a mesh can have this normal at a point, and the point's name.

    At an edge or corner the normal must lie in its cone: no neighbour may rise above the contact
    plane. Otherwise a body sliding over an edge between level triangles would catch on it.

    Args:
        geo: the shapes.
        i: the mesh.
        t: its triangle.
        px: the point (3 numbers), world.
        py: its second coordinate.
        pz: its third.
        wx: the normal out of the mesh (3 numbers), world.
        wy: its second component.
        wz: its third.
    """
    pose, at = geo.pose[i], geo.corner_start[t]
    x, y, z = local_direction(pose, px - pose[9], py - pose[10], pz - pose[11])
    nx, ny, nz = local_direction(pose, wx, wy, wz)
    on, edge, corner = 0, 0, 0
    for k in range(3):
        if share(geo, i, t, k, x, y, z) < ON:
            on, edge, corner = on + 1, k, corner + k
    if on == 0:
        return nx * geo.normal[t, 0] + ny * geo.normal[t, 1] + nz * geo.normal[t, 2] > ALIGNED, (
            NAMES_B + t % NAMES_B
        )
    if on == 1:
        v0, v1 = geo.corner[at + edge], geo.corner[at + (edge + 1) % 3]
        good = not rises(geo, i, geo.corner[at + (edge + 2) % 3], x, y, z, nx, ny, nz)
        other = geo.beside[at + edge]
        if other >= 0:
            good = good and not rises(geo, i, other, x, y, z, nx, ny, nz)
        return good, crossing(v0, v1, 0, 0)
    # Edges k and k' meet in corner 1, 2, 0 for (0, 1), (1, 2), (0, 2).
    v = geo.corner[at + (1 if corner == 1 else (2 if corner == 3 else 0))]
    good, start = True, geo.vertex_start[i] + v
    for k in range(geo.fan_start[start], geo.fan_start[start + 1]):
        good = good and not rises(geo, i, geo.fan[k], x, y, z, nx, ny, nz)
    return good, v


@inner
def drop_deep(geo, wrk, first, j, nx, ny, nz):
    """Remove points deeper than half of shape j: the shape is on the other side of the sheet."""
    reach = 0.0
    for k in range(3):
        n = nx if k == 0 else (ny if k == 1 else nz)
        reach += abs(n) * (geo.bounds[j, 3 + k] - geo.bounds[j, k])
    kept = first
    for k in range(first, wrk.counts[WorkCount.POINTS]):
        if wrk.point[k, 3] >= -0.5 * reach:
            for m in range(7):
                wrk.point[kept, m] = wrk.point[k, m]
            wrk.feature[kept] = wrk.feature[k]
            kept += 1
    wrk.counts[WorkCount.POINTS] = min(kept, wrk.counts[WorkCount.POINTS])


@routine
def from_triangle(geo, wrk, i, j, t, row):
    """Collect the contacts of a triangle of mesh i with a convex shape j."""
    first, before, nx, ny, nz = (
        wrk.counts[WorkCount.POINTS],
        wrk.counts[WorkCount.WITHIN_MARGIN],
        row[0],
        row[1],
        row[2],
    )
    good, name = region(geo, i, t, row[3], row[4], row[5], nx, ny, nz)
    mx, my, mz = turned_normal(geo, i, t)
    if nx * nx + ny * ny + nz * nz < 0.5:  # touching exactly: Coal has no normal
        nx, ny, nz, good = mx, my, mz, True
    level = nx * mx + ny * my + nz * mz > ALIGNED
    if not good or level:
        nb, _, _, _ = support(geo, j, -mx, -my, -mz, wrk.b, wrk.id_b)
        if nb > 1:
            na = put_face(geo, i, t, wrk.a, wrk.id_a)
            clip(wrk, na, nb, mx, my, mz)
            drop_deep(geo, wrk, first, j, mx, my, mz)
        if not good:
            return
    else:
        nb, flat, axis, side = support(geo, j, -nx, -ny, -nz, wrk.b, wrk.id_b)
        if nb > 2 and flat:
            x, y, z = face_normal(geo, j, axis, side)
            na = put_face(geo, i, t, wrk.a, wrk.id_a)
            clip(wrk, na, nb, -x, -y, -z)
    if wrk.counts[WorkCount.WITHIN_MARGIN] == before:
        x, y, z = 0.5 * (row[3] + row[6]), 0.5 * (row[4] + row[7]), 0.5 * (row[5] + row[8])
        add_point(wrk, x, y, z, row[9], nx, ny, nz, name)


@routine
def clip_triangles(geo, wrk, i, j, s, t, nx, ny, nz):
    """Collect the overlap of two triangles seen along a normal, in addition to earlier points.

    Names are compared within this overlap only: a point on the other side, removed later, must not
    replace a point that other triangles share.
    """
    first = wrk.counts[WorkCount.POINTS]
    wrk.counts[WorkCount.COMPARED_FROM] = first
    na = put_face(geo, i, s, wrk.a, wrk.id_a)
    nb = put_face(geo, j, t, wrk.b, wrk.id_b)
    clip(wrk, na, nb, nx, ny, nz)
    drop_deep(geo, wrk, first, j, nx, ny, nz)
    wrk.counts[WorkCount.COMPARED_FROM] = 0


@inner
def merge(wrk, first):
    """Keep the closer of two points with the same name, from before ``first`` and since."""
    kept = first
    for k in range(first, wrk.counts[WorkCount.POINTS]):
        at = kept
        for m in range(first):
            if wrk.feature[m] == wrk.feature[k]:
                at = m
        if at == kept:
            kept += 1
        elif wrk.point[at, 3] <= wrk.point[k, 3]:
            continue
        wrk.feature[at] = wrk.feature[k]
        for m in range(7):
            wrk.point[at, m] = wrk.point[k, m]
    wrk.counts[WorkCount.POINTS] = min(kept, wrk.counts[WorkCount.POINTS])


@inner
def across(wrk, p, q, nx, ny, nz):
    """Return the part of the vector between two points perpendicular to a direction, (3,)."""
    x, y = wrk.point[p, 0] - wrk.point[q, 0], wrk.point[p, 1] - wrk.point[q, 1]
    z = wrk.point[p, 2] - wrk.point[q, 2]
    along = x * nx + y * ny + z * nz
    return x - along * nx, y - along * ny, z - along * nz


@inner
def narrowest(wrk, first, nx, ny, nz):
    """Return the approximate width of the points since ``first``, seen along a normal.

    0 if there are fewer than three. Points of a triangle seen edge-on are far apart along the
    normal, and have almost no width.
    """
    n = wrk.counts[WorkCount.POINTS]
    least = math.inf if n - first > 2 else 0.0
    for p in range(first, n):
        for q in range(first, p):
            dx, dy, dz = across(wrk, p, q, nx, ny, nz)
            widest = 0.0
            for r in range(first, n):
                ex, ey, ez = across(wrk, r, q, nx, ny, nz)
                cx, cy, cz = dy * ez - dz * ey, dz * ex - dx * ez, dx * ey - dy * ex
                widest = max(widest, cx * cx + cy * cy + cz * cz)
            least = min(least, widest / max(dx * dx + dy * dy + dz * dz, 1e-300))
    return math.sqrt(least)


@routine
def depth_along(geo, wrk, i, j, s, t, nx, ny, nz):
    """Return the overlap depth of two triangles along a normal, infinite if they do not overlap.

    A depth larger than the width of the overlap does not count: along another direction it is
    smaller. A single vertex may be as deep as a fortieth of mesh i's smallest length.
    """
    first = wrk.counts[WorkCount.POINTS]
    clip_triangles(geo, wrk, i, j, s, t, nx, ny, nz)
    gap = math.inf
    for k in range(first, wrk.counts[WorkCount.POINTS]):
        gap = min(gap, wrk.point[k, 3])
    allowed = narrowest(wrk, first, nx, ny, nz) + wrk.margin[0]
    if wrk.counts[WorkCount.POINTS] == first + 1 and wrk.feature[first] < CROSSINGS:
        allowed += 0.05 * min(geo.box[i, 3], geo.box[i, 4], geo.box[i, 5])
    wrk.counts[WorkCount.POINTS] = first
    return -gap if gap < math.inf and -gap <= allowed else math.inf


@routine
def from_triangles(geo, wrk, i, j, row):
    """Collect the contacts of a triangle of mesh i with one of mesh j.

    The normal is that of the triangle along which they overlap less. Coal only gives the triangles
    that are near each other: its normals of two flat shapes are unreliable. If they do not overlap
    but are apart, edge to edge, its answer is used.
    """
    s, t, first = int(row[10]), int(row[11]), wrk.counts[WorkCount.POINTS]
    ax, ay, az = turned_normal(geo, i, s)
    bx, by, bz = turned_normal(geo, j, t)
    depth_a = depth_along(geo, wrk, i, j, s, t, ax, ay, az)
    depth_b = depth_along(geo, wrk, i, j, s, t, -bx, -by, -bz)
    if depth_a <= depth_b and depth_a < math.inf:
        clip_triangles(geo, wrk, i, j, s, t, ax, ay, az)
        merge(wrk, first)
    elif depth_b < depth_a:
        clip_triangles(geo, wrk, i, j, s, t, -bx, -by, -bz)
        merge(wrk, first)
    elif row[9] > 0.0:
        nx, ny, nz = row[0], row[1], row[2]
        good_a, _ = region(geo, i, s, row[3], row[4], row[5], nx, ny, nz)
        good_b, _ = region(geo, j, t, row[6], row[7], row[8], -nx, -ny, -nz)
        if good_a and good_b:
            x, y, z = 0.5 * (row[3] + row[6]), 0.5 * (row[4] + row[7]), 0.5 * (row[5] + row[8])
            add_point(wrk, x, y, z, row[9], nx, ny, nz, crossing(s, s, t, t))


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
    for k in range(n):
        if geo.kind[other] == ShapeKind.MESH:
            s, t = geo.face_start[mesh] + int(rows[k, 10]), geo.face_start[other] + int(rows[k, 11])
            rows[k, 10], rows[k, 11] = s, t
            from_triangles(geo, wrk, mesh, other, rows[k])
        else:
            from_triangle(geo, wrk, mesh, other, geo.face_start[mesh] + int(rows[k, 10]), rows[k])
    if swapped:
        turn_normals(wrk)
        for k in range(wrk.counts[WorkCount.POINTS]):
            if wrk.feature[k] < CROSSINGS:
                wrk.feature[k] ^= NAMES_B
    write_points(geo, wrk, fnd, i, j)
