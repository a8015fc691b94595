"""The nearest point of one bilinear patch of a height grid."""

from __future__ import annotations

import math

from footfall.api.kernels import inner

BORDER = 1e-9
"""Fraction of a cell by which a foot may lie outside: no gap between cells of equal slope."""
ROUNDS = 30


@inner
def patch_slopes(H, i, j, a, b):
    """Return ``h, h_s, h_t, h_st`` of ``z = h + h_s s + h_t t + h_st s t`` on an a x b cell."""
    h = H[i, j]
    hs = (H[i + 1, j] - h) / a
    ht = (H[i, j + 1] - h) / b
    hst = ((H[i + 1, j + 1] - H[i, j + 1]) - (H[i + 1, j] - h)) / (a * b)
    return h, hs, ht, hst


@inner
def foot_inside(h, hs, ht, hst, a, b, x, y, z):
    """Return (found, s, t): the stationary point of the distance to the unbounded patch.

    Newton's method on ``1/2 |(s, t, z(s, t)) - p|^2`` with p = (x, y, z) in the cell's frame; with
    the Gauss-Newton matrix if the Hessian is not positive. Found only if it ends within the cell.
    """
    s, t = min(max(x, 0.0), a), min(max(y, 0.0), b)
    found = False
    for _ in range(ROUNDS):
        e = h + hs * s + ht * t + hst * s * t - z
        fs, ft = hs + hst * t, ht + hst * s
        g0, g1 = s - x + e * fs, t - y + e * ft
        m00, m11, m01 = 1.0 + fs * fs, 1.0 + ft * ft, fs * ft + e * hst
        if m00 * m11 - m01 * m01 <= 1e-3:
            m01 = fs * ft
        det = m00 * m11 - m01 * m01
        ds, dt = (m01 * g1 - m11 * g0) / det, (m01 * g0 - m00 * g1) / det
        s, t = s + ds, t + dt
        if not (-2.0 * a < s < 3.0 * a and -2.0 * b < t < 3.0 * b):
            break
        if abs(ds) <= 1e-15 * (a + abs(x)) and abs(dt) <= 1e-15 * (b + abs(y)):
            found = True
            break
        if abs(ds) + abs(dt) < 1e-12 * (a + b):
            found = True  # another iteration would change only rounding
    slack = BORDER * min(a, b)
    inside = -slack <= s <= a + slack and -slack <= t <= b + slack
    fs, ft = hs + hst * t, ht + hst * s
    bend = fs * ft + (h + hs * s + ht * t + hst * s * t - z) * hst
    lowest = (1.0 + fs * fs) * (1.0 + ft * ft) > bend * bend
    return found and inside and lowest, s, t


@inner
def foot_on_segment(x0, y0, z0, x1, y1, z1, x, y, z):
    """Return the nearest point of a segment to (x, y, z)."""
    dx, dy, dz = x1 - x0, y1 - y0, z1 - z0
    part = (dx * (x - x0) + dy * (y - y0) + dz * (z - z0)) / (dx * dx + dy * dy + dz * dz)
    part = min(max(part, 0.0), 1.0)
    return x0 + part * dx, y0 + part * dy, z0 + part * dz


@inner
def square(x, y, z):
    """Return the squared length."""
    return x * x + y * y + z * z


@inner
def foot_on_border(H, i, j, a, b, x, y, z):
    """Return the nearest point of a cell's four straight edges, in the cell's frame."""
    h00, h10, h01, h11 = H[i, j], H[i + 1, j], H[i, j + 1], H[i + 1, j + 1]
    s, t, u = foot_on_segment(0.0, 0.0, h00, a, 0.0, h10, x, y, z)
    best = square(s - x, t - y, u - z)
    s1, t1, u1 = foot_on_segment(0.0, b, h01, a, b, h11, x, y, z)
    d = square(s1 - x, t1 - y, u1 - z)
    if d < best:
        best, s, t, u = d, s1, t1, u1
    s1, t1, u1 = foot_on_segment(0.0, 0.0, h00, 0.0, b, h01, x, y, z)
    d = square(s1 - x, t1 - y, u1 - z)
    if d < best:
        best, s, t, u = d, s1, t1, u1
    s1, t1, u1 = foot_on_segment(a, 0.0, h10, a, b, h11, x, y, z)
    d = square(s1 - x, t1 - y, u1 - z)
    if d < best:
        best, s, t, u = d, s1, t1, u1
    return best, s, t, u


@inner
def up(fs, ft):
    """Return the unit normal of a surface with these slopes."""
    size = 1.0 / math.sqrt(1.0 + fs * fs + ft * ft)
    return -fs * size, -ft * size, size
