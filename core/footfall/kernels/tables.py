"""A world's arrays as one table of addresses, so that a kernel takes one argument instead of 130.

Handing an array from Python to a kernel costs about 35 ns; the step's kernels see nearly all of a
world's arrays, which never move. Each kernel is therefore given a table with a row an array
(address and shape, int64) and opens the named tuples that it needs from it: ``topology(table)`` is
the ``Topology`` of the world. Field types and dimensions are read from the tuples' annotations.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from footfall.jit.tables import opener
from footfall.problem.arrays import ProblemArrays
from footfall.typing import Floats1, Floats2, Floats3, Ints1
from footfall.world.arrays import (
    Candidates,
    Detected,
    Dynamics,
    Ground,
    Joints,
    Monitor,
    Sides,
    StateArrays,
    Topology,
)
from footfall.world.collision_arrays import Carried, Coefficients, FoundRows
from footfall.world.joint_rows import JointRows
from footfall.world.loop_arrays import Loops
from footfall.world.push_arrays import PushArrays


class Scratch(NamedTuple):
    """Work space of the step's kernels.

    Attributes:
        target: shape (rows,), ``W r + free velocity`` of the last answer, [m/s].
        change: shape (nv,), jump of the velocity in the seed's order of impacts.
        frame: shape (1, 3, 3), a contact frame.
        vectors: shape (8, 3).
    """

    target: Floats1
    change: Floats1
    frame: Floats3
    vectors: Floats2


KINDS: tuple[type[Any], ...] = (
    Topology,
    Joints,
    Dynamics,
    Candidates,
    Ground,
    Sides,
    ProblemArrays,
    StateArrays,
    Monitor,
    Scratch,
    Loops,
    PushArrays,
    JointRows,
    Detected,
)


def first_row(kind: type[Any]) -> int:
    """Return the first row of a named tuple in a world's table."""
    return sum(len(k.__annotations__) for k in KINDS[: KINDS.index(kind)])


topology = opener(Topology, first_row(Topology))
joints = opener(Joints, first_row(Joints))
dynamics = opener(Dynamics, first_row(Dynamics))
candidates = opener(Candidates, first_row(Candidates))
ground = opener(Ground, first_row(Ground))
sides = opener(Sides, first_row(Sides))
problem = opener(ProblemArrays, first_row(ProblemArrays))
state = opener(StateArrays, first_row(StateArrays))
monitor = opener(Monitor, first_row(Monitor))
scratch = opener(Scratch, first_row(Scratch))
loops = opener(Loops, first_row(Loops))
pushes = opener(PushArrays, first_row(PushArrays))
joint_rows = opener(JointRows, first_row(JointRows))
detected = opener(Detected, first_row(Detected))


class Evaluation(NamedTuple):
    """An engine's evaluation of one tree (see ``footfall.interfaces.engine.Tree``)."""

    M: Floats2
    h: Floats1
    S: Floats2
    pose: Floats2


evaluation = opener(Evaluation, 0)


class RateArrays(NamedTuple):
    """What continuous time adds to a world's arrays (see ``footfall.kernels.continuous.rates``).

    Attributes:
        place: shape (n,), where the entries of x are in the state's vector.
        vector: shape (all,), the state's vector.
        rate: shape (all,), rates in the same places.
        q: shape (nq,), view of the rate of q; v: shape (nv,), of the body-frame velocity.
        power: shape (3,), view of the quadratures' rates: work done on the robot by motors,
            external forces and a moving ground; loss in joint dampers; work of the contact forces
            on the velocity relative to the ground, [W].
        force: shape (rows,), the law's forces, contact frames, [N].
        load: shape (nv,), generalized force of the actuators, [N, N m].
        switching: shape (candidates, 2), the law's event functions.
        mode: shape (candidates,), 0 open, 1 stick, 2 slip.
        last: shape (candidates, 6), force at the last booking, contact frame and world frame, [N].
        total: shape (candidates, 6), integral of the same over the tick, [N s].
        last_load: shape (nv,), load at the last booking.
        total_load: shape (nv,), its integral over the tick.
    """

    place: Ints1
    vector: Floats1
    rate: Floats1
    q: Floats1
    v: Floats1
    power: Floats1
    force: Floats1
    load: Floats1
    switching: Floats2
    mode: Floats1
    last: Floats2
    total: Floats2
    last_load: Floats1
    total_load: Floats1


rates = opener(RateArrays, 0)

carried = opener(Carried, 0)
coefficients = opener(Coefficients, len(Carried.__annotations__))
found = opener(FoundRows, 0)
