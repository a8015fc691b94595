"""Sweeps over the contacts of a dense impact problem, each contact solved exactly.

For every contact, with ``u = W r + b``: ``0 <= r_n - lower  perp  u_n >= 0``, ``|r_t| <= mu r_n``,
and ``r_t = -mu r_n u_t / |u_t|`` if it slips. ``lower`` is zero except in Poisson's second phase.
"""

from __future__ import annotations

import math

from footfall.api.kernels import inner, routine

HALVINGS = 100
PROXIMAL = 1e-9
"""Proximal term on the tangential block of a contact, relative to its trace. If the block is
singular, an immobile direction keeps its impulse; in other directions the sweeps cancel the
term."""


@inner
def sliding(s, a, b, c, g0, g1):
    """Return ``-(S + s 1)^-1 g`` of the symmetric S = [[a, b], [b, c]]."""
    p, q = a + s, c + s
    det = p * q - b * b
    return (b * g1 - q * g0) / det, (b * g0 - p * g1) / det


@routine
def tangential(a, b, c, g0, g1, k0, k1, k2):
    """Return r_t with ``u_t = S r_t + g = -s r_t``, ``|r_t| <= k0 r_0 + k1 r_1 + k2`` and s >= 0.

    s is zero (stick) if the bound allows; otherwise s is such that the bound is met: at s = 0 the
    impulse is beyond the bound, and it shrinks to zero as s grows, so a root exists if k2 > 0. The
    third value is False if no root was found.
    """
    r0, r1 = sliding(0.0, a, b, c, g0, g1)
    if math.hypot(r0, r1) <= k0 * r0 + k1 * r1 + k2:
        return r0, r1, True
    if k2 <= 0.0:
        return 0.0, 0.0, False
    low, high = 0.0, a + c
    for _ in range(HALVINGS):
        r0, r1 = sliding(high, a, b, c, g0, g1)
        if math.hypot(r0, r1) <= k0 * r0 + k1 * r1 + k2:
            break
        low, high = high, 4.0 * high
    for _ in range(HALVINGS):
        s = 0.5 * (low + high)
        if s <= low or s >= high:
            break
        r0, r1 = sliding(s, a, b, c, g0, g1)
        if math.hypot(r0, r1) <= k0 * r0 + k1 * r1 + k2:
            high = s
        else:
            low = s
    r0, r1 = sliding(high, a, b, c, g0, g1)
    return r0, r1, True


@routine
def solve_contact(W, i, b0, b1, b2, mu, lower, r0, r1):
    """Solve one contact with the others fixed; b is its velocity without its own impulse.

    First with ``r_n = lower``. If this leaves ``u_n < 0``, with ``u_n = 0``: r_n is eliminated,
    which leaves one unknown, the ratio s of sliding velocity and friction.
    """
    w00, w01, w11 = W[i, i], W[i, i + 1], W[i + 1, i + 1]
    w02, w12, w22 = W[i, i + 2], W[i + 1, i + 2], W[i + 2, i + 2]
    e = PROXIMAL * (w00 + w11)
    free = e <= 0.0 or mu == 0.0
    x0, x1 = 0.0, 0.0
    if lower > 0.0 and not free:
        g0, g1 = b0 + w02 * lower - e * r0, b1 + w12 * lower - e * r1
        x0, x1, _ = tangential(w00 + e, w01, w11 + e, g0, g1, 0.0, 0.0, mu * lower)
    if b2 + w02 * x0 + w12 * x1 + w22 * lower >= 0.0 or w22 <= 0.0:
        return x0, x1, lower
    if free:
        return 0.0, 0.0, max(-b2 / w22, lower)
    h, p0, p1 = -b2 / w22, w02 / w22, w12 / w22
    g0, g1 = b0 + w02 * h - e * r0, b1 + w12 * h - e * r1
    y0, y1, found = tangential(
        w00 - w02 * p0 + e,
        w01 - w02 * p1,
        w11 - w12 * p1 + e,
        *(g0, g1, -mu * p0, -mu * p1, mu * h),
    )
    if not found:
        return x0, x1, max(lower, h)
    y2 = max(h - p0 * y0 - p1 * y1, lower)
    size = math.hypot(y0, y1)
    if size > mu * y2:
        y0, y1 = y0 * mu * y2 / size, y1 * mu * y2 / size
    return y0, y1, y2


@routine
def sweep(cones, contacts, sweeps, tolerance):
    """Do Gauss-Seidel sweeps until one changes velocities by little; return their number."""
    W, b, mu, lower, r, n = cones.W, cones.b, cones.mu, cones.lower, cones.r, 3 * contacts
    for k in range(sweeps):
        change = 0.0
        for c in range(contacts):
            i = 3 * c
            u0, u1, u2 = b[i], b[i + 1], b[i + 2]
            for j in range(n):
                if j < i or j > i + 2:
                    u0 += W[i, j] * r[j]
                    u1 += W[i + 1, j] * r[j]
                    u2 += W[i + 2, j] * r[j]
            x0, x1, x2 = solve_contact(W, i, u0, u1, u2, mu[c], lower[c], r[i], r[i + 1])
            moved = max(abs(x0 - r[i]), abs(x1 - r[i + 1]), abs(x2 - r[i + 2]))
            change = max(change, moved * max(W[i, i], W[i + 1, i + 1], W[i + 2, i + 2]))
            r[i], r[i + 1], r[i + 2] = x0, x1, x2
        if change <= tolerance:
            return k + 1
    return sweeps
