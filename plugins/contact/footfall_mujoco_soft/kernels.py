"""Kernels of the regularised cone problem: answer of a block, Newton's step, line search.

A group of contacts has rows ``y = W r + b``. The answer r meets ``r = P(y)``, where P acts on each
block separately: ``P(y) = argmin 1/2 f'R f + f'y`` over its set K of impulses. This is the
condition for the minimum of ``1/2 r'(W + R) r + b'r`` over K.
"""

from __future__ import annotations

import math
from enum import IntEnum

from footfall.api.kernels import inner, kernel


class ImpulseSet(IntEnum):
    """Sets that impulses lie in.

    Rows of cones: tangent, tangent, normal, and three of moments if any.
    """

    FREE = 0
    """``r >= 0``."""
    HELD = 1
    """``lower <= r <= upper``."""
    ELLIPTIC = 2
    """``|r_t| <= mu r_n``."""
    PYRAMID = 3
    """Convex hull of the edges ``n +- mu t``."""


NORMAL = 2
"""Place of the normal among the rows of a cone."""
SEARCHES = 60
"""Most evaluations of a line search."""
ENOUGH = 1e-3
"""Slope, relative to the first one, at which a line search ends."""


@inner
def answer_interval(y, R, lower, upper, a, f, H):
    """Write the answer of one row: ``-y / R`` between its bounds."""
    free = -y[a] / R[a]
    f[a] = min(max(free, lower), upper)
    H[a, 0] = 1.0 / R[a] if lower < free < upper else 0.0


@inner
def answer_elliptic(y, R, mu, a, end, f, H):
    """Write the answer of a cone: ``z = -R^-1/2 y`` projected on the circular cone of slope nu.

    With ``g = R^1/2 f`` the block's problem is ``min |g - z|`` over ``|g_t| <= nu g_n``, ``nu = mu
    sqrt(R_t / R_n)``. If z is in neither the cone nor its polar, ``g = alpha (nu t, 1)`` with
    ``t = z_t / |z_t|`` and ``alpha = (nu |z_t| + z_n) / (1 + nu^2)``, and the derivative is
    ``e e' + (nu alpha / |z_t|) (1 - t t')`` with e along g.
    """
    n = a + NORMAL
    root, s = math.sqrt(R[n]), 0.0
    nu = mu * math.sqrt(R[a]) / root
    for k in range(a, end):
        f[k] = -y[k] / math.sqrt(R[k])
        s += f[k] * f[k] if k != n else 0.0
        for j in range(end - a):
            H[k, j] = 0.0
    s = math.sqrt(s)
    if f[n] >= 0.0 and s <= nu * f[n]:
        for k in range(a, end):
            f[k] /= math.sqrt(R[k])
            H[k, k - a] = 1.0 / R[k]
    elif nu * s <= -f[n]:
        for k in range(a, end):
            f[k] = 0.0
    else:
        alpha = (nu * s + f[n]) / (1.0 + nu * nu)
        across, f[n] = nu * alpha / s, 1.0
        for k in range(a, end):
            if k != n:
                f[k] *= 1.0 / s
        for k in range(a, end):
            for j in range(a, end):
                own = (nu if k != n else 1.0) * (nu if j != n else 1.0) / (1.0 + nu * nu)
                value = own * f[k] * f[j]
                if k != n and j != n:
                    value += across * ((1.0 if k == j else 0.0) - f[k] * f[j])
                H[k, j - a] = value / math.sqrt(R[k] * R[j])
        for k in range(a, end):
            f[k] *= alpha * (nu if k != n else 1.0) / math.sqrt(R[k])


@inner
def answer_pyramid(y, R, mu, a, end, f, H):
    """Write the answer of a pyramid: each edge e gives ``max(0, -e'y / R_e)``."""
    n = a + NORMAL
    for k in range(a, end):
        f[k] = 0.0
        for j in range(end - a):
            H[k, j] = 0.0
    for k in range(a, end):
        if k == n:
            continue
        for side in (-mu, mu):
            push = -(y[n] + side * y[k]) / R[k]
            if push > 0.0:
                f[n] += push
                f[k] += side * push
                H[n, NORMAL] += 1.0 / R[k]
                H[n, k - a] += side / R[k]
                H[k, NORMAL] += side / R[k]
                H[k, k - a] += side * side / R[k]


@inner
def answer(y, R, kind, start, mu, lower, upper, f, H):
    """Write ``f = P(y)`` and the blocks of ``H = -dP/dy``; row k holds the entries of its block."""
    for i in range(len(kind)):
        a, end = start[i], start[i + 1]
        if kind[i] == ImpulseSet.ELLIPTIC:
            answer_elliptic(y, R, mu[i], a, end, f, H)
        elif kind[i] == ImpulseSet.PYRAMID:
            answer_pyramid(y, R, mu[i], a, end, f, H)
        else:
            answer_interval(y, R, lower[i], upper[i], a, f, H)


@inner
def multiply(W, x, out):
    """Write W x."""
    for a in range(len(x)):
        s = 0.0
        for b in range(len(x)):
            s += W[a, b] * x[b]
        out[a] = s


