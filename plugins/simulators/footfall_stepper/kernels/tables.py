"""A world's arrays as one table of addresses, so that a kernel takes one argument instead of 130.

Passing an array from Python to a kernel costs about 35 ns. The step's kernels use nearly all of a
world's arrays, which never move. So each kernel gets a table with one row per array (address and
shape, int64) and opens the named tuples it needs from it: ``topology(table)`` is the ``Topology``
of the world. Field types and dimensions are read from the tuples' annotations.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.jit.tables import allocated, opener
from footfall.problem.arrays import ProblemArrays
from footfall.typing import Floats, Floats1, Floats2, Floats3, Ints1
from footfall.world.arrays import KINDS as SHARED
from footfall.world.arrays import first_row
from footfall.world.arrays import open_candidates as open_candidates
from footfall.world.arrays import open_dynamics as open_dynamics
from footfall.world.arrays import open_ground as open_ground
from footfall.world.arrays import open_joints as open_joints
from footfall.world.arrays import open_problem as open_problem
from footfall.world.arrays import open_sides as open_sides
from footfall.world.arrays import open_topology as open_topology
from footfall_stepper.world.collision_arrays import Coefficients, FoundRows, KnownContacts
from footfall_stepper.world.joint_rows import JointRows
from footfall_stepper.world.loop_arrays import Loops
from footfall_stepper.world.step_arrays import Detected, Monitor, PushArrays, StateArrays


class Scratch(NamedTuple):
    """Work space of the step's kernels.

    Attributes:
        target: shape (rows,), ``W r + free velocity`` of the last answer, [m/s].
        change: shape (nv,), jump of the velocity if impacts follow the forces.
        frame: shape (1, 3, 3), a contact frame.
        fast: shape (contacts,), 1 for contacts fast enough to bounce.
        label: shape (blocks,), their collision groups.
    """

    target: Floats1
    change: Floats1
    frame: Floats3
    fast: Ints1
    label: Ints1

    @classmethod
    def zeros(cls, problem: ProblemArrays, change: Floats, contacts: int) -> Scratch:
        """Allocate it for the problems of a world; ``change`` already exists."""
        rows, blocks, given = problem.impulse.size, problem.kind.size, np.asarray(change)
        return allocated(cls, contacts, target=rows, change=given, frame=(1, 3, 3), label=blocks)


KINDS: tuple[type[Any], ...] = (
    *SHARED,
    StateArrays,
    Monitor,
    Scratch,
    Loops,
    PushArrays,
    JointRows,
    Detected,
)


state = opener(StateArrays, first_row(StateArrays, KINDS))
monitor = opener(Monitor, first_row(Monitor, KINDS))
scratch = opener(Scratch, first_row(Scratch, KINDS))
loops = opener(Loops, first_row(Loops, KINDS))
pushes = opener(PushArrays, first_row(PushArrays, KINDS))
joint_rows = opener(JointRows, first_row(JointRows, KINDS))
detected = opener(Detected, first_row(Detected, KINDS))


class Evaluation(NamedTuple):
    """An engine's evaluation of one tree (see ``footfall.interfaces.engine.Tree``)."""

    M: Floats2
    h: Floats1
    S: Floats2
    pose: Floats2


evaluation = opener(Evaluation, 0)


class RateArrays(NamedTuple):
    """Arrays that continuous time adds to those of a world (see ``kernels.continuous.rates``).

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

carried = opener(KnownContacts, 0)
coefficients = opener(Coefficients, len(KnownContacts.__annotations__))
found = opener(FoundRows, 0)
