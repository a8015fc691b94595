"""Newton steps with contacts that give way, for where full steps lead away from an answer.

A step of ``kernels.newton.steps`` in the columns of a factor, with a larger proximal term: each
contact gives way from the impulse that it has by ``e w dr``, w the largest diagonal entry of its
block of W, so that no step gets far. e falls with every step that makes the natural map smaller and
rises with every other one, as in the method of Levenberg (1944) and Marquardt (1963).
"""

from __future__ import annotations

from footfall.api.kernels import routine
from footfall_coulomb.kernels.newton.steps import RIGID_BLOCK, factored_step, into_cones
from footfall_coulomb.kernels.sweep import natural_map
from footfall_coulomb.problem_places import ROWS
from footfall_coulomb.workspace import NEWTON_STEPS

FIRST, STIFFER, SOFTER = 1e-2, 0.1, 10.0
"""e of the first step, and by what it is multiplied after a good step and after another."""
STEPS, MISSED = 30, 5
"""Most steps, and those of them that may be no good."""
GOOD, BAD = 0.7, 2.0
"""Parts of the natural map before to which a good step brings it, and beyond which a step is taken
back."""


@routine
def softened(problem, free, offset, r, residual, tolerance, work, low, columns):
    """Do Newton steps with contacts that give way, and keep the best answer; return its residual.

    The answer returned is never worse than the one given.
    """
    n, best, before = problem.size[ROWS], low.best, low.anchor
    e, missed, current = FIRST, 0, residual
    for a in range(n):
        best[a] = r[a]
    for _ in range(STEPS):
        for a in range(n):
            before[a] = r[a]
        low.counts[NEWTON_STEPS] += 1
        if not factored_step(problem, free, offset, r, e, work, low, columns):
            break
        into_cones(problem, r)
        reached = natural_map(problem, free, offset, r)
        if reached < residual:
            residual = reached
            for a in range(n):
                best[a] = r[a]
        missed += 0 if reached < GOOD * current else 1
        if residual <= tolerance or missed > MISSED:
            break
        e = max(RIGID_BLOCK, STIFFER * e) if reached < GOOD * current else min(1.0, SOFTER * e)
        if reached < BAD * current:
            current = reached
        else:
            for a in range(n):
                r[a] = before[a]
    for a in range(n):
        r[a] = best[a]
    return residual
