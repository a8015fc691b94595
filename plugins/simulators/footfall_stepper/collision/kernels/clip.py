"""The manifold of two support polygons: the overlap of their projections along the normal."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, routine
from footfall_stepper.collision.kernels.arrays import FLAT_CORNER, FLAT_EDGE, VERTEX, WorkCount
from footfall_stepper.collision.kernels.points import NAMES_B, add_point, crossing
from footfall_stepper.collision.kernels.supports import ACROSS

INSIDE = 1e-4
"""Distance outside an edge at which a corner still counts as inside, relative to the polygon's
size: corners of boxes that lie exactly on top of each other keep their names."""


@inner
def flatten(polygon, n, frame):
    """Replace world coordinates by two in the contact plane and the height."""
    for k in range(n):
        x, y = polygon[k, 0] - frame[3, 0], polygon[k, 1] - frame[3, 1]
        z = polygon[k, 2] - frame[3, 2]
        for m in range(3):
            polygon[k, m] = frame[m, 0] * x + frame[m, 1] * y + frame[m, 2] * z


@inner
def signed_area(polygon, n):
    """Return twice the area, negative if the corners run clockwise."""
    total = 0.0
    for k in range(n):
        m = k + 1 if k + 1 < n else 0
        total += polygon[k, 0] * polygon[m, 1] - polygon[m, 0] * polygon[k, 1]
    return total


@inner
def length_of(polygon):
    """Return the length of a segment's projection."""
    u, w = polygon[1, 0] - polygon[0, 0], polygon[1, 1] - polygon[0, 1]
    return math.sqrt(u * u + w * w)


@routine
def holds(polygon, n, turn, u, w, tolerance):
    """Return whether a point is in a convex polygon or at most ``tolerance`` outside an edge."""
    for k in range(n):
        m = k + 1 if k + 1 < n else 0
        eu, ew = polygon[m, 0] - polygon[k, 0], polygon[m, 1] - polygon[k, 1]
        side = turn * (eu * (w - polygon[k, 1]) - ew * (u - polygon[k, 0]))
        if side < 0.0 and side * side > tolerance * tolerance * (eu * eu + ew * ew):
            return False
    return True


@inner
def slope(polygon, n):
    """Return the gradient of height of a polygon's plane, and whether it has one."""
    i, j = n // 3, (2 * n) // 3
    u1, w1 = polygon[i, 0] - polygon[0, 0], polygon[i, 1] - polygon[0, 1]
    u2, w2 = polygon[j, 0] - polygon[0, 0], polygon[j, 1] - polygon[0, 1]
    h1, h2 = polygon[i, 2] - polygon[0, 2], polygon[j, 2] - polygon[0, 2]
    det = u1 * w2 - u2 * w1
    if abs(det) <= 1e-6 * (h1 * h1 + h2 * h2 + u1 * u1 + w1 * w1 + u2 * u2 + w2 * w2):
        return 0.0, 0.0, False
    return (h1 * w2 - h2 * w1) / det, (u1 * h2 - u2 * h1) / det, True


@routine
def far_from_all(wrk, first, u, w, tolerance):
    """Return whether a position in the plane differs from all points collected since ``first``."""
    f = wrk.matrix
    for k in range(first, wrk.counts[WorkCount.POINTS]):
        x, y, z = wrk.point[k, 0] - f[3, 0], wrk.point[k, 1] - f[3, 1], wrk.point[k, 2] - f[3, 2]
        du = f[0, 0] * x + f[0, 1] * y + f[0, 2] * z - u
        dw = f[1, 0] * x + f[1, 1] * y + f[1, 2] * z - w
        if du * du + dw * dw <= tolerance * tolerance:
            return False
    return True


@routine
def note(wrk, u, w, height_a, height_b, feature):
    """Collect a point of the contact plane: mean height, gap from a up to b."""
    f, h = wrk.matrix, 0.5 * (height_a + height_b)
    add_point(
        wrk,
        f[3, 0] + f[0, 0] * u + f[1, 0] * w + f[2, 0] * h,
        f[3, 1] + f[0, 1] * u + f[1, 1] * w + f[2, 1] * h,
        f[3, 2] + f[0, 2] * u + f[1, 2] * w + f[2, 2] * h,
        height_b - height_a,
        f[2, 0],
        f[2, 1],
        f[2, 2],
        feature,
    )


@routine
def corners_inside(wrk, first, polygon, n, name, base, other, m, turn, tolerance):
    """Collect the corners of one polygon that lie in the other's projection.

    Corners inside a flat face of several triangles are none of the face's, nor are crossings of
    edges inside it.
    """
    gu, gw, flat = slope(other, m)
    if not flat:
        return
    for k in range(n):
        if name[k] & FLAT_CORNER:
            continue
        u, w, h = polygon[k, 0], polygon[k, 1], polygon[k, 2]
        if holds(other, m, turn, u, w, tolerance) and far_from_all(wrk, first, u, w, tolerance):
            there = other[0, 2] + gu * (u - other[0, 0]) + gw * (w - other[0, 1])
            if base == 0:
                note(wrk, u, w, h, there, name[k])
            else:
                note(wrk, u, w, there, h, base + name[k])


