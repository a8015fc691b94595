"""Work space of the model's kernels: one group of coupled contacts."""

from __future__ import annotations

from typing import NamedTuple

from footfall.api.advanced import Cones, allocated
from footfall.api.kernels import opener
from footfall.api.plugin import Floats1, Ints1

MOST_CONTACTS = 100
"""Most contacts of a group of a problem in the kernel's arrays; Python gathers larger groups."""


class GroupArrays(NamedTuple):
    """Work space for one group of coupled contacts, beside its ``Cones``.

    Attributes:
        label: shape (blocks,), the first block of each block's group; -1: takes no part.
        block: shape (contacts,), the group's blocks; place: shape (blocks,), the reverse.
        u: shape (rows,), velocities before, [m/s]; e: shape (contacts,), coefficients.
        mu: shape (contacts,), coefficients of friction while they are replaced.
        first: shape (rows,), impulse of the inelastic impact, [N s].
        answer: shape (rows,), the best impulse so far, [N s].
        offset: shape (contacts,), negative of the required normal velocities, [m/s].
    """

    label: Ints1
    block: Ints1
    place: Ints1
    u: Floats1
    e: Floats1
    mu: Floats1
    first: Floats1
    answer: Floats1
    offset: Floats1


group_arrays, group_cones = opener(GroupArrays, 0), opener(Cones, len(GroupArrays._fields))


def allocate(blocks: int, contacts: int) -> tuple[GroupArrays, Cones]:
    """Return the work space for problems with at most a number of blocks, and of a group."""
    rows = dict.fromkeys(("u", "first", "answer"), 3 * contacts)
    arrays = allocated(GroupArrays, contacts, label=blocks, place=blocks, **rows)
    return arrays, Cones.allocate("coulomb", contacts)
