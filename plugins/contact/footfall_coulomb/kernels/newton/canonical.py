"""The canonical answer: among the exact answers, the limit of equal compliances that vanish.

Where contacts are redundant (more than three points of a flat foot) a problem has a family of exact
answers. Of these the canonical one is found: every contact gives way along its normal and both
tangents by the same compliance, which goes to zero. In the problem

``u = W r + b + e (r - a)``

e is ``SOFTNESS`` times a mean of the contacts' W_nn (rows of joints: times their own W_ii), and the
anchor a is zero. Newton's method on the function of Alart and Curnier (``rows``, or ``columns``
of a factor) begins at a given impulse, which is only a start and never an anchor.

Then the answer becomes the anchor, again and again, until ``e (r - a)`` is nothing. These proximal
steps leave the part of r that moves no contact alone, so they end in the limit itself, as long as
no contact changes its state. One that sticks on the edge of its cone may: it slips by a multiple of
e; the answer is then an exact one that is e of an impulse away from the limit. Where the steps do
not help, e is made smaller, with the anchor at zero, until ``e r`` is nothing.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from footfall.api.advanced import by_type, dot
from footfall.api.contact import ProblemSize
from footfall.api.kernels import inner, routine
from footfall_coulomb.kernels.newton.columns import step_in_columns
from footfall_coulomb.kernels.newton.rows import find_states, natural_map_at, slips, step_in_rows
from footfall_coulomb.kernels.newton.system import times_factor, times_transposed
from footfall_coulomb.kernels.sweep import natural_map
from footfall_coulomb.workspace import StepCount

SOFTNESS, STIFFEST, STIFFER = 1e-7, 1e-11, 0.1
"""e, relative to the mean W_nn of the contacts; the smallest e that is tried, and its factor from
one to the next. Rounding of an impulse is 1e-16 / e of it."""
SOFTEST, SOFTER, NEAREST = 0.1, 0.03, 0.8
"""First e on the path from soft contacts; first factor from one e to the next, and that at which it
ends."""
STEPS, MORE, ANCHORS = 20, 40, 8
"""Most Newton steps to one answer, and to one for a smaller e; most anchors."""
EDGE = 1.0 - 1e-5
"""Part of a cone's radius from which a contact slips at the start of Newton's method: what the last
step left on its edge slips by a multiple of e, and rounding would choose."""
RUNAWAY, SHORTER, SHORTEST = 1e3, 0.3, 6
"""Factor of F from which a Newton step of several bodies is shortened, by what, and how often at
most. Where one body meets the ground, full steps that run away come back sooner than short ones."""
CYCLE, FAST = 1e-3, 0.1
"""Relative difference of F by which a cycle is known; factor of F by which a step with the last
step's matrix is worth another."""
STALLED = 0.7
"""What a proximal step leaves of ``e (r - a)`` if it does not help."""
SMALL, NOTHING = 0.01, 0.5
"""Largest F of an answer, and largest ``e r`` of one whose anchor is zero, relative to the
tolerance."""


class AllRows(NamedTuple):
    """Steps in the rows, with the matrix that ``write_dense`` writes."""


class Columns(NamedTuple):
    """Steps in the columns of a factor."""


ALL_ROWS, COLUMNS = AllRows(), Columns()


@inner
def velocity_in_rows(problem, r, work, low, columns):
    """Write ``W r`` to ``low.u``."""
    n = problem.size[ProblemSize.ROWS]
    for a in range(n):
        low.u[a] = dot(work.D[a], r, 0, n)


@inner
def velocity_in_columns(problem, r, work, low, columns):
    """Write ``W r`` to ``low.u``."""
    times_transposed(problem, low, columns, r, low.y)
    times_factor(problem, low, low.y, low.u)


@inner
def rows_step(problem, r, softness, chord, work, low, columns):
    """Do a step in the rows."""
    return step_in_rows(problem, r, softness, chord, work, low)


@inner
def columns_step(problem, r, softness, chord, work, low, columns):
    """Do a step in the columns."""
    return step_in_columns(problem, r, softness, chord, low, columns)


