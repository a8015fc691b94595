"""The surface of a mesh: normal cones, nearest points, whether it is a solid around a shape."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, routine
from footfall_stepper.collision.kernels.arrays import ShapeKind, WorkCount
from footfall_stepper.collision.kernels.points import (
    CLOSEST,
    CROSSINGS,
    NAMES_B,
    add_point,
    crossing,
)
from footfall_stepper.collision.kernels.supports import (
    ALIGNED,
    local_direction,
    put,
    support,
    turned_normal,
)

ON = 1e-5
"""Barycentric coordinate of a triangle below which a point counts as lying on its edge."""
BEYOND = 1e-3
"""Sine of the angle by which a neighbour may rise above the contact plane."""
EXACT = 0.01
"""Relative error of a depth: a contact may be deeper than the overlap by so much."""
SLACK = 1e-7
"""Absolute error of a depth, that of Coal's answers, [m]."""
ALIKE = 0.9
"""Cosine of the angle (26 degrees) within which two normals at one vertex are one contact."""
PLACE = 1e-5
"""Distance of two points that are one, relative to the smaller shape."""

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
def beyond_edge(geo, i, t, k):
    """Return the normal of the triangle beyond edge k of a triangle, world; its own if none."""
    first, at = geo.vertex_start[i], geo.corner_start[t]
    other = geo.beside[at + k]
    nx, ny, nz = turned_normal(geo, i, t)
    if other < 0:
        return nx, ny, nz
    p, q = geo.vertex[first + geo.corner[at + k]], geo.vertex[first + geo.corner[at + (k + 1) % 3]]
    r, pose = geo.vertex[first + other], geo.pose[i]
    ex, ey, ez = p[0] - q[0], p[1] - q[1], p[2] - q[2]
    fx, fy, fz = r[0] - q[0], r[1] - q[1], r[2] - q[2]
    x, y, z = ey * fz - ez * fy, ez * fx - ex * fz, ex * fy - ey * fx
    size = math.sqrt(x * x + y * y + z * z)
    return (
        (pose[0] * x + pose[3] * y + pose[6] * z) / size,
        (pose[1] * x + pose[4] * y + pose[7] * z) / size,
        (pose[2] * x + pose[5] * y + pose[8] * z) / size,
    )


@routine
def nearest_on(geo, i, t, x, y, z):
    """Return the point of a triangle nearest to another and the square of the distance.

    If the foot in the triangle's plane is outside, the nearest point is on an edge that it is
    outside of. All in the mesh frame.
    """
    first, at, n = geo.vertex_start[i], geo.corner_start[t], geo.normal[t]
    best, qx, qy, qz = math.inf, 0.0, 0.0, 0.0
    inside, above = True, 0.0
    for k in range(3):
        p = geo.vertex[first + geo.corner[at + k]]
        q = geo.vertex[first + geo.corner[at + (k + 1) % 3]]
        ex, ey, ez = q[0] - p[0], q[1] - p[1], q[2] - p[2]
        wx, wy, wz = x - p[0], y - p[1], z - p[2]
        above = wx * n[0] + wy * n[1] + wz * n[2]
        ix, iy, iz = n[1] * ez - n[2] * ey, n[2] * ex - n[0] * ez, n[0] * ey - n[1] * ex
        if ix * wx + iy * wy + iz * wz < 0.0:
            inside = False
            along = (wx * ex + wy * ey + wz * ez) / (ex * ex + ey * ey + ez * ez)
            along = min(1.0, max(0.0, along))
            dx, dy, dz = wx - along * ex, wy - along * ey, wz - along * ez
            square = dx * dx + dy * dy + dz * dz
            if square < best:
                best, qx, qy, qz = square, x - dx, y - dy, z - dz
    if inside:
        return above * above, x - above * n[0], y - above * n[1], z - above * n[2]
    return best, qx, qy, qz


