"""Semi-smooth Newton steps on the whole problem, for when Gauss-Seidel is slow.

Gauss-Seidel converges slowly if impulses of several contacts can grow against each other with
little effect on velocities (two feet on the ground, stiff legs). Newton's method on the function of
Alart and Curnier (1991) then converges in a few steps:
``F_n = r_n - max(0, y_n)``, ``F_t = r_t - P(y_t)`` with ``y = r - rho u`` and P the projection on
the disk of radius ``mu max(0, y_n)``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from footfall.api.advanced import by_type, largest_diagonal, project_cone
from footfall.api.contact import BlockKind, ProblemSize
from footfall.api.kernels import inner, routine
from footfall_coulomb.kernels.newton.dense import solve_dense, write_dense
from footfall_coulomb.kernels.newton.system import (
    solve_system,
    times_factor,
    times_transposed,
    write_system,
)
from footfall_coulomb.kernels.sweep import natural_map
from footfall_coulomb.workspace import StepCount

STEPS = 12
"""Most steps of an attempt."""
POLISHED, USEFUL = 1e-4, 0.1
"""An answer within the tolerance is refined until its residual is ``POLISHED`` times the tolerance,
as long as each step multiplies the residual by ``USEFUL`` or less. The next time step starts from
it and then often needs one sweep only."""
MISSED = 3
"""Most steps of an attempt that may fail to halve the natural map. Steps are of full length: with
steps shortened until the natural map falls, fewer attempts reach an answer."""
RIGID = 1e-9
"""Proximal term on W, relative to its mean diagonal. It makes the system regular if W is singular,
and vanishes at the solution."""
RIGID_BLOCK = 1e-6
"""The same for each block of W, relative to its own diagonal, for systems in the factor's columns.
The smaller it is, the more digits such a system loses."""


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


@routine
def linearise(problem, D, r, u, J, F):
    """Write F and its Jacobian."""
    for i in range(problem.size[ProblemSize.BLOCKS]):
        linearise_block(problem, D, r, u, J, F, i)


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
def into_cones(problem, r):
    """Project the impulses of all blocks onto their cones or bounds."""
    for i in range(problem.size[ProblemSize.BLOCKS]):
        into_set(problem, r, i)


@inner
def open_dense(problem, work):
    """Write the dense matrix for steps in all rows; return the mean of its diagonal, [1/kg]."""
    scale = write_dense(problem, work.D)
    for a in range(problem.size[ProblemSize.ROWS]):
        work.D[a, a] += RIGID * scale
    return scale


@routine
def dense_step(problem, free, offset, r, scale, work, low, columns):
    """Do a Newton step in all rows; return False if the system is singular."""
    D, J, F, u = work.D, work.J, work.F, work.u
    n = problem.size[ProblemSize.ROWS]
    velocity(D, RIGID * scale, free, offset, r, n, u)
    linearise(problem, D, r, u, J, F)
    if not solve_dense(J, F, n):
        return False
    for a in range(n):
        r[a] -= F[a]
    return True


@inner
def respond_row(problem, low, i, r, u, e):
    """Write c and M of block i, which has one row; see ``respond``."""
    at, w, least, high = problem.row[i], low.weight[i], 0.0, 1e300
    if problem.kind[i] == BlockKind.BOX:
        least, high = problem.lower[i], problem.upper[i]
    y = r[at] - u[at] / w
    low.trial[at] = r[at] - least if y < least else r[at] - high if y > high else u[at] / e
    low.M[i, 0] = 0.0 if y < least or y > high else 1.0 / e


@inner
def respond_slipping(M, c, at, r, y0, y1, size, mu, yn, un, w, e):
    """Write c and M of a slipping contact; see ``respond``.

    With ``h = y_t / |y_t|``, ``R = mu y_n``, ``G = R / |y_t| (1 - h h')`` and
    ``T = 1 - G (1 - e / w)``:
    ``c_t = T^-1 (r_t - R h + mu h (1 - e / w) u_n / e)`` and ``M_t = T^-1 [G / w, mu h / e]``.
    """
    h0, h1, radius = y0 / size, y1 / size, mu * yn
    q, part = radius / size, 1.0 - e / w
    g00, g01, g11 = q * (1.0 - h0 * h0), -q * h0 * h1, q * (1.0 - h1 * h1)
    t00, t01, t11 = 1.0 - part * g00, -part * g01, 1.0 - part * g11
    det = t00 * t11 - t01 * t01
    i00, i01, i11 = t11 / det, -t01 / det, t00 / det
    push = mu * part * un / e
    f0, f1 = r[at] - radius * h0 + h0 * push, r[at + 1] - radius * h1 + h1 * push
    c[at], c[at + 1] = i00 * f0 + i01 * f1, i01 * f0 + i11 * f1
    k = mu / e
    M[0], M[1] = (i00 * g00 + i01 * g01) / w, (i00 * g01 + i01 * g11) / w
    M[3], M[4] = (i01 * g00 + i11 * g01) / w, (i01 * g01 + i11 * g11) / w
    M[2], M[5] = k * (i00 * h0 + i01 * h1), k * (i01 * h0 + i11 * h1)


@inner
def respond(problem, low, r, u, softness):
    """Write c and M of ``dr = -c - M du`` of every block, from its rows of ``F + dF = 0``.

    With the proximal term these rows are ``A dr + B (du + e dr) = -F``. c goes to ``low.trial``.
    """
    for i in range(problem.size[ProblemSize.BLOCKS]):
        at, w, M, c = problem.row[i], low.weight[i], low.M[i], low.trial
        e = softness * w
        for k in range(9):
            M[k] = 0.0
        last = problem.row[i + 1] - 1
        if w <= 0.0 or (problem.kind[i] == BlockKind.CONE and r[last] - u[last] / w <= 0.0):
            for a in range(at, last + 1):
                c[a] = 0.0 if w < 0.0 else r[a]
            continue
        if problem.kind[i] != BlockKind.CONE:
            respond_row(problem, low, i, r, u, e)
            continue
        yn = r[last] - u[last] / w
        c[at + 2], M[8] = u[at + 2] / e, 1.0 / e
        y0, y1 = r[at] - u[at] / w, r[at + 1] - u[at + 1] / w
        size = math.sqrt(y0 * y0 + y1 * y1)
        if size <= problem.mu[i] * yn:
            c[at], c[at + 1] = u[at] / e, u[at + 1] / e
            M[0], M[4] = 1.0 / e, 1.0 / e
        else:
            mu = problem.mu[i]
            respond_slipping(M, c, at, r, y0, y1, size, mu, yn, u[at + 2], w, e)


@routine
def factored_step(problem, free, offset, r, softness, work, low, columns):
    """Do a Newton step in the columns of a factor; return False if the system is singular.

    With ``dr = -c - M Z dy``, ``dy = Z' dr``: ``(1 + Z' M Z) dy = -Z' c``. The proximal term is
    ``softness`` times the largest diagonal entry of each block.
    """
    n, d, du = problem.size[ProblemSize.ROWS], low.d, low.du
    times_transposed(problem, low, columns, r, low.y)
    times_factor(problem, low, low.y, low.u)
    for a in range(n):
        low.u[a] += free[a] + offset[a]
    respond(problem, low, r, low.u, softness)
    times_transposed(problem, low, columns, low.trial, d)
    write_system(problem, low)
    if not solve_system(low, d):
        return False
    times_factor(problem, low, d, du)  # d is -dy: it was solved for c, not for -c
    for i in range(problem.size[ProblemSize.BLOCKS]):
        at, M = problem.row[i], low.M[i]
        if problem.kind[i] != BlockKind.CONE:
            r[at] -= low.trial[at] - M[0] * du[at]
            continue
        for a in range(3):
            s = low.trial[at + a]
            for b in range(3):
                s -= M[3 * a + b] * du[at + b]
            r[at + a] -= s
    return True


class AllRows(NamedTuple):
    """Steps in all rows, with the matrix that ``open_dense`` writes."""


class Columns(NamedTuple):
    """Steps in the columns of a factor."""


ALL_ROWS, COLUMNS = AllRows(), Columns()
newton_step = by_type({AllRows: dense_step, Columns: factored_step})


@routine
def newton(way, problem, free, offset, r, residual, tolerance, scale, work, low, columns):
    """Do Newton steps of full length and keep the best answer; return its residual.

    ``way``: ``ALL_ROWS`` or ``COLUMNS``; ``scale``: the mean diagonal of W, or the softness.

    The natural map may rise before it falls: near a kink of F the set of slipping contacts often
    has to change first. The returned answer is never worse than the given one.
    """
    n, best, missed = problem.size[ProblemSize.ROWS], low.best, 0
    for a in range(n):
        best[a] = r[a]
    for _ in range(STEPS):
        low.counts[StepCount.NEWTON] += 1
        if not newton_step(way, problem, free, offset, r, scale, work, low, columns):
            break
        into_cones(problem, r)
        reached, before = natural_map(problem, free, offset, r), residual
        if reached < residual:
            residual = reached
            for a in range(n):
                best[a] = r[a]
        if not reached < 0.5 * before:
            missed += 1
        good = residual <= POLISHED * tolerance or residual > USEFUL * before
        if (residual <= tolerance and good) or missed > MISSED:
            break
    for a in range(n):
        r[a] = best[a]
    return residual
