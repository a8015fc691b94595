"""Work space of the law's kernels, opened from a table as a world's arrays are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.kernels.table import opener
from footfall.world.arrays import Floats1, Floats2


class Workspace(NamedTuple):
    """Scratch; nothing in it survives a solve.

    Attributes:
        still: shape (rows,), zero.
        push: shape (rows,), velocities that position correction asks for, [m/s].
        local: shape (9,), the matrix of one contact.
        D, J: shape (n, n), of Newton's method, with n its largest number of rows.
        F, u, best: shape (n,), likewise.
    """

    still: Floats1
    push: Floats1
    local: Floats1
    D: Floats2
    J: Floats2
    F: Floats1
    u: Floats1
    best: Floats1


def allocate(rows: int, newton_rows: int) -> Workspace:
    """Make the work space of problems of up to so many rows."""
    n = min(rows, newton_rows)
    return Workspace(*(np.zeros(shape) for shape in (rows, rows, 9, (n, n), (n, n), n, n, n)))


workspace = opener(Workspace, 0)
"""Opens the work space from its table."""