@routine
def nearer(geo, i, rows, n, column, px, py, pz, limit):
    """Return whether one of the triangles in the rows is nearer to a point (world) than a limit."""
    pose, last = geo.pose[i], -1
    x, y, z = local_direction(pose, px - pose[9], py - pose[10], pz - pose[11])
    for k in range(n):
        t = int(rows[k, column])
        if t == last:
            continue
        last = t
        p, m = geo.vertex[geo.vertex_start[i] + geo.corner[geo.corner_start[t]]], geo.normal[t]
        above = (x - p[0]) * m[0] + (y - p[1]) * m[1] + (z - p[2]) * m[2]
        if abs(above) < limit:
            square, _, _, _ = nearest_on(geo, i, t, x, y, z)
            if square < limit * limit:
                return True
    return False


@routine
def behind(geo, wrk, i, t, rows, n, column, px, py, pz, gap):
    """Return whether a point (world) is below a triangle and nearer to no other.

    Its foot may be outside, by half the depth: behind an edge in which the surface turns inwards
    the feet on both triangles are.
    """
    if gap >= -SLACK * wrk.metre[0]:
        return False
    pose = geo.pose[i]
    x, y, z = local_direction(pose, px - pose[9], py - pose[10], pz - pose[11])
    square, _, _, _ = nearest_on(geo, i, t, x, y, z)
    if square > 1.25 * gap * gap:
        return False
    return not nearer(geo, i, rows, n, column, px, py, pz, (EXACT - 1.0) * gap)


@inner
def size_of(geo, i):
    """Return the shortest side of a shape's bounding box, [m]."""
    least = math.inf
    for k in range(3):
        least = min(least, geo.bounds[i, 3 + k] - geo.bounds[i, k])
    return least


@routine
def merge(geo, wrk, i, j, first):
    """Keep the closer of two points with the same name or place, of before ``first`` and since.

    A vertex in the corner between two faces is two contacts: normals differ, and the second has a
    name of its own.
    """
    kept, near = first, PLACE * min(size_of(geo, i), size_of(geo, j))
    for k in range(first, wrk.counts[WorkCount.POINTS]):
        at, m, new, feature = kept, 0, wrk.point[k], wrk.feature[k]
        while m < kept:
            old = wrk.point[m]
            alike = old[4] * new[4] + old[5] * new[5] + old[6] * new[6] > ALIKE
            dx, dy, dz = old[0] - new[0], old[1] - new[1], old[2] - new[2]
            same = wrk.feature[m] == feature
            if alike and (same or dx * dx + dy * dy + dz * dz < near * near):
                at, feature = m, min(feature, wrk.feature[m])
                break
            if same:
                feature = CROSSINGS + ((feature * 0x9E3779B1 + 1) & (CROSSINGS - 1))
                m = 0
            else:
                m += 1
        if at == kept:
            kept += 1
        elif wrk.point[at, 3] <= new[3]:
            wrk.feature[at] = feature
            continue
        wrk.feature[at] = feature
        for m in range(7):
            wrk.point[at, m] = new[m]
    wrk.counts[WorkCount.POINTS] = min(kept, wrk.counts[WorkCount.POINTS])


@inner
def within(geo, i, j):
    """Return whether the bounding box of shape j is inside that of shape i."""
    good = True
    for k in range(3):
        good = good and geo.bounds[i, k] <= geo.bounds[j, k]
        good = good and geo.bounds[j, 3 + k] <= geo.bounds[i, 3 + k]
    return good


@inner
def point_in(geo, j):
    """Return a point of a shape, world: its centre, or a vertex of a mesh."""
    pose, x, y, z = geo.pose[j], 0.0, 0.0, 0.0
    first, end = geo.vertex_start[j], geo.vertex_start[j + 1]
    if geo.kind[j] == ShapeKind.MESH:
        end = first + 1
    for k in range(first, end):
        x += geo.vertex[k, 0] / (end - first)
        y += geo.vertex[k, 1] / (end - first)
        z += geo.vertex[k, 2] / (end - first)
    return (
        pose[9] + pose[0] * x + pose[3] * y + pose[6] * z,
        pose[10] + pose[1] * x + pose[4] * y + pose[7] * z,
        pose[11] + pose[2] * x + pose[5] * y + pose[8] * z,
    )


