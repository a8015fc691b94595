"""Proximal steps on the whole problem, for when Newton's method from the last answer fails.

With a softness e contacts give way from an anchor a: ``r = P_K(a - (u + s n) / e)``, with P_K the
projection on the cones, u the velocity and ``s = mu |u_t|`` (De Saxce). If r equals a, r is an
answer of the problem. For a given anchor this is an equation in the few unknowns ``y = Z' r``:
``g(y) = y - Z' r(u(y))``, ``u = Z y + b``.

- With s held constant, g is the gradient of a convex function (``|y|^2 / 2 + sum e |r|^2 / 2``):
  Newton's method with a line search finds the answer from any start.
- With s following u the system is not symmetric. Newton steps start from the answer with s held and
  are shortened if g does not get smaller; they bring s to its value. Updating s only once per round
  would converge slowly if bodies jam.

The answer is the next anchor, and e gets smaller from round to round. This is the method of
multipliers (Rockafellar 1976) with the fixed point of Cadoux (2009) and Acary et al. (2011).
Newton's method on the few unknowns is that of Castro et al. 2022 (SAP); there e belongs to the
contact model.
"""

from __future__ import annotations

import math

from footfall.api.advanced import project_cone
from footfall.api.contact import BlockKind, ProblemSize
from footfall.api.kernels import inner, routine
from footfall_coulomb.kernels.newton.system import (
    factor_system,
    solve_system,
    times_factor,
    times_transposed,
    write_system,
)
from footfall_coulomb.kernels.sweep import natural_map
from footfall_coulomb.workspace import StepCount

SOFTEST, STIFFEST, STIFFER = 0.1, 1e-6, 0.1
"""First and last e of a block, relative to the largest diagonal entry of its part of W; its factor
from step to step."""
ROUNDS, STALLED, LAST_STALLED, LOST = 16, 1, 4, 2.0
"""Most proximal steps; most successive steps with the last e that do not halve the natural map,
before and after the path from soft contacts; growth of the natural map that ends the steps."""
HELD_STEPS, FREE_STEPS, FULL_STEPS = 10, 6, 6
"""Most Newton steps with s held, with s following u, and of full length with the last e."""
EXACT = 0.01
"""Size of ``Z g``, relative to the natural map before, at which a step with s held is solved."""
FLAT = 0.02
"""Slope of the convex function, relative to its first slope, at which the line search ends."""
SECTIONS, SHORTER = 12, 8
"""Most evaluations of a line search; most lengths of a step with s following u, each 0.4 of the one
before."""


@inner
def answer(problem, low, softness, along, follow):
    """Write to ``low.trial`` the impulses for the velocity ``u + along du``."""
    anchor, r = low.anchor, low.trial
    for i in range(problem.size[ProblemSize.BLOCKS]):
        at, e = problem.row[i], softness * low.soft[i]
        if e <= 0.0:
            for a in range(at, problem.row[i + 1]):
                r[a] = 0.0
            continue
        u0 = low.u[at] + along * low.du[at]
        if problem.kind[i] != BlockKind.CONE:
            low_end, high = 0.0, 1e300
            if problem.kind[i] == BlockKind.BOX:
                low_end, high = problem.lower[i], problem.upper[i]
            r[at] = min(max(anchor[at] - u0 / e, low_end), high)
            continue
        u1 = low.u[at + 1] + along * low.du[at + 1]
        u2 = low.u[at + 2] + along * low.du[at + 2]
        s = problem.mu[i] * math.sqrt(u0 * u0 + u1 * u1) if follow else low.shift[i]
        r[at], r[at + 1], r[at + 2] = project_cone(
            anchor[at] - u0 / e,
            anchor[at + 1] - u1 / e,
            anchor[at + 2] - (u2 + s) / e,
            problem.mu[i],
        )


@inner
def slope_of_projection(M, x0, x1, x2, mu, scale):
    """Write ``scale`` times the derivative of the projection on a cone at x to M (zero before)."""
    t = math.sqrt(x0 * x0 + x1 * x1)
    if mu * t <= -x2:
        return
    if t <= mu * x2 and mu > 0.0:
        M[0], M[4], M[8] = scale, scale, scale
        return
    part = scale / (1.0 + mu * mu)
    M[8] = part
    if t == 0.0:
        return
    h0, h1, n = x0 / t, x1 / t, (x2 + mu * t) * part
    q, p = mu * n / t, mu * mu * part
    M[0], M[4] = q + (p - q) * h0 * h0, q + (p - q) * h1 * h1
    M[1] = M[3] = (p - q) * h0 * h1
    M[2] = M[6] = mu * part * h0
    M[5] = M[7] = mu * part * h1


