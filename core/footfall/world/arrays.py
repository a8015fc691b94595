"""Arrays of a world that kernels of plugins read, and their openers.

A world is a list of trees; q and v are concatenated, the inertia is a list of per-tree blocks in
one flat array and never formed whole, so that a thousand bodies cost linear memory. The arrays are
never reallocated during a run.

Every kernel of a step takes one table of addresses, with a row an array. In a kernel,
``open_topology(table)`` is the world's ``Topology``. The named tuples in ``KINDS`` come first in
the table, in this order; the rest of it belongs to the simulator.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

from footfall.jit.tables import opener
from footfall.problem.arrays import ProblemArrays
from footfall.typing import Floats1, Floats2, Floats3, Ints1, Ints2

# The digit is the number of dimensions: kernels find the arrays by these annotations.


class Topology(NamedTuple):
    """The constant data: sizes, parents and inertial constants.

    Attributes:
        tree_q: shape (trees + 1,), first position coordinate of each tree.
        tree_v: shape (trees + 1,), first velocity dof of each tree.
        tree_link: shape (trees + 1,), first link of each tree.
        tree_M: shape (trees + 1,), start of the tree's nv x nv block in flat storage.
        floating: shape (trees,), 1 for a floating base.
        free: shape (trees,), 1 for a rigid body without joints (evaluated by the core itself),
            2 for one with a prescribed motion. These come last and have no mass.
        dof_parent: shape (nv,), parent dof within the tree, -1 at the root; if drives couple joints
            of different branches, the dof before it.
        wide: shape (trees,), 1 if rows have a place for every dof: if drives couple joints of
            different branches, or loops close a tree that does not float.
        dof_q: shape (nv,), position coordinate of each joint dof, -1 for base dofs.
        root_link: shape (trees,), the link that carries the robot's root.
        root_frame: shape (trees, 12), the root's frame in that link: rotation column-major,
            translation [m].
        link_tree: shape (links,).
        link_dof: shape (links,), last dof (within the tree) that moves the link, -1 if none does.
        chain_start: shape (links + 1,), start of a link's chain.
        chain: flat lists of the dofs (within the tree) from the root to each link.
        closed: shape (trees,), 0 for a tree without closed loops, 1 for one with loops, 2 if a
            loop holds it to the world.
        span_start: shape (links + 1,), start of a link's span.
        span: flat lists of the dofs (within the tree) on which an impulse on each link acts: its
            chain; all dofs of a wide tree.
        shared_row: shape (links,); shared: flat, at ``shared_row[a] + b`` the number of leading
            dofs that the spans of links a and b of one tree have in common.
        mass: shape (links,), [kg].
        com: shape (links, 3), [m], link frame.
        inertia: shape (links, 3, 3), about the centre of mass, link axes, [kg m^2].
        gravity: shape (3,), [m/s^2].
    """

    tree_q: Ints1
    tree_v: Ints1
    tree_link: Ints1
    tree_M: Ints1
    floating: Ints1
    free: Ints1
    dof_parent: Ints1
    wide: Ints1
    dof_q: Ints1
    root_link: Ints1
    root_frame: Floats2
    link_tree: Ints1
    link_dof: Ints1
    chain_start: Ints1
    chain: Ints1
    closed: Ints1
    span_start: Ints1
    span: Ints1
    shared_row: Ints1
    shared: Ints1
    mass: Floats1
    com: Floats2
    inertia: Floats3
    gravity: Floats1


class Joints(NamedTuple):
    """The joint-space parameters and commands; per velocity dof, zero for base dofs.

    Attributes:
        armature: reflected inertia, [kg m^2 or kg].
        damping: passive viscous coefficient, [N m s/rad or N s/m].
        tau: commanded generalized force, [N m or N].
        stiffness: implicit gain, [N m/rad or N/m].
        rate_gain: implicit gain, [N m s/rad or N s/m].
        target: [rad or m].
        target_rate: [rad/s or m/s].
        external: generalized external force, any dof, [N or N m], base frame at the base.
        coupling_start: shape (trees + 1,), first coupling of each tree.
        coupling: shape (couplings, 2), dofs (within the tree) coupled by a transmission: one and
            an ancestor of it.
        coupling_inertia: shape (couplings,), off-diagonal reflected inertia, [kg m^2 or kg].
        coupling_damping: shape (couplings,), off-diagonal viscous friction, [N m s/rad or N s/m].
    """

    armature: Floats1
    damping: Floats1
    tau: Floats1
    stiffness: Floats1
    rate_gain: Floats1
    target: Floats1
    target_rate: Floats1
    external: Floats1
    coupling_start: Ints1
    coupling: Ints2
    coupling_inertia: Floats1
    coupling_damping: Floats1


class Energy(IntEnum):
    """Places in ``Dynamics.energy``: energies and masses of the whole world."""

    KINETIC = 0
    """Kinetic energy, [J]."""
    POTENTIAL = 1
    """Potential energy, [J]."""
    MASS_MOMENT = 2
    """The first of the mass moment's x y z, [kg m]."""
    TOTAL_MASS = 5
    """Total mass, [kg]."""
    ELASTIC = 6
    """Elastic energy of the contacts, [J]."""
    LEAST_PIVOT = 7
    """Least pivot of the factorisation."""