@routine
def edges_crossing(wrk, first, na, nb, tolerance):
    """Collect the crossings of the polygons' edges, except at corners collected before."""
    a, b = wrk.a, wrk.b
    for k in range(na if na > 2 else 1):
        k1 = k + 1 if k + 1 < na else 0
        au, aw = a[k1, 0] - a[k, 0], a[k1, 1] - a[k, 1]
        for m in range(nb if nb > 2 else 1):
            if (wrk.id_a[k] | wrk.id_b[m]) & FLAT_EDGE:
                continue
            m1 = m + 1 if m + 1 < nb else 0
            bu, bw = b[m1, 0] - b[m, 0], b[m1, 1] - b[m, 1]
            cross = au * bw - aw * bu
            # The shorter of two such edges lies along the other: its ends are corners inside.
            longest = max(au * au + aw * aw, bu * bu + bw * bw)
            if cross * cross <= tolerance * tolerance * longest:
                continue
            du, dw = b[m, 0] - a[k, 0], b[m, 1] - a[k, 1]
            s, t = (du * bw - dw * bu) / cross, (du * aw - dw * au) / cross
            if s < 0.0 or s > 1.0 or t < 0.0 or t > 1.0:
                continue
            u, w = a[k, 0] + s * au, a[k, 1] + s * aw
            if far_from_all(wrk, first, u, w, tolerance):
                ha = a[k, 2] + s * (a[k1, 2] - a[k, 2])
                hb = b[m, 2] + t * (b[m1, 2] - b[m, 2])
                p, q, name, other = wrk.id_a[k], wrk.id_a[k1], wrk.id_b[m], wrk.id_b[m1]
                feature = crossing(p & VERTEX, q & VERTEX, name & VERTEX, other & VERTEX)
                note(wrk, u, w, ha, hb, feature)


@routine
def segment_ends(wrk, one, two, name, base, tolerance):
    """Collect the ends of a segment that lie beside another, nearly parallel one."""
    eu, ew = two[1, 0] - two[0, 0], two[1, 1] - two[0, 1]
    length = math.sqrt(eu * eu + ew * ew)
    for k in range(2):
        along = ((one[k, 0] - two[0, 0]) * eu + (one[k, 1] - two[0, 1]) * ew) / length
        if along < -tolerance or along > length + tolerance:
            continue
        there = two[0, 2] + along / length * (two[1, 2] - two[0, 2])
        if base == 0:
            note(wrk, one[k, 0], one[k, 1], one[k, 2], there, name[k])
        else:
            note(wrk, one[k, 0], one[k, 1], there, one[k, 2], base + name[k])


@routine
def beside(wrk, first, tolerance):
    """Collect the overlap of two segments; nothing unless they are nearly parallel."""
    a, b = wrk.a, wrk.b
    la, lb = length_of(a), length_of(b)
    if la <= tolerance or lb <= tolerance:
        return
    cross = (a[1, 0] - a[0, 0]) * (b[1, 1] - b[0, 1]) - (a[1, 1] - a[0, 1]) * (b[1, 0] - b[0, 0])
    if abs(cross) > ACROSS * la * lb:
        return
    segment_ends(wrk, a, b, wrk.id_a, 0, tolerance)
    if wrk.counts[WorkCount.POINTS] - first < 2:
        segment_ends(wrk, b, a, wrk.id_b, NAMES_B, tolerance)


@inner
def overlap(wrk, first, na, nb):
    """Collect corners inside, then crossings: the corners of the projections' intersection."""
    area_a = signed_area(wrk.a, na) if na > 2 else 0.0
    area_b = signed_area(wrk.b, nb) if nb > 2 else 0.0
    size_a = math.sqrt(abs(area_a)) if na > 2 else length_of(wrk.a)
    size_b = math.sqrt(abs(area_b)) if nb > 2 else length_of(wrk.b)
    tolerance = INSIDE * min(size_a, size_b)
    if na == 2 and nb == 2:
        beside(wrk, first, tolerance)
        return
    if nb > 2:
        turn = 1.0 if area_b > 0.0 else -1.0
        corners_inside(wrk, first, wrk.a, na, wrk.id_a, 0, wrk.b, nb, turn, tolerance)
    if na > 2:
        turn = 1.0 if area_a > 0.0 else -1.0
        corners_inside(wrk, first, wrk.b, nb, wrk.id_b, NAMES_B, wrk.a, na, turn, tolerance)
    edges_crossing(wrk, first, na, nb, tolerance)


@routine
def clip(wrk, na, nb, nx, ny, nz):
    """Collect the manifold of the polygons in ``wrk.a`` and ``wrk.b`` (world coordinates).

    The corners of the intersection of their projections along the normal (a to b) are corners of
    a inside b, corners of b inside a, or crossings of two edges, and are named accordingly. A name
    does not depend on the order of the polygons, nor on the last step. Each point's gap is the
    difference of the heights of the two planes there.

    Returns:
        The number of points within the margin, including those collected before.
    """
    frame, first = wrk.matrix, wrk.counts[WorkCount.POINTS]
    before = wrk.counts[WorkCount.WITHIN_MARGIN]
    sign = 1.0 if nz >= 0.0 else -1.0
    c = -1.0 / (sign + nz)
    d = nx * ny * c
    frame[0, 0], frame[0, 1], frame[0, 2] = 1.0 + sign * nx * nx * c, sign * d, -sign * nx
    frame[1, 0], frame[1, 1], frame[1, 2] = d, sign + ny * ny * c, -ny
    frame[2, 0], frame[2, 1], frame[2, 2] = nx, ny, nz
    frame[3, 0], frame[3, 1], frame[3, 2] = wrk.a[0, 0], wrk.a[0, 1], wrk.a[0, 2]
    flatten(wrk.a, na, frame)
    flatten(wrk.b, nb, frame)
    overlap(wrk, first, na, nb)
    return wrk.counts[WorkCount.WITHIN_MARGIN] - before
