"""Commands that are held, as kernels read them."""

from __future__ import annotations

from typing import NamedTuple

from footfall.typing import Floats1, Floats2, Ints1


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
