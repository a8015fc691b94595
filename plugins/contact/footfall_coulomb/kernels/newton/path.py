"""The path from soft contacts to stiff ones, in the unknowns of ``kernels.newton.proximal``.

Contacts with the softness e give way from zero impulse. The path follows the answers while e gets
smaller. The shift s follows the slip velocity. If shortened Newton steps end in a minimum that is
no answer, steps of full length are tried.
"""

from __future__ import annotations

import math

from footfall.api.contact import ProblemSize
from footfall.api.kernels import inner, routine
from footfall_coulomb.kernels.newton.proximal import (
    LAST_STALLED,
    STIFFEST,
    answer,
    full_steps,
    proximal,
    step_with_shift_following,
    take,
)
from footfall_coulomb.kernels.newton.system import times_factor
from footfall_coulomb.kernels.sweep import natural_map
from footfall_coulomb.workspace import StepCount

PATH_SOFTEST, PATH_FACTOR, PATH_GIVEN_UP = 1.0, 0.1, 0.97
"""First e of the path; its first factor from point to point; the factor at which the path is given
up."""
PATH_POINTS, PATH_STEPS, PATH_EXACT = 60, 10, 1e-2
"""Most points of a path; most Newton steps to one point; error of a point relative to e times the
largest velocity without impulses."""


@inner
def start_soft(problem, free, offset, r, low, columns):
    """Set all anchors to zero; write y and u without impulses, and return the largest u."""
    largest = 0.0
    for k in range(columns):
        low.y[k] = 0.0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        for a in range(problem.row[i], problem.row[i + 1]):
            low.anchor[a] = r[a] if low.weight[i] < 0.0 else 0.0
            low.u[a] = free[a] + offset[a]
            if low.weight[i] > 0.0:
                largest = max(largest, abs(low.u[a]))
    return largest


@inner
def return_to(problem, free, offset, low, columns):
    """Return to the point of the path in ``low.reached``."""
    for k in range(columns):
        low.y[k] = low.reached[k]
    times_factor(problem, low, low.y, low.u)
    for a in range(problem.size[ProblemSize.ROWS]):
        low.u[a] += free[a] + offset[a]


@routine
def follow_path(problem, free, offset, low, columns, scale):
    """Follow the answers from soft contacts to stiff ones, starting from zero impulse.

    Return the smallest e that was solved, 0 if none; its answer is in ``low.trial``.
    """
    softness, factor, found = PATH_SOFTEST, PATH_FACTOR, 0.0
    for k in range(columns):
        low.reached[k] = low.y[k]
    for _ in range(PATH_POINTS):
        small = PATH_EXACT * softness * scale
        steps, solved = step_with_shift_following(
            problem, low, columns, softness, small, PATH_STEPS
        )
        low.counts[StepCount.SHIFT_FOLLOWING] += steps
        if not solved:
            return_to(problem, free, offset, low, columns)
            steps, solved = full_steps(problem, low, columns, softness, small, PATH_STEPS)
            low.counts[StepCount.SHIFT_FOLLOWING] += steps
        if solved:
            found = softness
            for k in range(columns):
                low.reached[k] = low.y[k]
            if softness <= STIFFEST:
                break
            if 2 * steps <= PATH_STEPS:
                factor = max(PATH_FACTOR, factor * factor)
            softness = max(STIFFEST, softness * factor)
        else:
            return_to(problem, free, offset, low, columns)
            factor = math.sqrt(factor)
            if factor > PATH_GIVEN_UP or found == 0.0:
                break
            softness = found * factor
    if found > 0.0:
        answer(problem, low, found, 0.0, True)
    return found


@routine
def from_soft_contacts(problem, free, offset, r, residual, tolerance, low, columns):
    """Follow the path from soft contacts, then do proximal steps from its end.

    Return the residual of r, which is never larger than before.
    """
    n, kept = problem.size[ProblemSize.ROWS], low.kept
    for a in range(n):
        kept[a] = r[a]
    scale = start_soft(problem, free, offset, r, low, columns)
    if follow_path(problem, free, offset, low, columns, scale) == 0.0:
        return residual
    take(low, r, n)
    reached = natural_map(problem, free, offset, r)
    if reached > tolerance:
        reached = proximal(
            *(problem, free, offset, r, reached, tolerance, STIFFEST, LAST_STALLED, low, columns)
        )
    if reached < residual:
        return reached
    for a in range(n):
        r[a] = kept[a]
    return residual
