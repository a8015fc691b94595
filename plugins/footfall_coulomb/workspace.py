"""Work space of the law's kernels, opened from a table as a world's arrays are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.kernels.table import opener
from footfall.problem.contact_problem import ContactProblem
from footfall.world.arrays import Floats1, Floats2, Ints1


class Workspace(NamedTuple):
    """Settings and scratch; nothing in it but the settings survives a solve.

    Attributes:
        settings: shape (6,), tolerance [m/s], relaxation, gain and slop [m] of the position
            correction, largest compliance [m/N], damping time [s].
        compliance: shape (candidates,), of each contact candidate, [m/N]; 0: rigid.
        sweeps: shape (3,), sweeps done before a call, at its end, and at the end of the last call.
        still: shape (rows,), zero.
        push: shape (rows,), velocities that position correction asks for, [m/s].
        kept: shape (rows,), the best impulse so far.
        stiff: shape (blocks,), W_nn of contacts without their compliance, [1/kg].
        local: shape (9,), the matrix of one contact.
        D, J: shape (n, n), of Newton's method, with n its largest number of rows.
        F, u, best: shape (n,), likewise.
    """

    settings: Floats1
    compliance: Floats1
    sweeps: Ints1
    still: Floats1
    push: Floats1
    kept: Floats1
    stiff: Floats1
    local: Floats1
    D: Floats2
    J: Floats2
    F: Floats1
    u: Floats1
    best: Floats1


def allocate(
    problem: ContactProblem, newton_rows: int, settings: Sequence[float], compliance: Floats1
) -> Workspace:
    """Make the work space of problems in the storage of one.

    Args:
        problem: whose storage it is; it may have fewer rows than there is room for.
        newton_rows: rows up to which there is room for Newton's method.
        settings: tolerance, relaxation, position gain and slop, damping time.
        compliance: shape (candidates,), [m/N].
    """
    rows, blocks = problem.arrays.impulse.size, problem.arrays.kind.size
    n = min(rows, newton_rows)
    shapes = (rows, rows, rows, blocks, 9, (n, n), (n, n), n, n, n)
    scratch = (np.zeros(shape) for shape in shapes)
    *first, damping_time = settings
    numbers = np.array([*first, compliance.max(initial=0.0), damping_time])
    return Workspace(numbers, compliance, np.zeros(3, np.int64), *scratch)


workspace = opener(Workspace, 0)
"""Opens the work space from its table."""
