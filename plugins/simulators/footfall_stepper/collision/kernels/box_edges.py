"""Two boxes that meet with an edge or a corner."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, routine
from footfall_stepper.collision.kernels.arrays import WorkCount
from footfall_stepper.collision.kernels.points import NAMES_B, add_point, crossing
from footfall_stepper.collision.kernels.segments import closest_parameters
from footfall_stepper.collision.kernels.spheres import outside_box
from footfall_stepper.collision.kernels.supports import local_direction, put


@routine
def put_corner(geo, i, bits, out, k):
    """Write the corner of a box in the world; ``bits`` has one bit per axis."""
    size = geo.size[i]
    x = size[0] if bits & 1 else -size[0]
    y = size[1] if bits & 2 else -size[1]
    z = size[2] if bits & 4 else -size[2]
    put(geo.pose[i], x, y, z, out, k)


@inner
def far_edge(geo, i, axis, nx, ny, nz):
    """Return the corners of the edge along ``axis`` that is farthest in a direction."""
    x, y, z = local_direction(geo.pose[i], nx, ny, nz)
    bits = (1 if x > 0.0 else 0) + (2 if y > 0.0 else 0) + (4 if z > 0.0 else 0)
    low = bits & (7 - (1 << axis))
    return low, low | (1 << axis)


@routine
def edge_distance(geo, wrk, i, j, a0, a1, b0, b1):
    """Return the distance of two edges; writes the closest points and their middle.

    ``wrk.matrix`` rows 4, 5 and 6: the middle, and the points on a and on b.
    """
    m = wrk.matrix
    put_corner(geo, i, a0, m, 0)
    put_corner(geo, i, a1, m, 1)
    put_corner(geo, j, b0, m, 2)
    put_corner(geo, j, b1, m, 3)
    x, y, z = m[2, 0] - m[0, 0], m[2, 1] - m[0, 1], m[2, 2] - m[0, 2]
    a, b, c = m[1, 0] - m[0, 0], m[1, 1] - m[0, 1], m[1, 2] - m[0, 2]
    d, e, f = m[3, 0] - m[2, 0], m[3, 1] - m[2, 1], m[3, 2] - m[2, 2]
    s, t = closest_parameters(x, y, z, a, b, c, d, e, f)
    square = 0.0
    for k in range(3):
        m[5, k] = m[0, k] + s * (m[1, k] - m[0, k])
        m[6, k] = m[2, k] + t * (m[3, k] - m[2, k])
        m[4, k] = 0.5 * (m[5, k] + m[6, k])
        square += (m[6, k] - m[5, k]) * (m[6, k] - m[5, k])
    return math.sqrt(square)


@routine
def edge_contact(geo, wrk, i, j, edges, separation):
    """Collect the contact of the two edges with the best separating common normal.

    Returns:
        Whether the closest points lie within the edges (always, if the boxes penetrate).
    """
    a, b, m = geo.pose[i], geo.pose[j], wrk.matrix
    p, q = edges // 3, edges % 3
    nx = a[3 * p + 1] * b[3 * q + 2] - a[3 * p + 2] * b[3 * q + 1]
    ny = a[3 * p + 2] * b[3 * q] - a[3 * p] * b[3 * q + 2]
    nz = a[3 * p] * b[3 * q + 1] - a[3 * p + 1] * b[3 * q]
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if nx * (b[9] - a[9]) + ny * (b[10] - a[10]) + nz * (b[11] - a[11]) < 0.0:
        size = -size
    nx, ny, nz = nx / size, ny / size, nz / size
    a0, a1 = far_edge(geo, i, p, nx, ny, nz)
    b0, b1 = far_edge(geo, j, q, -nx, -ny, -nz)
    d = edge_distance(geo, wrk, i, j, a0, a1, b0, b1)
    if separation > 0.0 and abs(d - separation) > 1e-9 * (wrk.metre[0] + separation):
        return False
    name = crossing(a0, a1, b0, b1)
    add_point(wrk, m[4, 0], m[4, 1], m[4, 2], separation, nx, ny, nz, name)
    return True


@routine
def keep_closest(wrk, x, y, z, gap, nx, ny, nz, feature):
    """Keep a point as the only one if it is closer than the present one."""
    if wrk.counts[WorkCount.POINTS] == 0 or gap < wrk.point[0, 3]:
        wrk.counts[WorkCount.POINTS] = 0
        add_point(wrk, x, y, z, gap, nx, ny, nz, feature)


@inner
def corners_to_box(geo, wrk, i, j, side):
    """Compare the distances of the corners of box i to box j; ``side`` is 1 if i comes first."""
    pose, m = geo.pose[j], wrk.matrix
    for bits in range(8):
        put_corner(geo, i, bits, m, 0)
        dx, dy, dz = m[0, 0] - pose[9], m[0, 1] - pose[10], m[0, 2] - pose[11]
        x, y, z = local_direction(pose, dx, dy, dz)
        d, gx, gy, gz = outside_box(geo.size[j], x, y, z)
        nx = pose[0] * gx + pose[3] * gy + pose[6] * gz
        ny = pose[1] * gx + pose[4] * gy + pose[7] * gz
        nz = pose[2] * gx + pose[5] * gy + pose[8] * gz
        x, y, z = m[0, 0] - 0.5 * d * nx, m[0, 1] - 0.5 * d * ny, m[0, 2] - 0.5 * d * nz
        name = bits if side > 0.0 else NAMES_B + bits
        keep_closest(wrk, x, y, z, d, -side * nx, -side * ny, -side * nz, name)


@routine
def box_edges(geo, wrk, i, j):
    """Collect the closest points of two separate boxes: all corners and edges are compared."""
    corners_to_box(geo, wrk, i, j, 1.0)
    corners_to_box(geo, wrk, j, i, -1.0)
    m, least = wrk.matrix, 1e-12 * wrk.metre[0]
    for first in range(12):
        axis = first // 4
        a0 = edge_start(axis, first % 4)
        for second in range(12):
            other = second // 4
            b0 = edge_start(other, second % 4)
            a1, b1 = a0 | (1 << axis), b0 | (1 << other)
            d = edge_distance(geo, wrk, i, j, a0, a1, b0, b1)
            if d > least and (wrk.counts[WorkCount.POINTS] == 0 or d < wrk.point[0, 3] - least):
                nx, ny, nz = (
                    (m[6, 0] - m[5, 0]) / d,
                    (m[6, 1] - m[5, 1]) / d,
                    (m[6, 2] - m[5, 2]) / d,
                )
                name = crossing(a0, a1, b0, b1)
                keep_closest(wrk, m[4, 0], m[4, 1], m[4, 2], d, nx, ny, nz, name)


@inner
def edge_start(axis, number):
    """Return the first corner of one of the four edges along an axis."""
    one, two = (axis + 1) % 3, (axis + 2) % 3
    return ((number & 1) << one) | ((number >> 1) << two)
