"""Impacts that are too slow to bounce."""

from __future__ import annotations

import numpy as np

from footfall.problem.blocks import BlockKind
from footfall.problem.contact_problem import ContactProblem
from footfall.typing import Ints

ROUNDING = 1e-6
"""By which an approach speed may exceed the threshold, squared and relative, [-]."""


def fast_candidates(problem: ContactProblem, threshold: float) -> Ints:
    """Return the candidates that came to the ground faster than the threshold, (n,).

    A step is not split where a point comes in slowly; the point is noticed up to a step later,
    below the ground and faster. With the acceleration a towards the ground it came to it at
    ``w^2 = u^2 - 2 a depth``. Judged by u instead, it would bounce on ``e g dt`` for ever under a
    law that knows no way back to the surface.

    Args:
        problem: of the step in which the points are noticed, with its own dt.
        threshold: [m/s].
    """
    contacts = np.flatnonzero((problem.kind == BlockKind.CONE) & (problem.gap <= 0.0))
    normal = problem.row[contacts] + 2
    u, free = problem.velocity[normal], problem.free_velocity[normal]
    a = np.maximum(u - free, 0.0) / problem.dt
    square = np.square(np.minimum(u, 0.0)) + 2.0 * a * problem.gap[contacts]
    fast = square > threshold**2 * (1.0 + ROUNDING)
    return problem.candidate[contacts[fast]]


def calm(problem: ContactProblem, fast: Ints) -> None:
    """Take the restitution from the contacts of an impact that no fast one is linked with.

    Slow points beside a fast one keep theirs: a shock may pass through them.

    Args:
        problem: the impact.
        fast: candidates that came fast, see ``fast_candidates``.
    """
    if not len(fast):
        problem.restitution[:] = 0.0
    elif problem.restitution.any():
        for blocks in problem.groups():
            if not np.isin(problem.candidate[blocks], fast).any():
                problem.restitution[blocks] = 0.0
