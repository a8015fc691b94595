"""Semi-smooth Newton steps on the whole problem, for when Gauss-Seidel is slow.

Gauss-Seidel converges slowly where impulses of several contacts can grow against each other with
little effect on velocities (two feet on the ground, stiff legs). Newton's method on the function of
Alart and Curnier (1991) then converges in a few steps:
``F_n = r_n - max(0, y_n)``, ``F_t = r_t - P(y_t)`` with ``y = r - rho u`` and P the projection on
the disk of radius ``mu max(0, y_n)``.
"""

from __future__ import annotations

import math

from footfall.kernels.compile import inner, routine
from footfall.kernels.residuals import largest_diagonal, project_cone
from footfall_coulomb.kernels_sweep import natural_map

BOX, CONE = 2, 3
PANEL = 4
"""Columns that are eliminated at a time."""
STIFF, MIDDLE, SOFT = 1e-5, 1e-3, 1e-2
"""Proximal terms on W of a first attempt, relative to its mean diagonal; they vanish at the
solution. Where contacts are redundant W is singular, and impulses that nothing tells apart run away
if the term is small; the larger it is, the slower the steps are, but the wider is the way to the
solution."""
RIGID_STEPS, STIFF_STEPS, MIDDLE_STEPS, SOFT_STEPS = 6, 11, 16, 22
"""Steps after which each of these is given up."""
POLISHED, USEFUL = 1e-4, 0.1
"""An answer within the tolerance is made better up to the first of it, as long as each step brings
it to the second of what it was: the next step then starts from it and often needs one sweep."""
RIGID = 1e-9
"""The same of later attempts, which only make Newton's matrix regular where W is not."""


@routine
def write_dense(problem, D):
    """Write the Delassus matrix to D[:n, :n]; return the mean of its diagonal."""
    n, row, W = problem.size[1], problem.row, problem.W
    for a in range(n):
        for b in range(n):
            D[a, b] = 0.0
    trace = 0.0
    for i in range(problem.size[0]):
        rows = row[i + 1] - row[i]
        for p in range(problem.pair_start[i], problem.pair_start[i + 1]):
            j, at = problem.pair_block[p], problem.pair_data[p]
            columns = row[j + 1] - row[j]
            for a in range(rows):
                for b in range(columns):
                    D[row[i] + a, row[j] + b] = W[at + a * columns + b]
        for a in range(row[i], row[i + 1]):
            trace += D[a, a]
    return trace / n


@inner
def proximal_of(k, first):
    """Return the relative proximal term of the k-th step of an attempt."""
    if not first or k < RIGID_STEPS:
        return RIGID
    return STIFF if k < STIFF_STEPS else MIDDLE if k < MIDDLE_STEPS else SOFT


@inner
def velocity(D, e, free, offset, r, n, u):
    """Write ``u = W r + free + offset``, with ``W = D - e``."""
    for a in range(n):
        s = free[a] + offset[a] - e * r[a]
        for b in range(n):
            s += D[a, b] * r[b]
        u[a] = s


@inner
def keep_row(J, D, F, a, rho, u, n):
    """Row of a bilateral equation: ``F = rho u``, ``dF = rho W dr``."""
    F[a] = rho * u
    for b in range(n):
        J[a, b] = rho * D[a, b]


@inner
def fix_row(J, F, a, value, n):
    """Row of a fixed impulse: ``F = value``, ``dF = dr``."""
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


@routine
def linearise(problem, D, r, u, J, F):
    """Write F and its Jacobian."""
    n, row = problem.size[1], problem.row
    for i in range(problem.size[0]):
        at, w = row[i], largest_diagonal(problem, i)
        if w <= 0.0:
            for a in range(at, row[i + 1]):
                fix_row(J, F, a, r[a], n)
            continue
        rho = 1.0 / w
        if problem.kind[i] != CONE:
            low, high = 0.0, 1e300
            if problem.kind[i] == BOX:
                low, high = problem.lower[i], problem.upper[i]
            y = r[at] - rho * u[at]
            if y < low:
                fix_row(J, F, at, r[at] - low, n)
            elif y > high:
                fix_row(J, F, at, r[at] - high, n)
            else:
                keep_row(J, D, F, at, rho, u[at], n)
            continue
        yn = r[at + 2] - rho * u[at + 2]
        if yn <= 0.0:
            for a in range(at, at + 3):
                fix_row(J, F, a, r[a], n)
            continue
        keep_row(J, D, F, at + 2, rho, u[at + 2], n)
        y0, y1 = r[at] - rho * u[at], r[at + 1] - rho * u[at + 1]
        size = math.hypot(y0, y1)
        if size <= problem.mu[i] * yn:
            keep_row(J, D, F, at, rho, u[at], n)
            keep_row(J, D, F, at + 1, rho, u[at + 1], n)
        else:
            slip_rows(J, D, F, at, r, rho, y0, y1, size, problem.mu[i], yn, n)


