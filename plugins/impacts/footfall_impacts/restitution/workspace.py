"""Work space of the model's kernels: one group of coupled contacts."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from footfall.api.advanced import allocated
from footfall.api.kernels import opener
from footfall.api.plugin import Floats1, Floats2, Ints1

MOST_CONTACTS = 32
"""Most contacts of a group in the kernel; Python resolves larger groups."""


class GroupTask(IntEnum):
    """Places in ``GroupArrays.task``."""

    CONTACTS = 0
    """Number of contacts of the group."""
    TOLERANCE = 1
    """Residual required, [m/s]."""
    RESIDUAL = 2
    """Residual reached, [m/s]."""


class GroupArrays(NamedTuple):
    """Work space for one group of coupled contacts.

    Attributes:
        label: shape (blocks,), the first block of each block's group; -1: takes no part.
        block: shape (contacts,), the group's blocks; place: shape (blocks,), the reverse.
        W: shape (rows, rows), Delassus matrix; factor: shape (rows, rows), scratch.
        u: shape (rows,), velocities before, [m/s]; b: shape (rows,), velocities with offset.
        mu, e: shape (contacts,), coefficients; lower: shape (contacts,), least normal impulses.
        first: shape (rows,), impulse of the inelastic impact; r: shape (rows,), the answer, [N s].
        newton: shape (2,), address of the kernel of ``kernels.newton``; task: shape (3,), its
            input and output, by ``GroupTask``.
        F, point, step, scratch: shape (rows,); order: shape (rows,); for Newton's method.
    """

    label: Ints1
    block: Ints1
    place: Ints1
    W: Floats2
    factor: Floats2
    u: Floats1
    b: Floats1
    mu: Floats1
    e: Floats1
    lower: Floats1
    first: Floats1
    r: Floats1
    newton: Ints1
    task: Floats1
    F: Floats1
    point: Floats1
    step: Floats1
    scratch: Floats1
    order: Ints1


group_arrays = opener(GroupArrays, 0)


def allocate(blocks: int, newton: Ints1) -> GroupArrays:
    """Return the work space for problems with at most a number of blocks.

    Args:
        blocks: most blocks of a problem.
        newton: cell of ``kernels.newton.try_newton``, see ``call.late``.
    """
    contacts = min(blocks, MOST_CONTACTS)
    rows = 3 * contacts
    return allocated(
        GroupArrays,
        rows,
        label=blocks,
        block=contacts,
        place=blocks,
        W=(rows, rows),
        factor=(rows, rows),
        mu=contacts,
        e=contacts,
        lower=contacts,
        newton=newton,
        task=3,
    )
