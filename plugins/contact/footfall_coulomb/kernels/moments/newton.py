"""Newton's method for problems with moments, as ``kernels.newton.canonical`` for those without.

It uses the function of Alart and Curnier (1991), with a contact's tangential rows in one ball:
``F_n = r_n - max(0, y_n)``, ``F_s = r_s - P(y_s)`` with ``y = r - u / w``, w the largest diagonal
entry of the contact's six rows, and P the projection on ``|x| <= mu max(0, y_n)``. All rows of all
contacts give way alike, ``u = W r + b + e (r - a)``; those of moments are in m/s and N s, so that
their compliance is that of a normal over the square of their length.
"""

from __future__ import annotations

import math

from footfall.api.advanced import solve_dense
from footfall.api.contact import BlockKind, ProblemSize
from footfall.api.kernels import inner, routine
from footfall_coulomb.kernels.gauss_seidel import copy
from footfall_coulomb.kernels.moments.six_rows import (
    SLIPS,
    natural_map,
    place,
    six_rows_weight,
)
from footfall_coulomb.kernels.newton.canonical import ANCHORS, NEAREST, SMALL, SOFTER, SOFTNESS
from footfall_coulomb.kernels.newton.dense import write_dense
from footfall_coulomb.kernels.sweep import largest_diagonal

STEPS = 40
"""Most steps of an attempt: a cone of six rows is curved in more directions than one of three."""
EXACT, NEAR = 1e-9, 1e-3
"""e of steps whose anchor follows, relative to the mean W_nn of the contacts."""


@inner
def keep_row(J, D, F, a, rho, u, n):
    """Write the row of a bilateral equation: ``F = rho u``, ``dF = rho W dr``."""
    F[a] = rho * u
    for b in range(n):
        J[a, b] = rho * D[a, b]


@inner
def fix_row(J, F, a, value, n):
    """Write the row of a fixed impulse: ``F = value``, ``dF = dr``."""
    F[a] = value
    for b in range(n):
        J[a, b] = 0.0
    J[a, a] = 1.0


@inner
def slip_rows(J, D, F, at, r, rho, y0, y1, size, mu, yn, n):
    """Write the tangential rows of a slipping contact.

    ``F_t = r_t - R e``, ``R = mu y_n``, ``e = y_t / |y_t|``;
    ``dF_t = dr_t - mu e (dr_n - rho du_n) - R/|y_t| (1 - e e') (dr_t - rho du_t)``.
    """
    e0, e1 = y0 / size, y1 / size
    radius = mu * yn
    q = radius / size
    g00, g01, g11 = q * (1.0 - e0 * e0), -q * e0 * e1, q * (1.0 - e1 * e1)
    F[at], F[at + 1] = r[at] - radius * e0, r[at + 1] - radius * e1
    for b in range(n):
        d0, d1, dn = rho * D[at, b], rho * D[at + 1, b], rho * D[at + 2, b]
        J[at, b] = mu * e0 * dn + g00 * d0 + g01 * d1
        J[at + 1, b] = mu * e1 * dn + g01 * d0 + g11 * d1
    J[at, at] += 1.0 - g00
    J[at, at + 1] -= g01
    J[at, at + 2] -= mu * e0
    J[at + 1, at] -= g01
    J[at + 1, at + 1] += 1.0 - g11
    J[at + 1, at + 2] -= mu * e1


@inner
def linearise_block(problem, D, r, u, J, F, i):
    """Write block i's rows of F and of its Jacobian."""
    n, row = problem.size[ProblemSize.ROWS], problem.row
    at, w = row[i], largest_diagonal(problem, i)
    if w <= 0.0:
        for a in range(at, row[i + 1]):
            fix_row(J, F, a, r[a], n)
        return
    rho = 1.0 / w
    if problem.kind[i] != BlockKind.CONE:
        low, high = 0.0, 1e300
        if problem.kind[i] == BlockKind.BOX:
            low, high = problem.lower[i], problem.upper[i]
        y = r[at] - rho * u[at]
        if y < low:
            fix_row(J, F, at, r[at] - low, n)
        elif y > high:
            fix_row(J, F, at, r[at] - high, n)
        else:
            keep_row(J, D, F, at, rho, u[at], n)
        return
    yn = r[at + 2] - rho * u[at + 2]
    if yn <= 0.0:
        for a in range(at, at + 3):
            fix_row(J, F, a, r[a], n)
        return
    keep_row(J, D, F, at + 2, rho, u[at + 2], n)
    y0, y1 = r[at] - rho * u[at], r[at + 1] - rho * u[at + 1]
    size = math.sqrt(y0 * y0 + y1 * y1)
    if size <= problem.mu[i] * yn:
        keep_row(J, D, F, at, rho, u[at], n)
        keep_row(J, D, F, at + 1, rho, u[at + 1], n)
    else:
        slip_rows(J, D, F, at, r, rho, y0, y1, size, problem.mu[i], yn, n)


