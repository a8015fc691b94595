"""One contact solved exactly: open, stick or slip."""

from __future__ import annotations

import math

from footfall.kernels.compile import inner
from footfall.kernels.residuals import natural_map_cone

NEWTON = 12
SAMPLES = 72


@inner
def stick(W, w, b0, b1, b2):
    """Return ``-W^-1 b`` by cofactors, and the determinant relative to the diagonal's product."""
    a, b, c = W[w], W[w + 1], W[w + 2]
    d, e, f = W[w + 4], W[w + 5], W[w + 8]
    c00, c01, c02 = d * f - e * e, c * e - b * f, b * e - c * d
    det = a * c00 + b * c01 + c * c02
    scale = a * d * f
    if det <= 1e-12 * scale or scale <= 0.0:
        return 0.0, 0.0, 0.0, False
    c11, c12, c22 = a * f - c * c, b * c - a * e, a * d - b * b
    s = -1.0 / det
    return (
        s * (c00 * b0 + c01 * b1 + c02 * b2),
        s * (c01 * b0 + c11 * b1 + c12 * b2),
        s * (c02 * b0 + c12 * b1 + c22 * b2),
        True,
    )


@inner
def slip_state(W, w, b0, b1, b2, mu, c, s):
    """For impulses on the cone along (c, s) with ``u_n = 0``: normal impulse, u_t, g and g'.

    ``r_n = -b_n / (W_nn + mu W_nt d)``, ``u_t = b_t + r_n (W_tn + mu W_tt d)``; sliding needs
    ``g = u_t x d = 0`` with ``u_t . d <= 0``.
    """
    D = W[w + 8] + mu * (W[w + 6] * c + W[w + 7] * s)
    if D <= 0.0:
        return -1.0, 0.0, 0.0, 0.0, 0.0
    rn = -b2 / D
    q0 = W[w + 2] + mu * (W[w] * c + W[w + 1] * s)
    q1 = W[w + 5] + mu * (W[w + 3] * c + W[w + 4] * s)
    u0, u1 = b0 + rn * q0, b1 + rn * q1
    dD = mu * (W[w + 7] * c - W[w + 6] * s)
    drn = -rn * dD / D
    du0 = drn * q0 + rn * mu * (W[w + 1] * c - W[w] * s)
    du1 = drn * q1 + rn * mu * (W[w + 4] * c - W[w + 3] * s)
    g = u0 * s - u1 * c
    dg = du0 * s - du1 * c + u0 * c + u1 * s
    return rn, u0, u1, g, dg


@inner
def slide_newton(W, w, b0, b1, b2, mu, c, s):
    """Find the sliding direction by Newton's method from (c, s); return r and whether it is one."""
    scale = math.sqrt(b0 * b0 + b1 * b1 + b2 * b2)
    for _ in range(NEWTON):
        rn, u0, u1, g, dg = slip_state(W, w, b0, b1, b2, mu, c, s)
        if rn < 0.0:
            return 0.0, 0.0, 0.0, False
        if abs(g) <= 1e-14 * scale:
            if u0 * c + u1 * s <= 0.0:
                return mu * rn * c, mu * rn * s, rn, True
            return 0.0, 0.0, 0.0, False
        if dg == 0.0:
            break
        step = min(max(-g / dg, -0.5), 0.5)
        x, y = math.cos(step), math.sin(step)
        c, s = c * x - s * y, s * x + c * y
    rn, u0, u1, g, dg = slip_state(W, w, b0, b1, b2, mu, c, s)
    good = rn >= 0.0 and abs(g) <= 1e-12 * scale and u0 * c + u1 * s <= 0.0
    return mu * rn * c, mu * rn * s, rn, good


@inner
def slide_bisect(W, w, b0, b1, b2, mu, low, high, g_low):
    """Narrow a change of sign of g down to rounding; return r."""
    middle = 0.5 * (low + high)
    for _ in range(60):
        middle = 0.5 * (low + high)
        g = slip_state(W, w, b0, b1, b2, mu, math.cos(middle), math.sin(middle))[3]
        if (g > 0.0) == (g_low > 0.0):
            low = middle
        else:
            high = middle
    c, s = math.cos(middle), math.sin(middle)
    rn, _u0, _u1, g, _dg = slip_state(W, w, b0, b1, b2, mu, c, s)
    return mu * rn * c, mu * rn * s, rn