@inner
def newton_matrix(W, kind, start, H, A):
    """Write ``A = 1 + H W``."""
    for i in range(len(kind)):
        a, end = start[i], start[i + 1]
        for k in range(a, end):
            for c in range(len(W)):
                s = 0.0
                for j in range(a, end):
                    s += H[k, j - a] * W[j, c]
                A[k, c] = s
            A[k, k] += 1.0


@inner
def solve_linear(A, x):
    """Overwrite x with ``A^-1 x`` by elimination with row pivots; overwrite A."""
    n = len(x)
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[best, k]):
                best = i
        if best != k:
            for j in range(k, n):
                A[k, j], A[best, j] = A[best, j], A[k, j]
            x[k], x[best] = x[best], x[k]
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            if factor != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= factor * A[k, j]
                x[i] -= factor * x[k]
    for k in range(n - 1, -1, -1):
        s = x[k]
        for j in range(k + 1, n):
            s -= A[k, j] * x[j]
        x[k] = s / A[k, k]


@inner
def slope(r, y, d, g, alpha, R, kind, start, mu, lower, upper, trial, f, H):
    """Return the first two derivatives of the cost at ``r + alpha d``; ``g = W d``.

    The cost is ``1/2 r'W r + s(W r + b)`` with the convex s that has the gradient -P; it
    corresponds to the cost of the accelerations in the primal problem. The derivatives are
    ``g'(r - P(y))`` and ``g'd + g'H g``.
    """
    for k in range(len(r)):
        trial[k] = y[k] + alpha * g[k]
    answer(trial, R, kind, start, mu, lower, upper, f, H)
    first, second = 0.0, 0.0
    for i in range(len(kind)):
        a, end = start[i], start[i + 1]
        for k in range(a, end):
            first += g[k] * (r[k] + alpha * d[k] - f[k])
            second += g[k] * d[k]
            for j in range(a, end):
                second += g[k] * H[k, j - a] * g[j]
    return first, second


@inner
def search(r, y, d, g, R, kind, start, mu, lower, upper, trial, f, H):
    """Return the step length along d, by Newton's method on the slope within a bracket."""
    least, most, alpha = 0.0, math.inf, 1.0
    at_start, _ = slope(r, y, d, g, 0.0, R, kind, start, mu, lower, upper, trial, f, H)
    for _ in range(SEARCHES):
        first, second = slope(r, y, d, g, alpha, R, kind, start, mu, lower, upper, trial, f, H)
        if abs(first) <= ENOUGH * abs(at_start):
            break
        if first < 0.0:
            least = alpha
        else:
            most = alpha
        following = alpha - first / second if second > 0.0 else most
        if not least < following < most:
            following = 2.0 * alpha if most == math.inf else 0.5 * (least + most)
        alpha = following
    return alpha


@kernel
def minimise(W, b, R, kind, start, mu, lower, upper, r, tolerance, iterations, A, H, work):
    """Overwrite r, the start, with the minimum of ``1/2 r'(W + R) r + b'r`` over the blocks' sets.

    Newton's method on ``r - P(W r + b) = 0``, with steps ``(1 + H W) d = P - r`` and an exact line
    search on the cost of ``slope``. It converges from any start; near the answer one step is exact.

    Args:
        W: shape (n, n), Delassus matrix, [1/kg].
        b: shape (n,), [m/s].
        R: shape (n,), > 0, [1/kg]; for a pyramid's tangents the R of their edges.
        kind: shape (blocks,), an ``ImpulseSet``.
        start: shape (blocks + 1,), first row of each.
        mu: shape (blocks,).
        lower: shape (blocks,), lower bounds of ``FREE`` and ``HELD``, [N s].
        upper: shape (blocks,), upper bounds, [N s].
        r: shape (n,), [N s].
        tolerance: largest ``|W (P - r)|`` that is accepted, [m/s].
        iterations: most Newton steps.
        A: shape (n, n), work space.
        H: shape (n, 6), work space.
        work: shape (5, n), work space.

    Returns:
        Newton steps, and the largest ``|W (P - r)|`` of a row, [m/s].
    """
    y, f, d, g, trial = work[0], work[1], work[2], work[3], work[4]
    n, done, error = len(b), 0, math.inf
    while True:
        multiply(W, r, y)
        for k in range(n):
            y[k] += b[k]
        answer(y, R, kind, start, mu, lower, upper, f, H)
        for k in range(n):
            d[k] = f[k] - r[k]
        multiply(W, d, g)
        error = 0.0
        for k in range(n):
            error = max(error, abs(g[k]))
        if error <= tolerance or done == iterations or not error < math.inf:
            break
        newton_matrix(W, kind, start, H, A)
        solve_linear(A, d)
        multiply(W, d, g)
        alpha = search(r, y, d, g, R, kind, start, mu, lower, upper, trial, f, H)
        for k in range(n):
            r[k] += alpha * d[k]
        done += 1
    for k in range(n):
        r[k] = f[k]
    return done, error