class Airborne(IntEnum):
    """Values of ``Dynamics.airborne``: bodies that push a tree."""

    PUSHED = 0
    """Something fixed pushes the tree, directly or through others, or its base does not float."""
    LOOSE = 1
    """Nothing fixed pushes the tree, even through others; moving bodies do."""
    FLYING = 2
    """Nothing touches or holds the tree."""


class Dynamics(NamedTuple):
    """The data computed anew in each step.

    Attributes:
        M: flat per-tree blocks, row-major, joint-space inertia with armature.
        L: the same storage, factor L' D L of M + dt (damping) + dt^2 (stiffness).
        h: shape (nv,), bias force for mixed accelerations, [N, N m].
        S: shape (nv, 6), world-frame twist of each dof at the world origin.
        pose: shape (links, 12), rotation column-major, translation.
        twist: shape (links, 6), world-frame twist at the world origin.
        free_twist: shape (links, 6), the same for the free velocity.
        bias_acceleration: shape (links, 6), spatial acceleration for zero mixed accelerations.
        v_free: shape (nv,), velocity at the end of the step without constraint impulses, in the
            base frame at the start of the step.
        v_new: shape (nv,), the same with them; v_position: the velocity that moves positions.
        turning: shape (nv,), for rigid bodies without joints: turning terms that h holds,
            acceleration of the mass centre and moment about it, base axes, [m/s^2, N m].
        before: shape (2 nv + 6,), scratch.
        airborne: shape (trees,), an ``Airborne``.
        moved: shape (nv + 2, 19), scratch of the stepper's kernels of momentum: the momentum after
            the step, then the displacement after each dof.
        total: shape (38,), scratch of the same: mass, mass moment x y z, momentum x y z, angular
            momentum x y z, inertia xx xy xz yy yz zz of the tree after the step; from 16 on,
            scratch.
        work: shape (nv,), scratch.
        scale: shape (nv,), D^-1/2 of the factorisation.
        energy: shape (8,), indexed by ``Energy``.
        start_q: shape (nq,), copy from the start of a midpoint step; start_v: shape (nv,);
            start_free: shape (nv,), the free velocity; start_turning: shape (nv,).
        start_momentum: shape (trees, 12), of the robots, by the stepper's kernels of momentum.
        start_energy: shape (1,), kinetic and potential, [J].
        carried: shape (nv,), v of the start in the axes of the midpoint; for rigid bodies without
            joints the velocity of their momentum there.
    """

    M: Floats1
    L: Floats1
    h: Floats1
    S: Floats2
    pose: Floats2
    twist: Floats2
    free_twist: Floats2
    bias_acceleration: Floats2
    v_free: Floats1
    v_new: Floats1
    v_position: Floats1
    turning: Floats1
    before: Floats1
    airborne: Ints1
    moved: Floats2
    total: Floats1
    work: Floats1
    scale: Floats1
    energy: Floats1
    start_q: Floats1
    start_v: Floats1
    start_free: Floats1
    start_turning: Floats1
    start_momentum: Floats2
    start_energy: Floats1
    carried: Floats1

    @property
    def mechanical_energy(self) -> float:
        """Kinetic, potential and elastic energy at the last evaluation, [J]."""
        energy = self.energy
        return float(energy[Energy.KINETIC] + energy[Energy.POTENTIAL] + energy[Energy.ELASTIC])

    @property
    def elastic_energy(self) -> float:
        """Energy stored in the contacts' springs, [J]."""
        return float(self.energy[Energy.ELASTIC])