@inner
def move_anchor(problem, r, softness, low):
    """Make r the anchor, of which ``low.u`` are the velocities."""
    for i in range(problem.size[ProblemSize.BLOCKS]):
        e = softness * low.soft[i]
        for a in range(problem.row[i], problem.row[i + 1]):
            low.u[a] -= e * (r[a] - low.anchor[a])
            low.anchor[a] = r[a]


@inner
def error_in_rows(problem, free, offset, r, softness, low):
    """Return the natural map of r, [m/s], by the velocities ``low.u``."""
    move_anchor(problem, r, softness, low)
    return natural_map_at(problem, low, r, low.u)


@inner
def error_in_blocks(problem, free, offset, r, softness, low):
    """Return the natural map of r, [m/s]: a factor may be less exact than the matrix."""
    if problem.pending[0] == 1:
        return error_in_rows(problem, free, offset, r, softness, low)
    return natural_map(problem, free, offset, r)


times_delassus = by_type({AllRows: velocity_in_rows, Columns: velocity_in_columns})
newton_step = by_type({AllRows: rows_step, Columns: columns_step})
answer_error = by_type({AllRows: error_in_rows, Columns: error_in_blocks})


@inner
def soft_velocity(way, problem, free, offset, r, softness, work, low, columns):
    """Write ``W r + b + e (r - a)`` to ``low.u``."""
    times_delassus(way, problem, r, work, low, columns)
    for i in range(problem.size[ProblemSize.BLOCKS]):
        e = softness * low.soft[i]
        for a in range(problem.row[i], problem.row[i + 1]):
            low.u[a] += free[a] + offset[a] + e * (r[a] - low.anchor[a])


@inner
def give_way(problem, r, softness, low):
    """Return the largest ``e (r - a)``, [m/s]."""
    most = 0.0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        e = softness * low.soft[i]
        for a in range(problem.row[i], problem.row[i + 1]):
            most = max(most, abs(e * (r[a] - low.anchor[a])))
    return most


@inner
def set_anchor(problem, r, low, part):
    """Make ``part`` times r the anchor."""
    for a in range(problem.size[ProblemSize.ROWS]):
        low.anchor[a] = part * r[a]


@inner
def step_from_answer(way, problem, r, softness, work, low, columns):
    """Make r, the answer for the anchor zero, the anchor, and do a step with the last matrix."""
    for i in range(problem.size[ProblemSize.BLOCKS]):
        e = softness * low.soft[i]
        for a in range(problem.row[i], problem.row[i + 1]):
            low.u[a], low.trial[a], low.anchor[a] = -e * r[a], 0.0, r[a]
    return newton_step(way, problem, r, softness, True, work, low, columns)


@routine
def newton(way, problem, free, offset, r, small, softness, follow, most, work, low, columns):
    """Do Newton steps; return whether F is small, and whether the last matrix fits.

    It does if no contact has changed its state since. Steps have full length, which F may grow by:
    states change on the way. Where it runs away they are shortened. The steps end where F is the
    same as two, three or four steps before. ``follow``: whether every iterate becomes the anchor.
    The answer is then an exact one. With the largest e of rigid contacts a proximal step follows
    the first one at once, if none slips: that is the answer unless a contact changes its state.
    """
    n, last = problem.size[ProblemSize.ROWS], math.inf
    second = third = fourth = 0.0
    damped, ahead = columns > 0 and low.nodes[0] > 1 and not follow, False
    for k in range(most):
        if follow:
            set_anchor(problem, r, low, 1.0)
        soft_velocity(way, problem, free, offset, r, softness, work, low, columns)
        error, changed = find_states(problem, low, r, low.u, EDGE if k == 0 else 1.0)
        if ahead and (changed or error > small):
            set_anchor(problem, r, low, 0.0)
            soft_velocity(way, problem, free, offset, r, softness, work, low, columns)
            error, changed = find_states(problem, low, r, low.u, 1.0)[0], True
        for _ in range(SHORTEST):
            if not damped or error <= RUNAWAY * last:
                break
            for a in range(n):
                r[a] = low.before[a] + SHORTER * (r[a] - low.before[a])
            soft_velocity(way, problem, free, offset, r, softness, work, low, columns)
            error, changed = find_states(problem, low, r, low.u, 1.0)[0], True
        if error <= small:
            return True, k > 0 and not changed
        near = min(abs(error - second), abs(error - third), abs(error - fourth))
        if near <= CYCLE * error:
            return False, False
        last, second, third, fourth = error, last, second, third
        low.counts[StepCount.NEWTON] += 1
        for a in range(n):
            low.before[a] = r[a]
        if not newton_step(way, problem, r, softness, False, work, low, columns):
            return False, False
        ahead = k == 0 and softness == SOFTNESS and not follow and not slips(problem, low)
        if ahead and not step_from_answer(way, problem, r, softness, work, low, columns):
            return False, False
    return False, False


