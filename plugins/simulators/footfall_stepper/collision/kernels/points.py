"""The points of the current pair: collected, thinned out, named and written as contacts."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, routine
from footfall_stepper.collision.kernels.arrays import WorkCount
from footfall_stepper.world.collision_arrays import BITS

NAMES_B = 1 << 19
"""First feature number for vertices of shape b; lower numbers are vertices of shape a."""
CROSSINGS = 1 << 20
"""First feature number for crossings of an edge of a with an edge of b."""
CLOSEST = NAMES_B - 1
"""Feature of a pair's closest points if no vertices or edges name them."""
SMALL = 32
"""Number of vertices up to which a crossing's feature holds four names exactly (20 bits)."""

NEAR = 0.1
"""Gap up to which points are kept before others, relative to the margin."""


@inner
def crossing(a0, a1, b0, b1):
    """Return the feature of two edges that cross, each given by its two vertices.

    Exact for shapes with up to 32 vertices; otherwise 20 bits of a hash.
    """
    p, q, r, s = min(a0, a1), max(a0, a1), min(b0, b1), max(b0, b1)
    if q < SMALL and s < SMALL:
        return CROSSINGS + ((p * SMALL + q) * SMALL + r) * SMALL + s
    mixed = ((p * 31 + q) * 0x9E3779B1 + (r * 31 + s) * 0x85EBCA6B) & 0xFFFFFFFF
    return CROSSINGS + ((mixed ^ (mixed >> 13)) & (CROSSINGS - 1))


@routine
def add_point(wrk, x, y, z, gap, nx, ny, nz, feature):
    """Collect a point within the margin; of two with the same feature the closer is kept."""
    if not gap <= wrk.margin[0]:
        return
    wrk.counts[WorkCount.WITHIN_MARGIN] += 1
    feature &= (CROSSINGS << 1) - 1
    n = wrk.counts[WorkCount.POINTS]
    at = n
    for k in range(wrk.counts[WorkCount.COMPARED_FROM], n):
        if wrk.feature[k] == feature:
            if wrk.point[k, 3] <= gap:
                return
            at = k
    if at == len(wrk.feature):
        thin_out(wrk)
        at = n = wrk.counts[WorkCount.POINTS]
    point = wrk.point[at]
    point[0], point[1], point[2], point[3] = x, y, z, gap
    point[4], point[5], point[6] = nx, ny, nz
    wrk.feature[at] = feature
    if at == n:
        wrk.counts[WorkCount.POINTS] = n + 1


@routine
def sort_points(wrk):
    """Sort the points by feature."""
    for p in range(1, wrk.counts[WorkCount.POINTS]):
        at = p
        while at > 0 and wrk.feature[at - 1] > wrk.feature[at]:
            swap_points(wrk, at - 1, at)
            at -= 1


@inner
def swap_points(wrk, i, j):
    """Exchange two points."""
    wrk.feature[i], wrk.feature[j] = wrk.feature[j], wrk.feature[i]
    for k in range(7):
        value = wrk.point[i, k]
        wrk.point[i, k] = wrk.point[j, k]
        wrk.point[j, k] = value


@inner
def apart(p, q, size):
    """Return the distance of two points: in position, or in normal (converted to a length)."""
    d, t = 0.0, 0.0
    for k in range(3):
        d += (p[k] - q[k]) * (p[k] - q[k])
        t += (p[4 + k] - q[4 + k]) * (p[4 + k] - q[4 + k])
    return d + size * size * t


@routine
def thin_out(wrk):
    """Keep the ``most`` points that are most widely spread, including the deepest.

    Points that touch or nearly do, within ``NEAR`` of the margin, go before the others. The deepest
    comes first (among those within 1e-5 of the spread, the one farthest from their middle), then
    repeatedly the one farthest from those chosen. Ties go to the smaller feature, so that rounding
    does not change the choice.
    """
    n, most = wrk.counts[WorkCount.POINTS], wrk.most[0]
    if n <= most:
        return
    sort_points(wrk)
    deepest, size, x, y, z = wrk.point[0, 3], 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        deepest = min(deepest, wrk.point[k, 3])
        x, y, z = x + wrk.point[k, 0] / n, y + wrk.point[k, 1] / n, z + wrk.point[k, 2] / n
        for m in range(3):
            size = max(size, abs(wrk.point[k, m] - wrk.point[0, m]))
    last, farthest = 0, -1.0
    for k in range(n):
        dx, dy, dz = wrk.point[k, 0] - x, wrk.point[k, 1] - y, wrk.point[k, 2] - z
        d = dx * dx + dy * dy + dz * dz
        if wrk.point[k, 3] <= deepest + 1e-5 * size and d > farthest * (1.0 + 1e-6):
            last, farthest = k, d
    near, limit = 0, NEAR * wrk.margin[0]
    for k in range(n):
        wrk.chosen[k], wrk.distance[k] = 0, math.inf
        near += 1 if wrk.point[k, 3] <= limit else 0
    for already in range(1, most):
        wrk.chosen[last] = 1
        farthest, pick = -1.0, 0
        for k in range(n):
            d = apart(wrk.point[k], wrk.point[last], size)
            wrk.distance[k] = min(wrk.distance[k], d)
            may = already >= near or wrk.point[k, 3] <= limit
            if may and wrk.chosen[k] == 0 and wrk.distance[k] > farthest * (1.0 + 1e-6):
                farthest, pick = wrk.distance[k], k
        last = pick
    wrk.chosen[last] = 1
    kept = 0
    for k in range(n):
        if wrk.chosen[k] == 1:
            if k > kept:
                swap_points(wrk, kept, k)
            kept += 1
    wrk.counts[WorkCount.POINTS] = kept


@routine
def write_points(geo, wrk, fnd, i, j):
    """Write the points collected for a pair as contacts; without room they are only counted."""
    thin_out(wrk)
    sort_points(wrk)
    high = (geo.number[i] << (2 * BITS)) | (geo.number[j] << BITS)
    for k in range(wrk.counts[WorkCount.POINTS]):
        n = wrk.counts[WorkCount.CONTACTS]
        wrk.counts[WorkCount.CONTACTS] = n + 1
        if n >= len(fnd.key):
            continue
        point = wrk.point[k]
        fnd.key[n] = high | wrk.feature[k]
        fnd.geometry_a[n], fnd.geometry_b[n] = geo.number[i], geo.number[j]
        fnd.link_a[n], fnd.link_b[n] = geo.link[i], geo.link[j]
        fnd.shape_a[n], fnd.shape_b[n] = i, j
        for m in range(3):
            fnd.position[n, m], fnd.normal[n, m] = point[m], point[4 + m]
        fnd.gap[n] = point[3]
    wrk.counts[WorkCount.POINTS] = 0