@inner
def factor_panel(J, F, first, end, n):
    """Eliminate columns ``first`` to ``end`` within themselves, with row pivoting; False: singular.

    Factors are left below the diagonal.
    """
    for k in range(first, end):
        p = k
        for a in range(k + 1, n):
            if abs(J[a, k]) > abs(J[p, k]):
                p = a
        if abs(J[p, k]) < 1e-300:
            return False
        if p != k:
            for b in range(first, n):
                J[k, b], J[p, b] = J[p, b], J[k, b]
            F[k], F[p] = F[p], F[k]
        inverse = 1.0 / J[k, k]
        for a in range(k + 1, n):
            J[a, k] *= inverse
            for b in range(k + 1, end):
                J[a, b] -= J[a, k] * J[k, b]
    for k in range(first, end):
        for c in range(first, k):
            for b in range(end, n):
                J[k, b] -= J[k, c] * J[c, b]
            F[k] -= J[k, c] * F[c]
    return True


@routine
def solve_dense(J, F, n):
    """Overwrite F with J^-1 F by Gaussian elimination with row pivoting; False if singular.

    Four columns at a time: each row below is then read and written a quarter as often.
    """
    for first in range(0, n, PANEL):
        end = min(first + PANEL, n)
        if not factor_panel(J, F, first, end, n):
            return False
        if end == n:
            break
        r0, r1, r2, r3 = J[first], J[first + 1], J[first + 2], J[first + 3]
        for a in range(end, n):
            row = J[a]
            f0, f1, f2, f3 = row[first], row[first + 1], row[first + 2], row[first + 3]
            if f0 != 0.0 or f1 != 0.0 or f2 != 0.0 or f3 != 0.0:
                for b in range(end, n):
                    row[b] -= f0 * r0[b] + f1 * r1[b] + f2 * r2[b] + f3 * r3[b]
                F[a] -= f0 * F[first] + f1 * F[first + 1] + f2 * F[first + 2] + f3 * F[first + 3]
    for k in range(n - 1, -1, -1):
        s = F[k]
        for b in range(k + 1, n):
            s -= J[k, b] * F[b]
        F[k] = s / J[k, k]
    return True


@inner
def into_cones(problem, r):
    """Bring impulses that a Newton step left outside their cones back onto them."""
    for i in range(problem.size[0]):
        at = problem.row[i]
        if problem.kind[i] == CONE:
            r[at], r[at + 1], r[at + 2] = project_cone(r[at], r[at + 1], r[at + 2], problem.mu[i])
        elif problem.kind[i] == BOX:
            r[at] = min(max(r[at], problem.lower[i]), problem.upper[i])
        else:
            r[at] = max(r[at], 0.0)


@routine
def newton(problem, free, offset, r, residual, first, tolerance, work):
    """Do Newton steps of a fixed length and keep the best answer seen; return its residual.

    The natural map may rise on the way: near a kink of F a step that changes which contacts slip is
    often needed before it falls. The first attempt does full steps; where those with a small
    proximal term lead nowhere, others with a larger one start from the best answer. Later attempts
    do half steps. The answer returned is never worse than the one given.
    """
    D, J, F, u, best = work.D, work.J, work.F, work.u, work.best
    n, length = problem.size[1], 1.0 if first else 0.5
    scale, e = write_dense(problem, D), 0.0
    for a in range(n):
        best[a] = r[a]
    for k in range(SOFT_STEPS):
        wanted = proximal_of(k, first) * scale
        if wanted != e:
            for a in range(n):
                D[a, a] += wanted - e
                r[a] = best[a]
            e = wanted
        velocity(D, e, free, offset, r, n, u)
        linearise(problem, D, r, u, J, F)
        if not solve_dense(J, F, n):
            break
        for a in range(n):
            r[a] -= length * F[a]
        into_cones(problem, r)
        reached = natural_map(problem, free, offset, r)
        before = residual
        if reached < residual:
            residual = reached
            for a in range(n):
                best[a] = r[a]
        good = residual <= POLISHED * tolerance or residual > USEFUL * before
        if residual <= tolerance and good:
            break
    for a in range(n):
        r[a] = best[a]
    return residual
