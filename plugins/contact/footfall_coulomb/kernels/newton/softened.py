"""Newton steps with softened contacts, for when full steps lead away from an answer.

A step of ``kernels.newton.steps`` in the columns of a factor, with a larger proximal term: each
contact gives way from its impulse by ``e w dr``, w the largest diagonal entry of its block of W,
which keeps steps short. e falls after each step that makes the natural map smaller and rises after
every other one, as in the method of Levenberg (1944) and Marquardt (1963).
"""

from __future__ import annotations

from footfall.api.contact import ProblemSize
from footfall.api.kernels import routine
from footfall_coulomb.kernels.newton.steps import RIGID_BLOCK, factored_step, into_cones
from footfall_coulomb.kernels.sweep import natural_map
from footfall_coulomb.workspace import StepCount

FIRST, STIFFER, SOFTER = 1e-2, 0.1, 10.0
"""e of the first step; its factor after a good step; its factor after any other step."""
STEPS, MISSED = 30, 5
"""Most steps; most steps that are not good."""
GOOD, BAD = 0.7, 2.0
"""Natural map relative to the one before: a good step is below ``GOOD``; a step above ``BAD`` is
undone."""


@routine
def softened(problem, free, offset, r, residual, tolerance, work, low, columns):
    """Do Newton steps with softened contacts, and keep the best answer; return its residual.

    The returned answer is never worse than the given one.
    """
    n, best, before = problem.size[ProblemSize.ROWS], low.best, low.anchor
    e, missed, current = FIRST, 0, residual
    for a in range(n):
        best[a] = r[a]
    for _ in range(STEPS):
        for a in range(n):
            before[a] = r[a]
        low.counts[StepCount.NEWTON] += 1
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