class CandidateKind(IntEnum):
    """Shapes of a body's features that can touch the ground."""

    POINT = 0
    """A point of a link."""
    SPHERE = 1
    """A sphere about a point of a link."""
    RIM = 2
    """A circle about an axis of a link, with three candidates."""


class Candidates(NamedTuple):
    """Features of bodies that can touch the ground; a rim has three candidates.

    Attributes:
        key: shape (n,), identity of the contact (see ``footfall_stepper.world.collision_arrays``).
        links: shape (l,), the distinct links that have candidates.
        link: shape (n,), global link.
        kind: shape (n,), a ``CandidateKind``.
        local: shape (n, 3), point or centre in the link frame, [m].
        axis: shape (n, 3), a rim's axis in the link frame.
        radius: shape (n,), [m].
        phase: shape (n,), angle along a rim from its lowest point, [rad].
        friction: shape (n,), of the body; NaN if not given.
        restitution: shape (n,), of the body; NaN if not given.
        pair_friction: shape (n,), of the pair with the terrain; NaN: combine both sides.
        pair_restitution: shape (n,), likewise.
        lengths: shape (n, 2), of torsional and rolling friction, [m]; empty if no contact has any.
        directions: shape (n, 12), friction by direction, see ``DirectionColumn``; empty likewise.
        query: shape (n, 3), world position at which the terrain is sampled.
        position: shape (n, 3), world position of the contact point.
        lowered: shape (1,), part of the gap by which the position of a contact in the problem is
            moved onto the ground, along the normal, but in impacts: 1 for rigid laws of
            impulses, else 0.
        gap: shape (n,), [m].
        impulse: shape (n, 3), sum over the step, contact frame, [N s].
        moment: shape (n, 3), friction moment, sum over the step, world frame, [N m s], and at its
            end the mean, [N m]; empty like ``lengths``.
        force: shape (n, 3), mean over the step, world frame, [N].
        status: shape (n,), 0 open, 1 stick, 2 slip.
        foot: shape (n,), the candidate's foot, -1 if none.
        foot_link: shape (feet,), global link.
        foot_frame: shape (feet, 12), the foot's frame in its link: rotation column-major,
            translation [m].
        foot_pose: shape (feet, 12), the same in the world, at the start of the step.
    """

    key: Ints1
    links: Ints1
    link: Ints1
    kind: Ints1
    local: Floats2
    axis: Floats2
    radius: Floats1
    phase: Floats1
    friction: Floats1
    restitution: Floats1
    pair_friction: Floats1
    pair_restitution: Floats1
    lengths: Floats2
    directions: Floats2
    query: Floats2
    position: Floats2
    lowered: Floats1
    gap: Floats1
    impulse: Floats2
    moment: Floats2
    force: Floats2
    status: Floats1
    foot: Ints1
    foot_link: Ints1
    foot_frame: Floats2
    foot_pose: Floats2


class Ground(NamedTuple):
    """The terrain's sample at the candidates' query points (see ``TerrainSample``)."""

    gap: Floats1
    normal: Floats2
    velocity: Floats2
    friction: Floats1
    restitution: Floats1