@routine
def refine(way, problem, free, offset, r, tolerance, softness, chord, work, low, columns):
    """Do proximal steps from an answer with the anchor zero, as long as they help.

    If a step does not help, r is the last answer before. ``chord``: whether the matrix of the last
    Newton step fits; it serves until a contact changes its state.
    """
    small, left = SMALL * tolerance, give_way(problem, r, softness, low)
    for _ in range(ANCHORS):
        before = left
        move_anchor(problem, r, softness, low)
        error, changed = find_states(problem, low, r, low.u, 1.0)
        reached = math.inf
        for _ in range(ANCHORS):
            if error <= small:
                break
            chord = chord and not changed and error <= FAST * reached
            reached = error
            low.counts[StepCount.NEWTON] += 1
            if not newton_step(way, problem, r, softness, chord, work, low, columns):
                break
            chord = True
            soft_velocity(way, problem, free, offset, r, softness, work, low, columns)
            error, changed = find_states(problem, low, r, low.u, 1.0)
        left = give_way(problem, r, softness, low)
        if not error <= small or left > STALLED * before:
            for a in range(problem.size[ProblemSize.ROWS]):
                r[a] = low.anchor[a]
            soft_velocity(way, problem, free, offset, r, softness, work, low, columns)
            return
        if left <= small:
            return


@routine
def from_soft_contacts(way, problem, free, offset, r, tolerance, work, low, columns):
    """Overwrite r by the answer for the smallest e, down to ``SOFTNESS``, that a path leads to.

    The path begins with soft contacts and no impulse. Where Newton's method fails, the next e is
    nearer to the last.
    """
    n, small = problem.size[ProblemSize.ROWS], SMALL * tolerance
    softness, factor, reached = SOFTEST, SOFTER, 0.0
    for a in range(n):
        r[a] = low.given[a] = low.anchor[a] = 0.0
    while factor < NEAREST:
        found, _ = newton(
            way, problem, free, offset, r, small, softness, False, STEPS, work, low, columns
        )
        if found:
            for a in range(n):
                low.given[a] = r[a]
            if softness <= SOFTNESS:
                break
            reached = softness
            factor = max(SOFTER, factor * factor)
        else:
            for a in range(n):
                r[a] = low.given[a]
            factor = math.sqrt(factor)
            if reached == 0.0:
                break
        softness = max(SOFTNESS, reached * factor)


@routine
def canonical(way, problem, free, offset, r, tolerance, work, low, columns):
    """Overwrite r by the canonical answer, starting from r; return its natural map, [m/s].

    It is infinite if Newton's method did not find an answer. ``way``: ``ALL_ROWS`` or ``COLUMNS``.
    """
    small, softness, reached, solved = SMALL * tolerance, SOFTNESS, math.inf, 0.0
    n, most = problem.size[ProblemSize.ROWS], STEPS
    while True:
        for a in range(n):
            low.given[a] = r[a]
        set_anchor(problem, r, low, 0.0)
        found, chord = newton(
            way, problem, free, offset, r, small, softness, False, most, work, low, columns
        )
        left = give_way(problem, r, softness, low)
        if found and left > small:
            refine(way, problem, free, offset, r, tolerance, softness, chord, work, low, columns)
        now = math.inf
        if found:
            now = answer_error(way, problem, free, offset, r, softness, low)
        if not now < reached:
            for a in range(n):
                r[a] = low.given[a]
            if solved == 0.0 or softness > NEAREST * solved:
                break
            softness = math.sqrt(softness * solved)
            continue
        reached, solved = now, softness
        if reached <= tolerance or left <= 0.0 or softness <= STIFFEST:
            break
        most, enough = MORE, 0.5 * softness * NOTHING * tolerance / left
        softness = max(STIFFEST, enough, STIFFER * softness)
    return reached
