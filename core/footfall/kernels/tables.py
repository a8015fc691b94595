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
from footfall.world.arrays import (
    Candidates,
    Detected,
    Dynamics,
    Ground,
    Joints,
    Monitor,
    PushArrays,
    Sides,
    StateArrays,
    Topology,
)
from footfall.world.collision_arrays import Coefficients, FoundRows, KnownContacts
from footfall.world.joint_rows import JointRows
from footfall.world.loop_arrays import Loops


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
"""Opens the constant data of a world: sizes, parents, inertial constants.

Links and velocity dofs are numbered over all trees; a tree is a robot, or a rigid body.

Attributes:
    tree_link: shape (trees + 1,), first link of each tree.
    tree_v: shape (trees + 1,), first velocity dof of each tree.
    floating: shape (trees,), 1 for a floating base.
    free: shape (trees,), 1 for a rigid body without joints.
    dof_parent: shape (nv,), parent dof within the tree, -1 at the root.
    link_tree: shape (links,).
    link_dof: shape (links,), last dof (within the tree) that moves the link, -1 if none does.
    mass: shape (links,), [kg].
    com: shape (links, 3), [m], link frame.
    inertia: shape (links, 3, 3), about the centre of mass, link axes, [kg m^2].
"""
joints = opener(Joints, first_row(Joints))
"""Opens the joint-space parameters, shape (nv,), zero for dofs of a base.

Attributes:
    armature: reflected inertia, [kg m^2 or kg].
    damping: passive viscous coefficient, [N m s/rad or N s/m].
    stiffness: implicit gain, [N m/rad or N/m].
    rate_gain: implicit gain, [N m s/rad or N s/m].
"""
dynamics = opener(Dynamics, first_row(Dynamics))
"""Opens the data computed anew in each step.

Attributes:
    S: shape (nv, 6), twist of each dof at the world origin, world axes, linear part first.
    pose: shape (links, 12), rotation link to world column-major, then the position, [m].
"""
candidates = opener(Candidates, first_row(Candidates))
ground = opener(Ground, first_row(Ground))
sides = opener(Sides, first_row(Sides))
"""Opens the links of each block of the contact problem.

Attributes:
    link: shape (blocks, 2), link of body 1 (-1: the ground) and of body 2.
    place: shape (blocks, 2), index of a block in the list of its tree's blocks.
    tree_start: shape (trees + 1,), start of a tree's list.
"""
problem = opener(ProblemArrays, first_row(ProblemArrays))
"""Opens the arrays of the contact problem, with room for more blocks than there are.

Attributes:
    size: counts, of the blocks at ``footfall.api.contact.SIZE``.
    kind: shape (blocks,), a ``BlockKind``.
    frame: shape (blocks, 3, 3), rows are the world directions of tangent, tangent, normal.
    position: shape (blocks, 3), contact point, world, [m].
    pair_start: shape (blocks + 1,), first pair of each block: its row of the Delassus matrix.
    pair_block: shape (pairs,), the other block of the pair (itself included).
    W: flat storage of the pairs' 3 x 3 blocks of the Delassus matrix, row-major, [1/kg].
"""
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
    """The arrays that continuous time adds to a world (see ``footfall.kernels.continuous.rates``).

    Attributes:
        place: shape (n,), index of each entry of x in the state's vector.
        vector: shape (all,), the state's vector.
        rate: shape (all,), rates at the same indices.
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
