"""A triangle of a mesh against one of another mesh: corners on faces, and edges that cross."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, routine
from footfall_stepper.collision.kernels.arrays import (
    FLAT_CORNER,
    FLAT_EDGE,
    VERTEX,
    WorkCount,
)
from footfall_stepper.collision.kernels.clip import INSIDE
from footfall_stepper.collision.kernels.meshes.surface import (
    EXACT,
    SLACK,
    behind,
    beyond_edge,
    merge,
    nearer,
    region,
    share,
)
from footfall_stepper.collision.kernels.points import NAMES_B, add_point, crossing
from footfall_stepper.collision.kernels.supports import (
    ACROSS,
    local_direction,
    put_face,
    turned_normal,
)

FACING = -0.1
"""Cosine between the normals of two triangles below which they can approach each other."""
STEEP = 0.5
"""Sine of the slope from which the deeper end of an edge touches, not the higher one."""
OPPOSITE = -0.5
"""Cosine below which they are taken as two faces that lie on each other."""


@inner
def overhang(one, name, two, nx, ny, nz):
    """Return how far triangle two reaches in over the edges of one, seen along a normal, [m].

    That is how far it has to move sideways to be free. Edges between level triangles are none.
    """
    least = math.inf
    for k in range(3):
        if name[k] & FLAT_EDGE:
            continue
        p, q, r = one[k], one[(k + 1) % 3], one[(k + 2) % 3]
        ex, ey, ez = q[0] - p[0], q[1] - p[1], q[2] - p[2]
        ox, oy, oz = ey * nz - ez * ny, ez * nx - ex * nz, ex * ny - ey * nx
        size = math.sqrt(ox * ox + oy * oy + oz * oz)
        if ox * (r[0] - p[0]) + oy * (r[1] - p[1]) + oz * (r[2] - p[2]) > 0.0:
            ox, oy, oz = -ox, -oy, -oz
        deepest = 0.0
        for m in range(3):
            x, y, z = two[m, 0] - p[0], two[m, 1] - p[1], two[m, 2] - p[2]
            deepest = max(deepest, -(ox * x + oy * y + oz * z))
        least = min(least, deepest / max(size, 1e-300))
    return least


@inner
def sinks(geo, j, vertex, nx, ny, nz):
    """Return whether a neighbour of a vertex is far deeper against a normal, in the mesh frame."""
    first = geo.vertex_start[j]
    p, deeper = geo.vertex[first + vertex], False
    for k in range(geo.fan_start[first + vertex], geo.fan_start[first + vertex + 1]):
        q = geo.vertex[first + geo.fan[k]]
        x, y, z = p[0] - q[0], p[1] - q[1], p[2] - q[2]
        along = x * nx + y * ny + z * nz
        deeper = deeper or (along > 0.0 and along * along > STEEP * STEEP * (x * x + y * y + z * z))
    return deeper


@inner
def around(geo, i, p):
    """Return whether a point (world) is in the bounding box of a shape."""
    good = True
    for k in range(3):
        good = good and geo.bounds[i, k] <= p[k] <= geo.bounds[i, 3 + k]
    return good


@routine
def corners_on_face(geo, wrk, i, j, s, t, rows, n, column, sign):
    """Collect the corners of triangle t of mesh j that are on, or below, triangle s of mesh i.

    A corner may be as deep as it is away from the whole surface, or, where faces lie on each other,
    as far as they overlap sideways: corners in a common plane of two solids are at no distance.
    A corner with a deeper one beside it does not touch.
    ``sign`` is -1 if j is the first shape of the pair.
    """
    nx, ny, nz = turned_normal(geo, i, s)
    tx, ty, tz = turned_normal(geo, j, t)
    facing = nx * tx + ny * ty + nz * tz
    pose, base = geo.pose[i], NAMES_B if sign > 0.0 else 0
    mx, my, mz = local_direction(geo.pose[j], nx, ny, nz)
    put_face(geo, i, s, wrk.a, wrk.id_a)
    put_face(geo, j, t, wrk.b, wrk.id_b)
    for k in range(3):
        p, q = wrk.b[k], wrk.a[0]
        gap = nx * (p[0] - q[0]) + ny * (p[1] - q[1]) + nz * (p[2] - q[2])
        if (
            gap > wrk.margin[0]
            or wrk.id_b[k] & FLAT_CORNER
            or (gap > -SLACK * wrk.metre[0] and facing > FACING)
            or (gap < 0.0 and not around(geo, i, p))
        ):
            continue
        if sinks(geo, j, wrk.id_b[k] & VERTEX, mx, my, mz):
            continue
        x, y, z = local_direction(pose, p[0] - pose[9], p[1] - pose[10], p[2] - pose[11])
        inside = True
        for m in range(3):
            inside = inside and share(geo, i, s, m, x, y, z) >= -INSIDE
        if not inside and not behind(geo, wrk, i, s, rows, n, column, p[0], p[1], p[2], gap):
            continue
        if (
            inside
            and -gap > SLACK * wrk.metre[0]
            and nearer(geo, i, rows, n, column, p[0], p[1], p[2], -(1.0 - EXACT) * gap)
        ):
            if facing > OPPOSITE:
                continue
            wide = min(
                overhang(wrk.a, wrk.id_a, wrk.b, nx, ny, nz),
                overhang(wrk.b, wrk.id_b, wrk.a, nx, ny, nz),
            )
            if -gap > (1.0 + EXACT) * wide:
                continue
        h, name = 0.5 * gap, base + (wrk.id_b[k] & VERTEX)
        x, y, z = p[0] - h * nx, p[1] - h * ny, p[2] - h * nz
        add_point(wrk, x, y, z, gap, sign * nx, sign * ny, sign * nz, name)


@inner
def chord_depth(segment, k, at, nx, ny, nz, mx, my, mz):
    """Return the least depth, over two planes through a point, of what of an edge is below both."""
    p, q = segment[k], segment[(k + 1) % 3]
    a0 = nx * (p[0] - at[0]) + ny * (p[1] - at[1]) + nz * (p[2] - at[2])
    a1 = nx * (q[0] - at[0]) + ny * (q[1] - at[1]) + nz * (q[2] - at[2])
    b0 = mx * (p[0] - at[0]) + my * (p[1] - at[1]) + mz * (p[2] - at[2])
    b1 = mx * (q[0] - at[0]) + my * (q[1] - at[1]) + mz * (q[2] - at[2])
    low, high = 0.0, 1.0
    if a0 > 0.0:
        low = a0 / (a0 - a1) if a1 < 0.0 else 1.0
    elif a1 > 0.0:
        high = a0 / (a0 - a1)
    if b0 > 0.0:
        low = max(low, b0 / (b0 - b1) if b1 < 0.0 else 1.0)
    elif b1 > 0.0:
        high = min(high, b0 / (b0 - b1))
    if low >= high:
        return 0.0
    a = max(-a0 - low * (a1 - a0), -a0 - high * (a1 - a0))
    b = max(-b0 - low * (b1 - b0), -b0 - high * (b1 - b0))
    return min(a, b)


@routine
def edges_crossing(geo, wrk, i, j, s, t, k, m):
    """Collect the crossing of edge k of triangle s of mesh i with edge m of t of mesh j.

    The normal is perpendicular to both, and in the cones of both meshes. Another way out is longer:
    that sideways until the edges cross no more (at an angle phi, sin(phi) times that to their
    ends), or else that of what of either edge is below the faces beside the other one.
    """
    p, q = wrk.a[k], wrk.b[m]
    p1, q1 = wrk.a[(k + 1) % 3], wrk.b[(m + 1) % 3]
    ex, ey, ez = p1[0] - p[0], p1[1] - p[1], p1[2] - p[2]
    fx, fy, fz = q1[0] - q[0], q1[1] - q[1], q1[2] - q[2]
    nx, ny, nz = ey * fz - ez * fy, ez * fx - ex * fz, ex * fy - ey * fx
    square = nx * nx + ny * ny + nz * nz
    lengths = (ex * ex + ey * ey + ez * ez) * (fx * fx + fy * fy + fz * fz)
    if square <= ACROSS * ACROSS * lengths:
        return
    rx, ry, rz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    u = (ry * fz - rz * fy) * nx + (rz * fx - rx * fz) * ny + (rx * fy - ry * fx) * nz
    w = (ry * ez - rz * ey) * nx + (rz * ex - rx * ez) * ny + (rx * ey - ry * ex) * nz
    u, w = u / square, w / square
    if min(u, w) < INSIDE or max(u, w) > 1.0 - INSIDE:
        return
    sx, sy, sz = turned_normal(geo, i, s)
    size = math.sqrt(square)
    if nx * sx + ny * sy + nz * sz < 0.0:
        size = -size
    nx, ny, nz = nx / size, ny / size, nz / size
    gap = rx * nx + ry * ny + rz * nz
    if gap > wrk.margin[0]:
        return
    if gap < -SLACK * wrk.metre[0]:
        aside = min(u, 1.0 - u) * math.sqrt(ex * ex + ey * ey + ez * ez)
        aside = min(aside, min(w, 1.0 - w) * math.sqrt(fx * fx + fy * fy + fz * fz))
        tx, ty, tz = turned_normal(geo, j, t)
        ox, oy, oz = beyond_edge(geo, j, t, m)
        depth = chord_depth(wrk.a, k, q, tx, ty, tz, ox, oy, oz)
        ox, oy, oz = beyond_edge(geo, i, s, k)
        depth = min(depth, chord_depth(wrk.b, m, p, sx, sy, sz, ox, oy, oz))
        if -gap > (1.0 + EXACT) * max(depth, aside * math.sqrt(square / lengths)):
            return
    x, y, z = p[0] + u * ex, p[1] + u * ey, p[2] + u * ez
    good, _ = region(geo, i, s, x, y, z, nx, ny, nz)
    if good:
        good, _ = region(geo, j, t, q[0] + w * fx, q[1] + w * fy, q[2] + w * fz, -nx, -ny, -nz)
    if good:
        a, b = wrk.id_a, wrk.id_b
        h, k1, m1 = 0.5 * gap, (k + 1) % 3, (m + 1) % 3
        name = crossing(a[k] & VERTEX, a[k1] & VERTEX, b[m] & VERTEX, b[m1] & VERTEX)
        add_point(wrk, x + h * nx, y + h * ny, z + h * nz, gap, nx, ny, nz, name)


@routine
def from_triangles(geo, wrk, i, j, s, t, rows, n):
    """Collect the contacts of triangle s of mesh i with triangle t of mesh j."""
    first = wrk.counts[WorkCount.POINTS]
    wrk.counts[WorkCount.COMPARED_FROM] = first
    corners_on_face(geo, wrk, i, j, s, t, rows, n, 10, 1.0)
    corners_on_face(geo, wrk, j, i, t, s, rows, n, 11, -1.0)
    put_face(geo, i, s, wrk.a, wrk.id_a)
    put_face(geo, j, t, wrk.b, wrk.id_b)
    for k in range(3):
        for m in range(3):
            if not (wrk.id_a[k] | wrk.id_b[m]) & FLAT_EDGE:
                edges_crossing(geo, wrk, i, j, s, t, k, m)
    merge(geo, wrk, i, j, first)
    wrk.counts[WorkCount.COMPARED_FROM] = 0
