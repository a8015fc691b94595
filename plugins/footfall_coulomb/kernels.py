"""Block Gauss-Seidel over typed blocks."""

from __future__ import annotations

import math

from footfall.kernels.compile import inner, kernel, routine
from footfall.kernels.residuals import largest_diagonal, natural_map_cone, project_cone
from footfall.kernels.table import lone_problem
from footfall_coulomb.kernels_local import solve_cone
from footfall_coulomb.kernels_newton import linearise, solve_dense, velocity, write_dense
from footfall_coulomb.workspace import workspace

UNILATERAL, BOX, CONE = 1, 2, 3
PATIENCE = 40
"""Sweeps between attempts of Newton's method."""
NEWTON_STEPS = 20
CORRECTION_SWEEPS = 50
"""Most sweeps for the split impulses, which need not be exact."""


@inner
def write_offsets(problem):
    """Write what the law adds to ``J v+``: ``gap / dt`` of open points; in an impact ``e u_n-``.

    Moreau's form of Newton's hypothesis, ``0 <= r_n  perp  u_n+ + e u_n- >= 0`` for separating
    points as well, gains no energy when all points have one e and there is no friction.
    """
    impulsive, dt = problem.size[3] == 1, problem.dt[0]
    for i in range(problem.size[0]):
        last = problem.row[i + 1] - 1
        for a in range(problem.row[i], last + 1):
            problem.offset[a] = 0.0
        if problem.kind[i] == BOX:
            continue
        if impulsive:
            problem.offset[last] = problem.restitution[i] * problem.velocity[last]
        else:
            problem.offset[last] = max(problem.gap[i], 0.0) / dt


@inner
def row_velocity(problem, free, offset, r, i, a):
    """Return row a of block i of ``W r + free + offset``, and where W_ii starts."""
    row, W = problem.row, problem.W
    u = free[row[i] + a] + offset[row[i] + a]
    for p in range(problem.pair_start[i], problem.pair_start[i + 1]):
        j, columns = problem.pair_block[p], row[problem.pair_block[p] + 1]
        columns -= row[j]
        at = problem.pair_data[p] + a * columns
        for c in range(columns):
            u += W[at + c] * r[row[j] + c]
    return u


@inner
def diagonal_block(problem, i):
    """Return where W_ii starts."""
    for p in range(problem.pair_start[i], problem.pair_start[i + 1]):
        if problem.pair_block[p] == i:
            return problem.pair_data[p]
    return -1


@inner
def cone_velocity(problem, free, offset, r, i):
    """Return the three rows of ``W r + free + offset`` of a cone block."""
    row, W = problem.row, problem.W
    at = row[i]
    u0, u1, u2 = free[at] + offset[at], free[at + 1] + offset[at + 1], free[at + 2] + offset[at + 2]
    for p in range(problem.pair_start[i], problem.pair_start[i + 1]):
        j, w = problem.pair_block[p], problem.pair_data[p]
        c = row[j]
        if problem.kind[j] == CONE:
            r0, r1, r2 = r[c], r[c + 1], r[c + 2]
            u0 += W[w] * r0 + W[w + 1] * r1 + W[w + 2] * r2
            u1 += W[w + 3] * r0 + W[w + 4] * r1 + W[w + 5] * r2
            u2 += W[w + 6] * r0 + W[w + 7] * r1 + W[w + 8] * r2
        else:
            u0 += W[w] * r[c]
            u1 += W[w + 1] * r[c]
            u2 += W[w + 2] * r[c]
    return u0, u1, u2


@inner
def relax_cone(problem, free, offset, r, i, relaxation, local):
    """Solve one contact exactly with the others fixed; return the change of its velocity, [m/s]."""
    u0, u1, u2 = cone_velocity(problem, free, offset, r, i)
    at, w, W, mu = problem.row[i], diagonal_block(problem, i), problem.W, problem.mu[i]
    r0, r1, r2 = r[at], r[at + 1], r[at + 2]
    b0 = u0 - (W[w] * r0 + W[w + 1] * r1 + W[w + 2] * r2)
    b1 = u1 - (W[w + 3] * r0 + W[w + 4] * r1 + W[w + 5] * r2)
    b2 = u2 - (W[w + 6] * r0 + W[w + 7] * r1 + W[w + 8] * r2)
    s0, s1, s2 = solve_cone(W, w, b0, b1, b2, mu, r0, r1, r2, local)
    if relaxation != 1.0 and s2 > 0.0:
        s0 = r0 + relaxation * (s0 - r0)
        s1 = r1 + relaxation * (s1 - r1)
        s2 = r2 + relaxation * (s2 - r2)
    r[at], r[at + 1], r[at + 2] = s0, s1, s2
    return max(W[w], W[w + 4], W[w + 8]) * max(abs(s0 - r0), abs(s1 - r1), abs(s2 - r2))


@routine
def relax_row(problem, free, offset, r, i):
    """Solve one unilateral or box block with the others fixed."""
    at, w = problem.row[i], problem.W[diagonal_block(problem, i)]
    if w <= 0.0:
        return 0.0
    low, high = 0.0, 1e300
    if problem.kind[i] == BOX:
        low, high = problem.lower[i], problem.upper[i]
    old = r[at]
    new = old - row_velocity(problem, free, offset, r, i, 0) / w
    r[at] = min(max(new, low), high)
    return w * abs(r[at] - old)


@inner
def sweep(problem, free, offset, r, relaxation, local):
    """Do one Gauss-Seidel sweep; return the largest change, [m/s]."""
    change = 0.0
    for i in range(problem.size[0]):
        if problem.kind[i] == CONE:
            change = max(change, relax_cone(problem, free, offset, r, i, relaxation, local))
        else:
            change = max(change, relax_row(problem, free, offset, r, i))
    return change


