"""The way from soft contacts to stiff ones, in the unknowns of ``kernels.newton.proximal``.

Contacts give way from no impulse, by e; the answers of ever stiffer ones are followed, with the
slip following, and with steps of full length where shortened ones end in a minimum that is no
answer.
"""

from __future__ import annotations

import math

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
from footfall_coulomb.problem_places import BLOCKS, ROWS
from footfall_coulomb.workspace import STEPS_SHIFT_FOLLOWING

PATH_SOFTEST, PATH_FACTOR, PATH_GIVEN_UP = 1.0, 0.1, 0.97
"""The first e of a path from soft contacts, by which it is multiplied from point to point, and the
factor at which the path is given up."""
PATH_POINTS, PATH_STEPS, PATH_EXACT = 60, 10, 1e-2
"""Most points of a path, most Newton steps to one, and to which part of what contacts give way a
point is exact."""


@inner
def start_soft(problem, free, offset, r, low, columns):
    """Anchor all contacts at nothing; write y and u without impulses, and return the largest u."""
    largest = 0.0
    for k in range(columns):
        low.y[k] = 0.0
    for i in range(problem.size[BLOCKS]):
        for a in range(problem.row[i], problem.row[i + 1]):
            low.anchor[a] = r[a] if low.weight[i] < 0.0 else 0.0
            low.u[a] = free[a] + offset[a]
            if low.weight[i] > 0.0:
                largest = max(largest, abs(low.u[a]))
    return largest


@inner
def return_to(problem, free, offset, low, columns):
    """Go back to the point of the path that ``low.reached`` holds."""
    for k in range(columns):
        low.y[k] = low.reached[k]
    times_factor(problem, low, low.y, low.u)
    for a in range(problem.size[ROWS]):
        low.u[a] += free[a] + offset[a]


@routine
def follow_path(problem, free, offset, low, columns, scale):
    """Follow the answers of contacts that give way from no impulse, from soft ones to stiff ones.

    The answer of the stiffest that was found is left in ``low.trial``.
    """
    softness, factor, found = PATH_SOFTEST, PATH_FACTOR, 0.0
    for k in range(columns):
        low.reached[k] = low.y[k]
    for _ in range(PATH_POINTS):
        small = PATH_EXACT * softness * scale
        steps, solved = step_with_shift_following(
            problem, low, columns, softness, small, PATH_STEPS
        )
        low.counts[STEPS_SHIFT_FOLLOWING] += steps
        if not solved:
            return_to(problem, free, offset, low, columns)
            steps, solved = full_steps(problem, low, columns, softness, small, PATH_STEPS)
            low.counts[STEPS_SHIFT_FOLLOWING] += steps
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
    """Follow the path from soft contacts and do proximal steps from where it ends.

    Return the residual of r, which is never larger than it was.
    """
    n, kept = problem.size[ROWS], low.kept
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
