"""Work space of the law's kernels, opened from a table as a world's arrays are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.kernels.table import opener
from footfall.world.arrays import Floats1, Floats2, Ints1


class Workspace(NamedTuple):
    """Settings and scratch; nothing in it but the settings survives a solve.

    Attributes:
        settings: shape (6,), tolerance [m/s], relaxation, gain and slop [m] of the position
            correction, compliance [m/N], damping time [s].
        sweeps: shape (3,), sweeps done before a call, at its end, and at the end of the last call.
        still: shape (rows,), zero.
        push: shape (rows,), velocities that position correction asks for, [m/s].
        kept: shape (rows,), the best impulse so far.
        stiff: shape (rows,), W_nn of contacts without their compliance, [1/kg].
        local: shape (9,), the matrix of one contact.
        D, J: shape (n, n), of Newton's method, with n its largest number of rows.
        F, u, best: shape (n,), likewise.
    """

    settings: Floats1
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


def allocate(rows: int, newton_rows: int, settings: tuple[float, ...]) -> Workspace:
    """Make the work space of problems of up to so many rows."""
    n = min(rows, newton_rows)
    shapes = (rows, rows, rows, rows, 9, (n, n), (n, n), n, n, n)
    scratch = (np.zeros(shape) for shape in shapes)
    return Workspace(np.array(settings), np.zeros(3, np.int64), *scratch)


workspace = opener(Workspace, 0)
"""Opens the work space from its table."""
