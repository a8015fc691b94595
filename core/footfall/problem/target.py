"""What a law at velocity level aims at: gaps that close, rebounds, penetration that is removed.

Of cones and unilateral blocks the last row is meant; other rows aim at a velocity of zero. A law is
free to aim at something else.
"""

from __future__ import annotations

import numpy as np

from footfall.problem.arrays import BlockKind
from footfall.problem.contact_problem import ContactProblem
from footfall.typing import Floats, Ints

CLOSES = np.array([kind in (BlockKind.CONE, BlockKind.UNILATERAL) for kind in range(7)])
"""By kind of block: whether it has a gap, which its last row closes."""


def write_offset(problem: ContactProblem) -> None:
    """Overwrite ``problem.offset``: ``gap / dt`` of open points, ``e u_n-`` in an impact.

    An open point may close its gap within the step but not more. In an impact this is Moreau's form
    of Newton's hypothesis, ``0 <= r_n  perp  u_n+ + e u_n- >= 0``; a law without restitution
    passes problems whose e is 0.
    """
    problem.offset[:] = 0.0
    blocks, last = _closing(problem)
    if problem.impulsive:
        problem.offset[last] = problem.restitution[blocks] * problem.velocity[last]
    else:
        problem.offset[last] = np.maximum(problem.gap[blocks], 0.0) / problem.dt


def push_out(problem: ContactProblem, gain: float = 0.2, slop: float = 1e-5) -> Floats | None:
    """Return the velocities ``b`` of the problem ``w = W p + b`` of the split impulses p.

    A point deeper than the slop is to get ``w_n >= gain (depth - slop) / dt``, other points
    ``w_n >= -gap / dt``. Written to ``problem.correction``, p moves positions and leaves velocities
    alone, so that removing penetration adds no energy.

    Args:
        problem: of cones, unilateral and box blocks.
        gain: part of the penetration that is removed in a step, [-].
        slop: penetration that is left alone, [m].

    Returns:
        Shape (rows,), [m/s]; None if nothing is to be pushed, as in an impact.
    """
    blocks, last = _closing(problem)
    gap = problem.gap[blocks]
    deep = gap < -slop
    if problem.impulsive or not deep.any():
        return None
    push = np.zeros(problem.n_rows)
    push[last] = np.where(deep, gain * (gap + slop), np.maximum(gap, 0.0)) / problem.dt
    return push


def _closing(problem: ContactProblem) -> tuple[Ints, Ints]:
    """Return the blocks that have a gap to close, and the row of each that closes it."""
    blocks = np.flatnonzero(CLOSES[problem.kind])
    return blocks, problem.row[blocks + 1] - 1
