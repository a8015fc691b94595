"""Signed distance to a surface of bilinear patches, and its gradient."""

from __future__ import annotations

import math

from footfall.api.kernels import inner, kernel
from footfall_terrains.kernels.patch import (
    foot_inside,
    foot_on_border,
    patch_slopes,
    square,
    up,
)

RINGS = 16
"""Number of searched rings of cells around a point; beyond them the distance is not exact."""
ON_IT = 1e-9
"""Distance from an edge below which the direction to it is undefined, [m]."""


@inner
def cell_of(x, X):
    """Return the cell of ``X`` that contains x; only the outermost cells differ in width."""
    last = len(X) - 2
    if x < X[1]:
        return 0
    if x >= X[last]:
        return last
    return min(int((x - X[1]) / (X[2] - X[1])) + 1, last - 1)


@inner
def lowest_square(H, X, Y, i, j, x, y, z):
    """Return the squared distance of a point to a cell's bounding box, a lower bound."""
    low = min(min(H[i, j], H[i + 1, j]), min(H[i, j + 1], H[i + 1, j + 1]))
    high = max(max(H[i, j], H[i + 1, j]), max(H[i, j + 1], H[i + 1, j + 1]))
    dx = max(max(X[i] - x, x - X[i + 1]), 0.0)
    dy = max(max(Y[j] - y, y - Y[j + 1]), 0.0)
    dz = max(max(low - z, z - high), 0.0)
    return square(dx, dy, dz)


@inner
def meet_cell(H, X, Y, i, j, x, y, z, best, sign):
    """Return the nearest point of a cell if it is nearer than ``best``: (d^2, gap, normal).

    If the foot is inside, the normal is the patch's. On an edge or corner it points from there to
    the query point, or opposite to it from below.
    """
    a, b = X[i + 1] - X[i], Y[j + 1] - Y[j]
    px, py = x - X[i], y - Y[j]
    h, hs, ht, hst = patch_slopes(H, i, j, a, b)
    found, s, t = foot_inside(h, hs, ht, hst, a, b, px, py, z)
    if found:
        u = h + hs * s + ht * t + hst * s * t
        d = square(px - s, py - t, z - u)
        n0, n1, n2 = up(hs + hst * t, ht + hst * s)
        gap = (px - s) * n0 + (py - t) * n1 + (z - u) * n2
        if d < best:
            return d, gap, n0, n1, n2
        return best, 0.0, 0.0, 0.0, 0.0
    d, s, t, u = foot_on_border(H, i, j, a, b, px, py, z)
    if d >= best:
        return best, 0.0, 0.0, 0.0, 0.0
    size = math.sqrt(d)
    if size < ON_IT:
        n0, n1, n2 = up(hs + hst * t, ht + hst * s)
        return d, sign * size, n0, n1, n2
    part = sign / size
    return d, sign * size, part * (px - s), part * (py - t), part * (z - u)


@inner
def distance(H, X, Y, x, y, z):
    """Return the signed distance of one point and its gradient, ring by ring of cells."""
    i0, j0 = cell_of(x, X), cell_of(y, Y)
    h, hs, ht, hst = patch_slopes(H, i0, j0, X[i0 + 1] - X[i0], Y[j0 + 1] - Y[j0])
    s, t = x - X[i0], y - Y[j0]
    sign = 1.0 if z >= h + hs * s + ht * t + hst * s * t else -1.0
    best, gap, n0, n1, n2 = 1e300, 0.0, 0.0, 0.0, 1.0
    last_i, last_j = len(X) - 2, len(Y) - 2
    for ring in range(RINGS + 1):
        if ring > 0:
            left, right = x - X[max(i0 - ring + 1, 0)], X[min(i0 + ring, last_i + 1)] - x
            front, back = y - Y[max(j0 - ring + 1, 0)], Y[min(j0 + ring, last_j + 1)] - y
            clear = max(min(min(left, right), min(front, back)), 0.0)
            if clear * clear >= best:
                break
        for i in range(max(i0 - ring, 0), min(i0 + ring, last_i) + 1):
            whole = abs(i - i0) == ring
            stride = 1 if whole or ring == 0 else 2 * ring
            for j in range(j0 - ring, j0 + ring + 1, stride):
                if j < 0 or j > last_j or lowest_square(H, X, Y, i, j, x, y, z) >= best:
                    continue
                d, g, m0, m1, m2 = meet_cell(H, X, Y, i, j, x, y, z, best, sign)
                if d < best:
                    best, gap, n0, n1, n2 = d, g, m0, m1, m2
    return gap, n0, n1, n2


@kernel
def heights_sample(points, H, X, Y, gap, normal, time):
    """Write signed distance and normal of every point; NaN for points that are not finite.

    The result does not depend on ``time``.
    """
    for k in range(len(gap)):
        x, y, z = points[k, 0], points[k, 1], points[k, 2]
        if not math.isfinite(x + y + z):
            gap[k] = math.nan
            continue
        gap[k], normal[k, 0], normal[k, 1], normal[k, 2] = distance(H, X, Y, x, y, z)