@inner
def slope_of_row(problem, i, x, e):
    """Return the same for block i of one row: not zero only between its bounds."""
    if problem.kind[i] == BlockKind.BOX:
        return 1.0 / e if problem.lower[i] < x < problem.upper[i] else 0.0
    return 1.0 / e if x > 0.0 else 0.0


@inner
def write_slopes(problem, low, softness, follow):
    """Write the negative derivative of the impulses by the velocity to ``low.M``."""
    anchor, u = low.anchor, low.u
    for i in range(problem.size[ProblemSize.BLOCKS]):
        at, e, M = problem.row[i], softness * low.soft[i], low.M[i]
        for k in range(9):
            M[k] = 0.0
        if e <= 0.0:
            continue
        if problem.kind[i] != BlockKind.CONE:
            M[0] = slope_of_row(problem, i, anchor[at] - u[at] / e, e)
            continue
        mu, size = problem.mu[i], math.sqrt(u[at] * u[at] + u[at + 1] * u[at + 1])
        s = mu * size if follow else low.shift[i]
        x0, x1 = anchor[at] - u[at] / e, anchor[at + 1] - u[at + 1] / e
        x2 = anchor[at + 2] - (u[at + 2] + s) / e
        slope_of_projection(M, x0, x1, x2, mu, 1.0 / e)
        if follow and size > 0.0:
            c0, c1 = mu * u[at] / size, mu * u[at + 1] / size
            for a in range(3):
                M[3 * a] += M[3 * a + 2] * c0
                M[3 * a + 1] += M[3 * a + 2] * c1


@inner
def start_from(problem, free, offset, r, low, columns):
    """Take r as the anchor; write y, u and s."""
    n = problem.size[ProblemSize.ROWS]
    for a in range(n):
        low.anchor[a] = r[a]
    times_transposed(problem, low, columns, r, low.y)
    times_factor(problem, low, low.y, low.u)
    for a in range(n):
        low.u[a] += free[a] + offset[a]
    for i in range(problem.size[ProblemSize.BLOCKS]):
        low.shift[i] = 0.0
        if problem.kind[i] == BlockKind.CONE:
            at = problem.row[i]
            low.shift[i] = problem.mu[i] * math.hypot(low.u[at], low.u[at + 1])


@inner
def mismatch(problem, low, columns):
    """Write ``-g`` for the impulses of ``low.trial`` to ``low.d``; return ``|g|^2``."""
    times_transposed(problem, low, columns, low.trial, low.d)
    size = 0.0
    for k in range(columns):
        low.d[k] -= low.y[k]
        size += low.d[k] ** 2
    return size


@inner
def largest_entry(x, n):
    """Return the largest absolute entry of the first n."""
    largest = 0.0
    for a in range(n):
        largest = max(largest, abs(x[a]))
    return largest


@inner
def move_along(problem, low, columns, step, length):
    """Add ``length`` times a step to y, and ``length`` times its velocity ``low.du`` to u."""
    for k in range(columns):
        low.y[k] += length * step[k]
    for a in range(problem.size[ProblemSize.ROWS]):
        low.u[a] += length * low.du[a]


@inner
def slope_along(problem, low, columns, softness, length):
    """Return the slope of the convex function at a point of the line, per unit of length."""
    answer(problem, low, softness, length, False)
    slope = 0.0
    for k in range(columns):
        slope += low.d[k] * (low.y[k] + length * low.d[k])
    for a in range(problem.size[ProblemSize.ROWS]):
        slope -= low.du[a] * low.trial[a]
    return slope


@inner
def search_line(problem, low, columns, softness):
    """Return the step length, at most 1, at which the convex function is flat."""
    start = slope_along(problem, low, columns, softness, 0.0)
    end = slope_along(problem, low, columns, softness, 1.0)
    length, below, above, at_below, at_above = 1.0, 0.0, 1.0, start, end
    if end <= FLAT * abs(start):
        return length
    for _ in range(SECTIONS):
        width = above - below
        length = below - width * at_below / (at_above - at_below)
        length = min(max(length, below + 0.05 * width), above - 0.05 * width)
        slope = slope_along(problem, low, columns, softness, length)
        if abs(slope) <= FLAT * abs(start):
            break
        if slope > 0.0:
            above, at_above = length, slope
        else:
            below, at_below = length, slope
    return length


@routine
def find_step(problem, low, columns, softness, follow):
    """Overwrite ``low.d = -g`` with Newton's step, write its change of u; return False if singular.

    The change of u goes to ``low.du``.
    """
    write_slopes(problem, low, softness, follow)
    write_system(problem, low)
    if not factor_system(low):
        return False
    solve_system(low, low.d)
    times_factor(problem, low, low.d, low.du)
    return True