@inner
def lowest(geo, wrk, j, nx, ny, nz):
    """Write the part of shape j farthest against a direction to ``wrk.b``; return its corners."""
    if geo.kind[j] != ShapeKind.MESH:
        n, _, _, _ = support(geo, j, -nx, -ny, -nz, wrk.b, wrk.id_b)
        return n
    x, y, z = local_direction(geo.pose[j], nx, ny, nz)
    best, at = math.inf, geo.vertex_start[j]
    for k in range(geo.vertex_start[j], geo.vertex_start[j + 1]):
        height = geo.vertex[k, 0] * x + geo.vertex[k, 1] * y + geo.vertex[k, 2] * z
        if height < best:
            best, at = height, k
    put(geo.pose[j], geo.vertex[at, 0], geo.vertex[at, 1], geo.vertex[at, 2], wrk.b, 0)
    return 1


@routine
def nearest(geo, i, rows, n, column, x, y, z):
    """Return square and vector of the way to the nearest of n triangles, all if -1, and a height.

    The height is above the plane of the triangle: of those that are equally near, the one that the
    way is most normal to tells inside from outside. All in the mesh frame.
    """
    best, steepest, nx, ny, nz = math.inf, 0.0, 0.0, 0.0, 0.0
    for k in range(geo.face_start[i + 1] - geo.face_start[i] if n < 0 else n):
        t = geo.face_start[i] + k if n < 0 else int(rows[k, column])
        p, m = geo.vertex[geo.vertex_start[i] + geo.corner[geo.corner_start[t]]], geo.normal[t]
        above = (x - p[0]) * m[0] + (y - p[1]) * m[1] + (z - p[2]) * m[2]
        if above * above > best * (1.0 + 1e-9):
            continue
        square, qx, qy, qz = nearest_on(geo, i, t, x, y, z)
        if square < best * (1.0 - 1e-9) or (
            square <= best * (1.0 + 1e-9) and abs(above) > abs(steepest)
        ):
            best, steepest, nx, ny, nz = square, above, qx - x, qy - y, qz - z
    return best, nx, ny, nz, steepest


@routine
def push_out(geo, wrk, i, j, rows, sign):
    """Collect one contact if shape j is inside closed mesh i: the nearest way out of its centre.

    All triangles are looked at, as none is near. ``sign`` is -1 if j is the first shape.
    """
    px, py, pz = point_in(geo, j)
    pose = geo.pose[i]
    x, y, z = local_direction(pose, px - pose[9], py - pose[10], pz - pose[11])
    best, nx, ny, nz, steepest = nearest(geo, i, rows, -1, 0, x, y, z)
    if steepest >= 0.0 or best <= 0.0:
        return
    out = math.sqrt(best)
    nx, ny, nz = nx / out, ny / out, nz / out
    nx, ny, nz = (
        pose[0] * nx + pose[3] * ny + pose[6] * nz,
        pose[1] * nx + pose[4] * ny + pose[7] * nz,
        pose[2] * nx + pose[5] * ny + pose[8] * nz,
    )
    n, low = lowest(geo, wrk, j, nx, ny, nz), math.inf
    for k in range(n):
        low = min(low, nx * wrk.b[k, 0] + ny * wrk.b[k, 1] + nz * wrk.b[k, 2])
    x, y, z, count = 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        if nx * wrk.b[k, 0] + ny * wrk.b[k, 1] + nz * wrk.b[k, 2] <= low + PLACE * out:
            count += 1.0
            x, y, z = (
                x + (wrk.b[k, 0] - x) / count,
                y + (wrk.b[k, 1] - y) / count,
                z + (wrk.b[k, 2] - z) / count,
            )
    gap = low - nx * px - ny * py - nz * pz - out
    x, y, z = x - 0.5 * gap * nx, y - 0.5 * gap * ny, z - 0.5 * gap * nz
    add_point(wrk, x, y, z, gap, sign * nx, sign * ny, sign * nz, CLOSEST)