@inner
def error_of(W, w, b0, b1, b2, mu, r0, r1, r2):
    """Return the natural-map residual of a candidate answer of one contact."""
    u0 = b0 + W[w] * r0 + W[w + 1] * r1 + W[w + 2] * r2
    u1 = b1 + W[w + 3] * r0 + W[w + 4] * r1 + W[w + 5] * r2
    u2 = b2 + W[w + 6] * r0 + W[w + 7] * r1 + W[w + 8] * r2
    top = max(W[w], W[w + 4], W[w + 8])
    return natural_map_cone(r0, r1, r2, u0, u1, u2, mu, top)


@inner
def slide_scan(W, w, b0, b1, b2, mu, r0, r1, r2):
    """Search all sliding directions; return the best answer found, or r if nothing is better."""
    best, x0, x1, x2 = error_of(W, w, b0, b1, b2, mu, r0, r1, r2), r0, r1, r2
    step = 2.0 * math.pi / SAMPLES
    last = slip_state(W, w, b0, b1, b2, mu, math.cos(-step), math.sin(-step))
    for k in range(SAMPLES):
        now = slip_state(W, w, b0, b1, b2, mu, math.cos(k * step), math.sin(k * step))
        if now[0] >= 0.0 and last[0] >= 0.0 and (now[3] > 0.0) != (last[3] > 0.0):
            s0, s1, s2 = slide_bisect(W, w, b0, b1, b2, mu, (k - 1) * step, k * step, last[3])
            error = error_of(W, w, b0, b1, b2, mu, s0, s1, s2)
            if s2 >= 0.0 and error < best:
                best, x0, x1, x2 = error, s0, s1, s2
        last = now
    return x0, x1, x2


@inner
def solve_singular(W, w, b0, b1, b2, mu, r0, r1, r2, space):
    """Solve one contact whose W_ii is singular (few dofs) by one proximal step.

    ``(W_ii + e 1) s + (b - e r)`` with ``e = 1e-6 trace / 3`` is regular and has the same fixed
    points: a direction in which nothing can move keeps its impulse.
    """
    e = 1e-6 * (W[w] + W[w + 4] + W[w + 8]) / 3.0
    if e <= 0.0:
        return 0.0, 0.0, 0.0
    for k in range(9):
        space[k] = W[w + k]
    space[0] += e
    space[4] += e
    space[8] += e
    b0, b1, b2 = b0 - e * r0, b1 - e * r1, b2 - e * r2
    if b2 >= 0.0:
        return 0.0, 0.0, 0.0
    s0, s1, s2, regular = stick(space, 0, b0, b1, b2)
    if regular and s2 > 0.0 and s0 * s0 + s1 * s1 <= (mu * s2) ** 2:
        return s0, s1, s2
    return slide(space, 0, b0, b1, b2, mu, r0, r1, r2)


@inner
def slide(W, w, b0, b1, b2, mu, r0, r1, r2):
    """Find the sliding answer: Newton from the last direction, from the free one, then a scan."""
    if mu == 0.0:
        return 0.0, 0.0, -b2 / W[w + 8]
    size = math.hypot(r0, r1)
    if size > 0.0:
        x0, x1, x2, good = slide_newton(W, w, b0, b1, b2, mu, r0 / size, r1 / size)
        if good:
            return x0, x1, x2
    size = math.hypot(b0, b1)
    if size > 0.0:
        x0, x1, x2, good = slide_newton(W, w, b0, b1, b2, mu, -b0 / size, -b1 / size)
        if good:
            return x0, x1, x2
    return slide_scan(W, w, b0, b1, b2, mu, r0, r1, r2)


@inner
def solve_cone(W, w, b0, b1, b2, mu, r0, r1, r2, space):
    """Solve ``u = W_ii r + b`` with Signorini's condition and Coulomb's law.

    Enumerates open (``b_n >= 0``), stick (``r = -W^-1 b`` inside the cone) and slip (one unknown
    angle: Newton from the last direction, else a scan of the circle with bisection).
    ``space`` is scratch of shape (9,).
    """
    if b2 >= 0.0:
        return 0.0, 0.0, 0.0
    s0, s1, s2, regular = stick(W, w, b0, b1, b2)
    if not regular:
        return solve_singular(W, w, b0, b1, b2, mu, r0, r1, r2, space)
    if s2 > 0.0 and s0 * s0 + s1 * s1 <= (mu * s2) ** 2:
        return s0, s1, s2
    return slide(W, w, b0, b1, b2, mu, r0, r1, r2)