@routine
def step_with_shift_held(problem, low, columns, softness, small):
    """Do Newton steps on the convex function until ``Z g`` is small; return their number."""
    for k in range(HELD_STEPS):
        answer(problem, low, softness, 0.0, False)
        mismatch(problem, low, columns)
        times_factor(problem, low, low.d, low.du)
        if largest_entry(low.du, problem.size[ProblemSize.ROWS]) <= small:
            return k
        if not find_step(problem, low, columns, softness, False):
            return k
        length = search_line(problem, low, columns, softness)
        move_along(problem, low, columns, low.d, length)
    answer(problem, low, softness, 0.0, False)
    return HELD_STEPS


@inner
def search_descent(problem, low, columns, softness, size):
    """Take a part of the step d that makes ``|g|^2`` smaller than ``size``; return the new value.

    If no part does, y and u keep their values and ``size`` is returned. ``low.d`` is overwritten;
    after success it holds -g.
    """
    length = 1.0
    for c in range(columns):
        low.step[c] = low.d[c]
    for _ in range(SHORTER):
        move_along(problem, low, columns, low.step, length)
        answer(problem, low, softness, 0.0, True)
        reached = mismatch(problem, low, columns)
        if reached < (1.0 - 0.1 * length) * size:
            return reached
        move_along(problem, low, columns, low.step, -length)
        length *= 0.4
    answer(problem, low, softness, 0.0, True)
    return size


@routine
def step_with_shift_following(problem, low, columns, softness, small, most):
    """Do Newton steps on g itself, each shortened until ``|g|`` gets smaller.

    Return their number, and whether ``Z g`` is small.
    """
    answer(problem, low, softness, 0.0, True)
    size = mismatch(problem, low, columns)
    for k in range(most):
        times_factor(problem, low, low.d, low.du)
        if largest_entry(low.du, problem.size[ProblemSize.ROWS]) <= small:
            return k, True
        if not find_step(problem, low, columns, softness, True):
            return k, False
        reached = search_descent(problem, low, columns, softness, size)
        if not reached < size:
            return k + 1, False
        size = reached
    return most, False


@routine
def full_steps(problem, low, columns, softness, small, most):
    """Do Newton steps on g of full length, even if ``|g|`` grows.

    Return their number, and whether ``Z g`` is small. Near a change of a contact's state ``|g|``
    has minima that are no answers; full steps pass them.
    """
    for k in range(most):
        answer(problem, low, softness, 0.0, True)
        mismatch(problem, low, columns)
        times_factor(problem, low, low.d, low.du)
        if largest_entry(low.du, problem.size[ProblemSize.ROWS]) <= small:
            return k, True
        if not find_step(problem, low, columns, softness, True):
            return k, False
        move_along(problem, low, columns, low.d, 1.0)
    answer(problem, low, softness, 0.0, True)
    return most, False


@inner
def take(low, r, n):
    """Copy ``low.trial`` to the impulse."""
    for a in range(n):
        r[a] = low.trial[a]


@routine
def proximal(problem, free, offset, r, residual, tolerance, softness, most, low, columns):
    """Do proximal steps from r, and keep the best answer; return its residual.

    ``softness``: e of the first step; ``most``: most steps with the last e that may stall.
    """
    n, best, reached, stalled = problem.size[ProblemSize.ROWS], low.best, residual, 0
    for a in range(n):
        best[a] = r[a]
    for _ in range(ROUNDS):
        before, small = reached, max(EXACT * reached, 0.1 * tolerance)
        start_from(problem, free, offset, r, low, columns)
        low.counts[StepCount.SHIFT_HELD] += step_with_shift_held(
            problem, low, columns, softness, small
        )
        take(low, r, n)
        reached = natural_map(problem, free, offset, r)
        if reached > tolerance:
            start_from(problem, free, offset, r, low, columns)
            small = 0.1 * tolerance
            steps, solved = step_with_shift_following(
                problem, low, columns, softness, small, FREE_STEPS
            )
            if not solved and softness <= STIFFEST:
                more, _ = full_steps(problem, low, columns, softness, small, FULL_STEPS)
                steps += more
            low.counts[StepCount.SHIFT_FOLLOWING] += steps
            following = natural_map(problem, free, offset, low.trial)
            if following < reached:
                reached = following
                take(low, r, n)
        stalled = stalled + 1 if softness <= STIFFEST and reached > 0.5 * before else 0
        if reached < residual:
            residual = reached
            for a in range(n):
                best[a] = r[a]
        if residual <= tolerance or stalled > most or reached > LOST * before:
            break
        softness = max(STIFFEST, STIFFER * softness)
    for a in range(n):
        r[a] = best[a]
    return residual