PANEL = 96
"""Number of rows of a tree's blocks multiplied at a time."""


class Sides(NamedTuple):
    """Jacobians of the problem's blocks, one entry per block and side (environment: empty).

    Attributes:
        link: shape (blocks, 2), global link of body 1 (ground, -1) and body 2.
        start: shape (blocks, 2), start of the side's 4 x span block in ``Z``.
        Z: flat storage of ``D^-1/2 L^-T J'`` restricted to the link's span, four numbers per
            dof: three rows (a joint's row is the first) and a zero.
        tree_start: shape (trees + 1,), scratch: lists of blocks by tree.
        tree_block: shape (2 blocks,), scratch.
        place: shape (blocks, 2), scratch: index of a block in its tree's list.
        joint: shape (blocks,), the joint row of a limit or joint friction.
        row: shape (2 blocks,), scratch: the first row in its panel, by index in a tree's list.
        panel: flat, scratch: two panels of rows side by side, ``PANEL`` numbers for each dof and
            coordinate of loops, and four spare ones.
        group_link: shape (2 x ``PANEL`` / 4,), scratch: link whose span covers four rows of a
            panel.
        product: shape (``PANEL`` x ``PANEL``,), scratch: products of two panels.
    """

    link: Ints2
    start: Ints2
    Z: Floats1
    tree_start: Ints1
    tree_block: Ints1
    place: Ints2
    joint: Ints1
    row: Ints1
    panel: Floats1
    group_link: Ints1
    product: Floats1


KINDS: tuple[type[Any], ...] = (
    Topology,
    Joints,
    Dynamics,
    Candidates,
    Ground,
    Sides,
    ProblemArrays,
)


def first_row(kind: type[Any], kinds: tuple[type[Any], ...] = KINDS) -> int:
    """Return the first row of a named tuple in a table of tuples of these kinds."""
    return sum(len(k.__annotations__) for k in kinds[: kinds.index(kind)])


open_topology = opener(Topology, first_row(Topology))
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
open_joints = opener(Joints, first_row(Joints))
"""Opens the joint-space parameters, shape (nv,), zero for dofs of a base.

Attributes:
    armature: reflected inertia, [kg m^2 or kg].
    damping: passive viscous coefficient, [N m s/rad or N s/m].
    stiffness: implicit gain, [N m/rad or N/m].
    rate_gain: implicit gain, [N m s/rad or N s/m].
"""
open_dynamics = opener(Dynamics, first_row(Dynamics))
"""Opens the data computed anew in each step.

Attributes:
    S: shape (nv, 6), twist of each dof at the world origin, world axes, linear part first.
    pose: shape (links, 12), rotation link to world column-major, then the position, [m].
"""
open_candidates = opener(Candidates, first_row(Candidates))
open_ground = opener(Ground, first_row(Ground))
open_sides = opener(Sides, first_row(Sides))
"""Opens the links of each block of the contact problem.

Attributes:
    link: shape (blocks, 2), link of body 1 (-1: the ground) and of body 2.
    place: shape (blocks, 2), index of a block in the list of its tree's blocks.
    tree_start: shape (trees + 1,), start of a tree's list.
"""
open_problem = opener(ProblemArrays, first_row(ProblemArrays))
"""Opens the arrays of the contact problem, with room for more blocks than there are.

Attributes:
    size: counts, indexed by ``footfall.api.contact.ProblemSize``.
    kind: shape (blocks,), a ``BlockKind``.
    frame: shape (blocks, 3, 3), rows are the world directions of tangent, tangent, normal.
    position: shape (blocks, 3), contact point, world, [m].
    pair_start: shape (blocks + 1,), first pair of each block: its row of the Delassus matrix.
    pair_block: shape (pairs,), the other block of the pair (itself included).
    W: flat storage of the pairs' 3 x 3 blocks of the Delassus matrix, row-major, [1/kg].
"""
