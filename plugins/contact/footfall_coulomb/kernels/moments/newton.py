"""Newton's method for problems with moments, for when sweeps are slow: many contacts, singular W.

It uses the function of Alart and Curnier (1991), with a contact's tangential rows in one ball:
``F_n = r_n - max(0, y_n)``, ``F_s = r_s - P(y_s)`` with ``y = r - u / w``, w the largest diagonal
entry of the contact's six rows, and P the projection on ``|x| <= mu max(0, y_n)``. A few steps
start from the answer of the sweeps. ``continuation`` calls ``evaluate`` and ``finish``.
"""

from __future__ import annotations

import math

from footfall.api.advanced import largest_diagonal, project_cone
from footfall.api.contact import BlockKind, ProblemSize, problem_from_arrays
from footfall.api.kernels import inner, kernel, opener, routine
from footfall_coulomb.kernels.gauss_seidel import copy
from footfall_coulomb.kernels.moments.path import Path, merit, path, soft_velocity
from footfall_coulomb.kernels.moments.six_rows import (
    SLIPS,
    SixRows,
    natural_map,
    place,
    six_rows_weight,
)
from footfall_coulomb.kernels.newton.dense import solve_dense, write_dense

RIGID = 1e-9
"""Proximal term on W, relative to its mean diagonal. It makes the system regular if W is singular,
and vanishes at the solution."""
STEPS, MISSED = 12, 1
"""Most steps of an attempt; most steps that may fail to halve the natural map."""
six_rows_of_path = opener(SixRows, len(Path._fields))
"""Opener of the scratch; its table holds a ``Path``, then the scratch."""


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
def into_set(problem, r, i):
    """Project the impulse of block i onto its cone or bounds."""
    at = problem.row[i]
    if problem.kind[i] == BlockKind.CONE:
        r[at], r[at + 1], r[at + 2] = project_cone(r[at], r[at + 1], r[at + 2], problem.mu[i])
    elif problem.kind[i] == BlockKind.BOX:
        r[at] = min(max(r[at], problem.lower[i]), problem.upper[i])
    else:
        r[at] = max(r[at], 0.0)


@inner
def open_dense(problem, work):
    """Write the dense matrix for steps in all rows; return the mean of its diagonal, [1/kg]."""
    scale = write_dense(problem, work.D)
    for a in range(problem.size[ProblemSize.ROWS]):
        work.D[a, a] += RIGID * scale
    return scale


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


@inner
def into_cones(problem, r):
    """Project impulses back onto their cones and bounds after a Newton step."""
    for i in range(problem.size[ProblemSize.BLOCKS]):
        if problem.kind[i] == BlockKind.CONE and problem.moments[i] >= 0:
            normal, square = place(problem, i, SLIPS), 0.0
            for k in range(SLIPS):
                square += r[place(problem, i, k)] ** 2
            size = math.sqrt(square)
            inside, _, r[normal] = project_cone(size, 0.0, r[normal], problem.mu[i])
            for k in range(SLIPS):
                r[place(problem, i, k)] *= inside / size if size > 0.0 else 0.0
        elif problem.kind[i] != BlockKind.MOMENT:
            into_set(problem, r, i)


@routine
def newton(problem, free, offset, r, residual, tolerance, work, six):
    """Do full Newton steps on the whole problem and keep the best answer; return its residual.

    The natural map may rise before it falls, since the set of slipping contacts often
    has to change first.
    """
    n, missed = problem.size[ProblemSize.ROWS], 0
    scale = open_dense(problem, work)
    copy(r, six.best, n)
    for _ in range(STEPS):
        velocity(work.D, RIGID * scale, free, offset, r, n, work.u)
        linearise(problem, work.D, r, work.u, work.J, work.F, six)
        if not solve_dense(work.J, six.pivot, work.F, n):
            break
        for a in range(n):
            r[a] -= work.F[a]
        into_cones(problem, r)
        reached = natural_map(problem, free, offset, r, six)
        missed += 0 if reached < 0.5 * residual else 1
        if reached < residual:
            residual = reached
            copy(r, six.best, n)
        if residual <= tolerance or missed > MISSED:
            break
    copy(six.best, r, n)
    return residual


@kernel
def evaluate(table, space, softness):
    """Write u, F and J at r for ``W + softness diag(weight)``; return the merit."""
    problem, at = problem_from_arrays(table), path(space)
    soft_velocity(problem, at, softness)
    linearise(problem, at.D, at.r, at.u, at.J, at.F, six_rows_of_path(space))
    return merit(problem, at)


@kernel
def finish(table, space):
    """Project r onto its cones and make it the problem's impulse; return the natural map, [m/s]."""
    problem, at, six = problem_from_arrays(table), path(space), six_rows_of_path(space)
    into_cones(problem, at.r)
    copy(at.r, problem.impulse, problem.size[ProblemSize.ROWS])
    return natural_map(problem, problem.free_velocity, problem.offset, problem.impulse, six)