@inner
def linearise_six(problem, D, r, u, J, F, i, six):
    """Write contact i's six rows of F and of its Jacobian.

    If it slips, with ``e = y_s / |y_s|``, ``R = mu y_n`` and ``G = R / |y_s| (1 - e e')``:
    ``F_s = r_s - R e``, ``dF_s = dr_s - mu e (dr_n - du_n / w) - G (dr_s - du_s / w)``.
    """
    n, mu, normal = problem.size[ProblemSize.ROWS], problem.mu[i], place(problem, i, SLIPS)
    w = six_rows_weight(problem, i)
    yn, square = r[normal] - u[normal] / w if w > 0.0 else 0.0, 0.0
    if not yn > 0.0:
        for k in range(SLIPS + 1):
            a = place(problem, i, k)
            fix_row(J, F, a, r[a], n)
        return
    keep_row(J, D, F, normal, 1.0 / w, u[normal], n)
    for k in range(SLIPS):
        a = place(problem, i, k)
        six.c[k] = r[a] - u[a] / w
        square += six.c[k] * six.c[k]
    size, radius = math.sqrt(square), mu * yn
    if size <= radius:
        for k in range(SLIPS):
            a = place(problem, i, k)
            if D[a, a] > 0.0:
                keep_row(J, D, F, a, 1.0 / w, u[a], n)
            else:
                fix_row(J, F, a, r[a], n)
        return
    q = radius / size
    for b in range(n):
        along = 0.0
        for k in range(SLIPS):
            along += six.c[k] / size * D[place(problem, i, k), b]
        for k in range(SLIPS):
            a, e = place(problem, i, k), six.c[k] / size
            J[a, b] = (mu * e * D[normal, b] + q * (D[a, b] - e * along)) / w
    for k in range(SLIPS):
        a, e = place(problem, i, k), six.c[k] / size
        F[a] = r[a] - radius * e
        J[a, a] += 1.0 - q
        J[a, normal] -= mu * e
        for c in range(SLIPS):
            J[a, place(problem, i, c)] += q * e * six.c[c] / size


@routine
def linearise(problem, D, r, u, J, F, six):
    """Write F and its Jacobian."""
    for i in range(problem.size[ProblemSize.BLOCKS]):
        if problem.kind[i] == BlockKind.CONE and problem.moments[i] >= 0:
            linearise_six(problem, D, r, u, J, F, i, six)
        elif problem.kind[i] != BlockKind.MOMENT:
            linearise_block(problem, D, r, u, J, F, i)


@routine
def weigh(problem, work, six):
    """Write W, and of each row its diagonal entry, the weight of F, and what it gives way by."""
    write_dense(problem, work.D)
    total, count = 0.0, 0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        w = largest_diagonal(problem, i)
        if problem.kind[i] >= BlockKind.CONE and problem.moments[i] >= 0:
            w = six_rows_weight(
                problem, i if problem.kind[i] == BlockKind.CONE else problem.moments[i]
            )
        for a in range(problem.row[i], problem.row[i + 1]):
            six.diagonal[a], six.weight[a], six.soft[a] = work.D[a, a], w, w
        if problem.kind[i] == BlockKind.CONE and w > 0.0:
            total += 1.0 / max(work.D[problem.row[i] + 2, problem.row[i] + 2], 1e-6 * w)
            count += 1
    for i in range(problem.size[ProblemSize.BLOCKS]):
        if problem.kind[i] >= BlockKind.CONE and six.weight[problem.row[i]] > 0.0:
            for a in range(problem.row[i], problem.row[i + 1]):
                six.soft[a] = count / total


@routine
def newton(problem, free, offset, r, softness, follow, small, work, six):
    """Do Newton steps of full length; return whether F is small.

    ``follow``: whether every iterate becomes the anchor. The answer is then an exact one.
    """
    n, D, u = problem.size[ProblemSize.ROWS], work.D, work.u
    for a in range(n):
        D[a, a] = six.diagonal[a] + softness * six.soft[a]
    for _ in range(STEPS):
        if follow:
            copy(r, six.anchor, n)
        for a in range(n):
            s = free[a] + offset[a] - softness * six.soft[a] * six.anchor[a]
            for b in range(n):
                s += D[a, b] * r[b]
            u[a] = s
        linearise(problem, D, r, u, work.J, work.F, six)
        error = 0.0
        for a in range(n):
            error = max(error, abs(work.F[a]) * six.weight[a])
        if error <= small:
            return True
        if not solve_dense(work.J, six.pivot, work.F, n, False):
            return False
        for a in range(n):
            r[a] -= work.F[a]
    return False


@inner
def soft_answer(problem, free, offset, r, small, work, six):
    """Overwrite r by the answer for contacts that give way a little; return whether it was found.

    It is looked for from r, then along a path from soft contacts and no impulse.
    """
    n = problem.size[ProblemSize.ROWS]
    for a in range(n):
        six.anchor[a] = 0.0
    if newton(problem, free, offset, r, SOFTNESS, False, small, work, six):
        return True
    for a in range(n):
        r[a] = six.best[a] = 0.0
    softness, factor, reached = 1.0, SOFTER, 0.0
    while factor < NEAREST:
        if newton(problem, free, offset, r, softness, False, small, work, six):
            if softness <= SOFTNESS:
                return True
            copy(r, six.best, n)
            reached, factor = softness, max(SOFTER, factor * factor)
        else:
            copy(six.best, r, n)
            factor = math.sqrt(factor)
            if reached == 0.0:
                return False
        softness = max(SOFTNESS, reached * factor)
    return False


@routine
def find(problem, free, offset, r, residual, tolerance, work, six):
    """Overwrite r by the canonical answer, or by an exact one; return its residual.

    Without success r stays as it is, and the given residual is returned.
    """
    n, small = problem.size[ProblemSize.ROWS], SMALL * tolerance
    weigh(problem, work, six)
    copy(r, six.given, n)
    if soft_answer(problem, free, offset, r, small, work, six):
        for _ in range(ANCHORS):
            if natural_map(problem, free, offset, r, six) <= small:
                break
            copy(r, six.anchor, n)
            copy(r, six.best, n)
            if not newton(problem, free, offset, r, SOFTNESS, False, small, work, six):
                copy(six.best, r, n)
                break
    for softness in (0.0, EXACT, NEAR):
        if softness > 0.0:
            newton(problem, free, offset, r, softness, True, small, work, six)
        found = natural_map(problem, free, offset, r, six)
        if found <= tolerance:
            return found
    copy(six.given, r, n)
    return residual
