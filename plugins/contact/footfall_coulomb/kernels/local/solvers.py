"""Four solvers of one contact with the others fixed, all with one signature.

``solve_*(W, w, b0, b1, b2, mu, r0, r1, r2, space)`` solves ``u = W_ii r + b`` with Signorini's
condition and Coulomb's law. ``W[w:w + 9]`` is W_ii, r the impulse so far, ``space`` scratch of
shape (9,).
"""

from __future__ import annotations

import math

from footfall.api.kernels import inner, routine
from footfall_coulomb.kernels.local.slip import error_of, slide_newton, slide_scan


@inner
def stick(W, w, b0, b1, b2):
    """Return ``-W^-1 b`` by cofactors, and whether W is regular.

    If W is ill-conditioned, two steps of iterative refinement bring ``W r + b`` down to rounding.
    W need not be exactly symmetric: some W come from files with few digits.
    """
    a, b, c = W[w], W[w + 1], W[w + 2]
    d, e, f = W[w + 3], W[w + 4], W[w + 5]
    g, h, i = W[w + 6], W[w + 7], W[w + 8]
    c00, c01, c02 = e * i - f * h, c * h - b * i, b * f - c * e
    c10, c11, c12 = f * g - d * i, a * i - c * g, c * d - a * f
    c20, c21, c22 = d * h - e * g, b * g - a * h, a * e - b * d
    det = a * c00 + b * c10 + c * c20
    scale = a * e * i
    if det <= 1e-12 * scale or scale <= 0.0:
        return 0.0, 0.0, 0.0, False
    s = -1.0 / det
    r0 = s * (c00 * b0 + c01 * b1 + c02 * b2)
    r1 = s * (c10 * b0 + c11 * b1 + c12 * b2)
    r2 = s * (c20 * b0 + c21 * b1 + c22 * b2)
    if det <= 1e-3 * scale:
        for _ in range(2):
            u0 = a * r0 + b * r1 + c * r2 + b0
            u1 = d * r0 + e * r1 + f * r2 + b1
            u2 = g * r0 + h * r1 + i * r2 + b2
            r0 += s * (c00 * u0 + c01 * u1 + c02 * u2)
            r1 += s * (c10 * u0 + c11 * u1 + c12 * u2)
            r2 += s * (c20 * u0 + c21 * u1 + c22 * u2)
    return r0, r1, r2, True


@routine
def solve_singular(W, w, b0, b1, b2, mu, r0, r1, r2, space, slide):
    """Solve one contact with a singular W_ii (few dofs) by one proximal step.

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
    s0, s1, s2, regular = stick(space, 0, b0, b1, b2)
    if regular and s2 > 0.0 and s0 * s0 + s1 * s1 <= (mu * s2) ** 2:
        return s0, s1, s2
    if b2 >= 0.0:
        return 0.0, 0.0, 0.0
    return slide(space, 0, b0, b1, b2, mu, r0, r1, r2)


@routine
def slide_exact(W, w, b0, b1, b2, mu, r0, r1, r2):
    """Find the sliding answer by a scan only."""
    if mu == 0.0:
        return 0.0, 0.0, -b2 / W[w + 8]
    return slide_scan(W, w, b0, b1, b2, mu, r0, r1, r2)


@routine
def slide_fast(W, w, b0, b1, b2, mu, r0, r1, r2):
    """Find the sliding answer: Newton from the last direction, from the free one, or a scan."""
    if mu == 0.0:
        return 0.0, 0.0, -b2 / W[w + 8]
    size = math.sqrt(r0 * r0 + r1 * r1)
    if size > 0.0:
        x0, x1, x2, good = slide_newton(W, w, b0, b1, b2, mu, r0 / size, r1 / size)
        if good:
            return x0, x1, x2
    size = math.sqrt(b0 * b0 + b1 * b1)
    if size > 0.0:
        x0, x1, x2, good = slide_newton(W, w, b0, b1, b2, mu, -b0 / size, -b1 / size)
        if good:
            return x0, x1, x2
    return slide_scan(W, w, b0, b1, b2, mu, r0, r1, r2)


@inner
def enumerate_states(W, w, b0, b1, b2, mu, r0, r1, r2, space, slide):
    """Try open (``b_n >= 0``), stick (``r = -W^-1 b`` inside the cone) and slip, in this order.

    If friction jams (large mu), open and stick may both be solutions. A loaded contact tries stick
    first: else a sweep would leave a solution of the whole problem in which the contact sticks.
    """
    if b2 >= 0.0 and r2 <= 0.0:
        return 0.0, 0.0, 0.0
    s0, s1, s2, regular = stick(W, w, b0, b1, b2)
    if not regular:
        s0, s1, s2 = solve_singular(W, w, b0, b1, b2, mu, r0, r1, r2, space, slide)
        before = error_of(W, w, b0, b1, b2, mu, r0, r1, r2)
        if error_of(W, w, b0, b1, b2, mu, s0, s1, s2) <= before:
            return s0, s1, s2
        return r0, r1, r2
    if s2 > 0.0 and s0 * s0 + s1 * s1 <= (mu * s2) ** 2:
        return s0, s1, s2
    if b2 >= 0.0:
        return 0.0, 0.0, 0.0
    return slide(W, w, b0, b1, b2, mu, r0, r1, r2)


@inner
def solve_hybrid(W, w, b0, b1, b2, mu, r0, r1, r2, space):
    """Enumerate; solve slip by Newton's method on its angle, by the scan if that diverges.

    The residual is never larger than that of the given impulse, up to rounding.
    """
    return enumerate_states(W, w, b0, b1, b2, mu, r0, r1, r2, space, slide_fast)


@inner
def solve_enumerative(W, w, b0, b1, b2, mu, r0, r1, r2, space):
    """Enumerate; solve slip by a scan of all directions, with bisection."""
    return enumerate_states(W, w, b0, b1, b2, mu, r0, r1, r2, space, slide_exact)


@inner
def solve_duriez(W, w, b0, b1, b2, mu, r0, r1, r2, space):
    """Take one projected step: normal first, then tangents, scaled back to the cone.

    ``r_n <- max(0, r_n - u_n / W_nn)``, ``r_t <- r_t - 2 u_t / (W_tt + W_ss)`` (Duriez, Dubois,
    Kheddar and Andriot 2006, Realistic haptic rendering of interacting deformable objects).
    """
    if W[w + 8] <= 0.0:
        return 0.0, 0.0, 0.0
    rn = r2 - (W[w + 6] * r0 + W[w + 7] * r1 + W[w + 8] * r2 + b2) / W[w + 8]
    if rn <= 0.0:
        return 0.0, 0.0, 0.0
    spread = W[w] + W[w + 4]
    if spread <= 0.0:
        return r0, r1, rn
    u0 = W[w] * r0 + W[w + 1] * r1 + W[w + 2] * rn + b0
    u1 = W[w + 3] * r0 + W[w + 4] * r1 + W[w + 5] * rn + b1
    s0, s1 = r0 - 2.0 * u0 / spread, r1 - 2.0 * u1 / spread
    size = math.sqrt(s0 * s0 + s1 * s1)
    if size > mu * rn:
        s0, s1 = s0 * mu * rn / size, s1 * mu * rn / size
    return s0, s1, rn
