"""The sliding answer of one contact, with one unknown: the angle of the sliding direction."""

from __future__ import annotations

import math

from footfall.api.advanced import natural_map_cone
from footfall.api.kernels import inner, routine

NEWTON = 12
SAMPLES = 72


@inner
def slip_state(W, w, b0, b1, b2, mu, c, s):
    """Return normal impulse, u_t, g and g' for impulses on the cone along (c, s) with ``u_n = 0``.

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


@routine
def slide_newton(W, w, b0, b1, b2, mu, c, s):
    """Find the sliding direction by Newton's method from (c, s); return r and whether it slides."""
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
        x = 1.0 / math.sqrt(1.0 + step * step)  # turn by atan(step): still quadratic, without sine
        y = step * x
        c, s = c * x - s * y, s * x + c * y
    rn, u0, u1, g, dg = slip_state(W, w, b0, b1, b2, mu, c, s)
    good = rn >= 0.0 and abs(g) <= 1e-12 * scale and u0 * c + u1 * s <= 0.0
    return mu * rn * c, mu * rn * s, rn, good


@inner
def slip_polynomial(W, w, b0, b1, b2, mu, angle):
    """Return ``D g`` and its derivative at an angle; ``D g`` is zero if ``u_t`` is parallel to d.

    ``D g = (D b_t - b_n (W_tn + mu W_tt d)) x d`` has no pole at ``D = W_nn + mu W_nt d = 0``:
    it is a trigonometric polynomial of second degree, with at most four roots.
    """
    w22 = W[w + 8]
    p, q = b2 * W[w + 5] - b1 * w22, b0 * w22 - b2 * W[w + 2]
    e, f = mu * (b2 * W[w + 3] - b1 * W[w + 6]), mu * (b0 * W[w + 7] - b2 * W[w + 1])
    h = mu * (b0 * W[w + 6] - b1 * W[w + 7] - b2 * (W[w] - W[w + 4]))
    c, s = math.cos(angle), math.sin(angle)
    value = p * c + q * s + h * c * s + e * c * c + f * s * s
    return value, q * c - p * s + h * (c * c - s * s) + 2.0 * (f - e) * c * s


@routine
def bisect(W, w, b0, b1, b2, mu, low, high, which):
    """Find a change of sign of D g (which = 0) or of its derivative (1) to rounding."""
    rising = slip_polynomial(W, w, b0, b1, b2, mu, high)[which] > 0.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if (slip_polynomial(W, w, b0, b1, b2, mu, middle)[which] > 0.0) == rising:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


@inner
def error_of(W, w, b0, b1, b2, mu, r0, r1, r2):
    """Return the natural-map residual of a candidate answer of one contact."""
    u0 = b0 + W[w] * r0 + W[w + 1] * r1 + W[w + 2] * r2
    u1 = b1 + W[w + 3] * r0 + W[w + 4] * r1 + W[w + 5] * r2
    u2 = b2 + W[w + 6] * r0 + W[w + 7] * r1 + W[w + 8] * r2
    top = max(W[w], W[w + 4], W[w + 8])
    return natural_map_cone(r0, r1, r2, u0, u1, u2, mu, top)


@routine
def better_of(W, w, b0, b1, b2, mu, angle, best, x0, x1, x2):
    """Return the answer at a sliding direction if its residual is smaller, with that residual.

    At a root both ``u_n = b_n + r_n D`` and ``u_t x d = b_t x d + r_n g`` are zero for one r_n. The
    angle is rounded: the r_n of least squares keeps both small even if D is close to zero.
    """
    c, s = math.cos(angle), math.sin(angle)
    D = W[w + 8] + mu * (W[w + 6] * c + W[w + 7] * s)
    q0 = W[w + 2] + mu * (W[w] * c + W[w + 1] * s)
    q1 = W[w + 5] + mu * (W[w + 3] * c + W[w + 4] * s)
    g = q0 * s - q1 * c
    square = D * D + g * g
    if square > 0.0:
        rn = -(b2 * D + (b0 * s - b1 * c) * g) / square
        if rn >= 0.0:
            s0, s1 = mu * rn * c, mu * rn * s
            error = error_of(W, w, b0, b1, b2, mu, s0, s1, rn)
            if error < best:
                return error, s0, s1, rn
    return best, x0, x1, x2


@routine
def slide_scan(W, w, b0, b1, b2, mu, r0, r1, r2):
    """Search all sliding directions; return the best answer found, or r if nothing is better.

    Between two samples D g has a root if it changes sign, or two roots if it does not but has an
    extremum of the other sign.
    """
    best, x0, x1, x2 = error_of(W, w, b0, b1, b2, mu, r0, r1, r2), r0, r1, r2
    step = 2.0 * math.pi / SAMPLES
    g, dg = slip_polynomial(W, w, b0, b1, b2, mu, 0.0)
    for k in range(SAMPLES):
        low, high = k * step, (k + 1) * step
        g_low, dg_low = g, dg
        g, dg = slip_polynomial(W, w, b0, b1, b2, mu, high)
        if (g > 0.0) != (g_low > 0.0):
            root = bisect(W, w, b0, b1, b2, mu, low, high, 0)
            best, x0, x1, x2 = better_of(W, w, b0, b1, b2, mu, root, best, x0, x1, x2)
        elif (dg > 0.0) != (dg_low > 0.0) and (dg > 0.0) == (g > 0.0):
            turn = bisect(W, w, b0, b1, b2, mu, low, high, 1)
            if (slip_polynomial(W, w, b0, b1, b2, mu, turn)[0] > 0.0) != (g > 0.0):
                for a, b in ((low, turn), (turn, high)):
                    root = bisect(W, w, b0, b1, b2, mu, a, b, 0)
                    best, x0, x1, x2 = better_of(W, w, b0, b1, b2, mu, root, best, x0, x1, x2)
    return x0, x1, x2
