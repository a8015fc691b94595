"""Arrays of external wrenches, efforts and held commands, as kernels read them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.typing import Floats1, Floats2, Ints1

WORLD, LINK = 0, 1
"""Frames that a wrench can be given in."""


class PushArrays(NamedTuple):
    """What pushes a world over the next step.

    Attributes:
        acting: shape (2,): wrenches that act; 1 if the generalized external force is theirs and
            that of ``effort``, 0 if nothing pushes and it is left alone.
        link: shape (n,), global link.
        frame: shape (n,), 0 if the wrench is given along the world's axes, 1 along the link's.
        point: shape (n, 3), where the force acts, [m], link frame.
        wrench: shape (n, 6), force [N] and moment about the point [N m].
        effort: shape (nv,), generalized force besides, [N or N m].
        held: shape (trees,), 1 if a wrench follows the tree: a hand on a spring.
    """

    acting: Ints1
    link: Ints1
    frame: Ints1
    point: Floats2
    wrench: Floats2
    effort: Floats1
    held: Ints1


def allocate_pushes(nv: int, trees: int, n: int) -> PushArrays:
    """Make room for n wrenches."""
    return PushArrays(
        acting=np.zeros(2, np.int64),
        link=np.zeros(n, np.int64),
        frame=np.zeros(n, np.int64),
        point=np.zeros((n, 3)),
        wrench=np.zeros((n, 6)),
        effort=np.zeros(nv),
        held=np.zeros(trees, np.int64),
    )


class HoldArrays(NamedTuple):
    """The commands of one controller: torque, stiffness, damping, target, target rate of n joints.

    Attributes:
        timing: shape (2,): ticks from one command to the next, ticks that a command is on its way.
        command: shape (5 n,), the last one given, part of the state.
        line: shape (samples, 5 n), those on their way and the one held, part of the state.
        tau: shape (n,), where what acts is written: what goes to the drives or joints.
        stiffness: likewise; damping; target; target_rate.
    """

    timing: Ints1
    command: Floats1
    line: Floats2
    tau: Floats1
    stiffness: Floats1
    damping: Floats1
    target: Floats1
    target_rate: Floats1