@routine
def natural_map(problem, free, offset, r):
    """Return the largest natural-map residual over the blocks, [m/s]."""
    worst = 0.0
    for i in range(problem.size[0]):
        at, w = problem.row[i], largest_diagonal(problem, i)
        if w <= 0.0:
            continue
        if problem.kind[i] == CONE:
            u0, u1, u2 = cone_velocity(problem, free, offset, r, i)
            error = natural_map_cone(r[at], r[at + 1], r[at + 2], u0, u1, u2, problem.mu[i], w)
        else:
            low, high = 0.0, 1e300
            if problem.kind[i] == BOX:
                low, high = problem.lower[i], problem.upper[i]
            u = row_velocity(problem, free, offset, r, i, 0)
            error = w * abs(r[at] - min(max(r[at] - u / w, low), high))
        worst = max(worst, error)
    return worst


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
def newton(problem, free, offset, r, residual, length, tolerance, work):
    """Do Newton steps of a fixed length and keep the best answer seen; return its residual.

    The natural map may rise on the way: near a kink of F a step that changes which contacts slip is
    often needed before it falls. The answer returned is never worse than the one given.
    """
    D, J, F, u, best = work.D, work.J, work.F, work.u, work.best
    n = problem.size[1]
    e = write_dense(problem, D)
    for a in range(n):
        best[a] = r[a]
    for _ in range(NEWTON_STEPS):
        velocity(D, e, free, offset, r, n, u)
        linearise(problem, D, r, u, J, F)
        if not solve_dense(J, F, n):
            break
        for a in range(n):
            r[a] -= length * F[a]
        into_cones(problem, r)
        reached = natural_map(problem, free, offset, r)
        if reached < residual:
            residual = reached
            for a in range(n):
                best[a] = r[a]
            if residual <= tolerance:
                break
    for a in range(n):
        r[a] = best[a]
    return residual


@routine
def gauss_seidel(problem, free, offset, r, tolerance, iterations, relaxation, work):
    """Sweep until the natural map passes; return (sweeps, residual).

    At least one sweep is done. The residual is looked at when a sweep changes little, and every
    tenth sweep. After the first ``PATIENCE`` sweeps, and every so many, Newton steps are tried.
    """
    residual = 1e300
    dense = problem.size[1] <= len(work.u)
    for k in range(iterations):
        change = sweep(problem, free, offset, r, relaxation, work.local)
        if change <= tolerance or k % 10 == 9:
            residual = natural_map(problem, free, offset, r)
            if residual <= tolerance:
                return k + 1, residual
        if dense and k % PATIENCE == PATIENCE - 1:
            residual = natural_map(problem, free, offset, r)
            length = 1.0 if k < PATIENCE else 0.5
            residual = newton(problem, free, offset, r, residual, length, tolerance, work)
            if residual <= tolerance:
                return k + 1, residual
    return iterations, natural_map(problem, free, offset, r)


@routine
def correct_positions(problem, work, iterations, gain, slop, relaxation):
    """Find split impulses that push penetrating points out; return whether there are any.

    ``w = W p``; a point deeper than the slop gets ``w_n >= gain (depth - slop) / dt``, other
    touching points ``w_n >= 0``, with friction, so that feet do not creep. Only positions move.
    """
    n, dt, push = problem.size[0], problem.dt[0], work.push
    deep = False
    for i in range(n):
        for a in range(problem.row[i], problem.row[i + 1]):
            problem.correction[a] = 0.0
        if problem.kind[i] == CONE and problem.gap[i] < -slop:
            deep = True
    if not deep or gain == 0.0 or problem.size[3] == 1:
        return False
    for i in range(n):
        last = problem.row[i + 1] - 1
        for a in range(problem.row[i], last + 1):
            push[a] = 0.0
        push[last] = max(problem.gap[i], 0.0) / dt
        if problem.gap[i] < -slop:
            push[last] = gain * (problem.gap[i] + slop) / dt
    sweeps = min(iterations, CORRECTION_SWEEPS)
    gauss_seidel(problem, work.still, push, problem.correction, 1e-7, sweeps, relaxation, work)
    return True


@inner
def is_finite(problem):
    """Whether the problem holds only numbers.

    Others are counted: a count runs over several entries at a time, a sum cannot.
    """
    bad, n = 0, problem.size[0]
    for i in range(n):
        total = problem.gap[i] + problem.mu[i] + problem.restitution[i]
        bad += 0 if abs(total) < math.inf else 1
    for a in range(problem.size[1]):
        total = problem.free_velocity[a] + problem.velocity[a] + problem.impulse[a]
        bad += 0 if abs(total) < math.inf else 1
    if n > 0:
        end = problem.pair_data[problem.pair_start[n] - 1]
        end += (problem.row[n] - problem.row[n - 1]) ** 2
        for k in range(end):
            bad += 0 if abs(problem.W[k]) < math.inf else 1
    return bad == 0


@kernel
def solve(table, space, tolerance, iterations, relaxation, gain, slop):
    """Overwrite impulse, offset, correction and report; False if the problem is not finite."""
    problem, work = lone_problem(table), workspace(space)
    if not is_finite(problem):
        problem.report[2] = 1.0
        return False
    write_offsets(problem)
    report = problem.report
    report[0], report[1], report[2], report[3] = 0.0, 0.0, 0.0, 0.0
    if problem.size[0] == 0:
        return True
    report[0], report[1] = gauss_seidel(
        problem,
        problem.free_velocity,
        problem.offset,
        problem.impulse,
        tolerance,
        iterations,
        relaxation,
        work,
    )
    if correct_positions(problem, work, iterations, gain, slop, relaxation):
        report[3] = 1.0
    return True
