"""The packed arrays of a world, read and written by kernels; never reallocated during a run.

A world is a list of trees; q and v are concatenated. The inertia is stored as one block per tree
in a flat array, never as a full matrix, so that a thousand bodies cost linear memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.problem.arrays import NATURAL_MAP, RESIDUALS
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
        free: shape (trees,), 1 for a rigid body without joints (evaluated by the core itself).
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


ENERGY_KINETIC, ENERGY_POTENTIAL, MASS_MOMENT = range(3)
TOTAL_MASS, ENERGY_ELASTIC, LEAST_PIVOT = range(5, 8)
"""Indices of ``Dynamics.energy``: kinetic and potential energy [J]; first of the mass moment's x y
z [kg m]; total mass [kg]; elastic energy of the contacts [J]; least pivot of the factorisation."""


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
        airborne: shape (trees,), 2: a floating base in flight; 1: a floating base that moving
            bodies push but nothing fixed pushes, directly or through them; 0: all others.
        moved: shape (nv + 2, 19), scratch of ``kernels.dynamics.momentum``: the momentum after
            the step, then the displacement after each dof.
        total: shape (38,), scratch of the same: mass, mass moment x y z, momentum x y z, angular
            momentum x y z, inertia xx xy xz yy yz zz of the tree after the step; from 16 on,
            scratch.
        work: shape (nv,), scratch.
        scale: shape (nv,), D^-1/2 of the factorisation.
        energy: shape (8,), indexed by ``ENERGY_KINETIC`` to ``LEAST_PIVOT``.
        start_q: shape (nq,), copy from the start of a midpoint step; start_v: shape (nv,);
            start_free: shape (nv,), the free velocity; start_turning: shape (nv,).
        start_momentum: shape (trees, 12), of the robots, see ``kernels.dynamics.momentum``.
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
        return float(energy[ENERGY_KINETIC] + energy[ENERGY_POTENTIAL] + energy[ENERGY_ELASTIC])

    @property
    def elastic_energy(self) -> float:
        """Energy stored in the contacts' springs, [J]."""
        return float(self.energy[ENERGY_ELASTIC])


FLYING, LOOSE = 2, 1
"""A tree that nothing touches or holds; a tree that nothing fixed pushes, even through others."""


class Candidates(NamedTuple):
    """Features of bodies that can touch the ground; a rim has three candidates.

    Attributes:
        key: shape (n,), identity of the contact (see ``footfall.world.collision_arrays``).
        links: shape (l,), the distinct links that have candidates.
        link: shape (n,), global link.
        kind: shape (n,), 0 point, 1 sphere, 2 rim.
        local: shape (n, 3), point or centre in the link frame, [m].
        axis: shape (n, 3), a rim's axis in the link frame.
        radius: shape (n,), [m].
        phase: shape (n,), angle along a rim from its lowest point, [rad].
        friction: shape (n,), of the body; NaN if not given.
        restitution: shape (n,), of the body; NaN if not given.
        pair_friction: shape (n,), of the pair with the terrain; NaN: combine both sides.
        pair_restitution: shape (n,), likewise.
        lengths: shape (n, 2), of torsional and rolling friction, [m]; empty if no contact has any.
        query: shape (n, 3), world position at which the terrain is sampled.
        position: shape (n, 3), world position of the contact point.
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
    query: Floats2
    position: Floats2
    gap: Floats1
    impulse: Floats2
    moment: Floats2
    force: Floats2
    status: Floats1
    foot: Ints1
    foot_link: Ints1
    foot_frame: Floats2
    foot_pose: Floats2


class Detected(NamedTuple):
    """Contacts found by collision detection, in the order of their keys.

    The arrays have spare room: ``StateArrays.detected`` counts the contacts of this step. Their
    per-step state (warm start, touching) is part of the state as well. In the contact problem they
    follow the declared candidates: the first is candidate ``len(candidates.link)``.

    Attributes:
        link: shape (room, 2), global links of body 1 (-1: fixed) and body 2.
        position: shape (room, 3), midpoint of the two nearest points, world, [m].
        normal: shape (room, 3), unit, world, from body 1 to body 2.
        gap: shape (room,), [m].
        friction: shape (room,), of the pair; restitution: shape (room,), likewise.
        lengths: shape (room, 2), as of candidates; moment: shape (room, 3), likewise, on body 2.
        impulse: shape (room, 3), sum over the step, contact frame, [N s].
        force: shape (room, 3), mean over the step on body 2, world frame, [N].
        status: shape (room,), 0 open, 1 stick, 2 slip.
    """

    link: Ints2
    position: Floats2
    normal: Floats2
    gap: Floats1
    friction: Floats1
    restitution: Floats1
    lengths: Floats2
    moment: Floats2
    impulse: Floats2
    force: Floats2
    status: Floats1


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


(LEDGER_WORK, LEDGER_TAKEN, LEDGER_INTEGRATION, LEDGER_EXPECTED) = range(4)
(LEDGER_EXPECTS, LEDGER_ELASTIC_AT_START, LEDGER_IMPACTS, LEDGER_LOOP_CLOSING) = range(4, 8)
"""Indices of ``StateArrays.ledger``: work in; energy taken by contacts and joints (lost or
elastic); integration error; expected mechanical energy; 1 if that is valid; elastic energy at the
start of the simulation; impacts; integration error due to closing loops. Energies in [J]."""


class StateArrays(NamedTuple):
    """Views of the state that kernels update.

    Attributes:
        q: shape (nq,); v: shape (nv,).
        impulse: shape (candidates, 3), warm start, contact frame, [N s].
        touching: shape (candidates,), 1 if the point was in contact in the last step.
        ledger: shape (8,), indexed by ``LEDGER_WORK`` to ``LEDGER_LOOP_CLOSING``.
        joint_impulse: shape (joint rows,), warm start, [N m s or N s].
        nudot: shape (nv,), mean mixed acceleration over the last step.
        foot_wrench: shape (feet, 6), mean wrench on the foot over the last step, [N, N m].
        detected: shape (1,), number of detected contacts.
        detected_impulse: shape (room, 3), warm start, contact frame, [N s].
        detected_touching: shape (room,), 1 if the contact was closed in the last step.
    """

    q: Floats1
    v: Floats1
    impulse: Floats2
    touching: Floats1
    ledger: Floats1
    joint_impulse: Floats1
    nudot: Floats1
    foot_wrench: Floats2
    detected: Ints1
    detected_impulse: Floats2
    detected_touching: Floats1


NEVER = 1e300
"""A speed that is never reached, [m/s], and a time that never comes, [s]."""


class StepPlaces(NamedTuple):
    """Indices of ``Monitor.step``."""

    iterations: int = 0
    residual: int = 1
    failures: int = 2
    penetration: int = 3
    impacts: int = 4
    splits: int = 5
    unresolved: int = 6
    not_finite: int = 7
    next_impact: int = 8
    new_touches: int = 9
    impact_speed: int = 10
    approach_limit: int = 11
    cuts: int = 12
    departure_limit: int = 13
    compliant: int = 14
    located: int = 15
    impact_bounces: int = 16
    blocks: int = 17


STEP = StepPlaces()
"""Indices of ``Monitor.step``, for the current step: the law's iterations; its residual [m/s];
failed solves; penetration [m]; impacts; splits; unresolved splits; 1 if a velocity is not finite;
earliest impact time [s]; newly touching points; approach speed at that impact [m/s]; approach speed
from which restituting points stay out [m/s]; impacts whose restitution was cut; departure speed
over e from which restituting points stay out [m/s]; 1 if touching points have no impacts; approach
speed from which impacts of all points are located [m/s]; coefficient of restitution there; blocks
of the last problem of the step."""

(RUN_PENETRATION, RUN_ITERATIONS, RUN_FAILURES, RUN_IMPACTS, RUN_SPLITS) = range(RESIDUALS, 10)
(RUN_UNRESOLVED, RUN_STEPS, RUN_CUTS) = range(10, 13)
"""Indices of ``Monitor.run`` after the five residuals: worst penetration [m]; sums of iterations,
failed solves, impacts, splits, unresolved splits; steps; impacts whose restitution was cut."""


class Monitor(NamedTuple):
    """The report of a step, and sums over the run.

    Attributes:
        residual: shape (5,), indexed by ``NATURAL_MAP`` to ``OUTSIDE_CONE`` of ``problem.arrays``.
        step: shape (18,), indexed by ``STEP``.
        run: shape (13,), the worst of each of the five residuals, then by ``RUN_PENETRATION`` to
            ``RUN_CUTS``.
        histogram: shape (240,), steps by natural-map residual, ten bins per decade from 1e-20.
    """

    residual: Floats1
    step: Floats1
    run: Floats1
    histogram: Floats1

    @classmethod
    def zeros(cls) -> Monitor:
        """Allocate a monitor for a new run."""
        return cls(np.zeros(RESIDUALS), np.zeros(len(STEP)), np.zeros(13), np.zeros(240))

    @property
    def steps(self) -> int:
        """Steps of the run so far."""
        return int(self.run[RUN_STEPS])

    @property
    def worst_residual(self) -> float:
        """Worst natural-map residual of the run so far, [m/s]."""
        return float(self.run[NATURAL_MAP])

    @property
    def worst_penetration(self) -> float:
        """Deepest penetration of the run so far, [m]."""
        return float(self.run[RUN_PENETRATION])


POINT, SPHERE, RIM = 0, 1, 2

WORLD, LINK = 0, 1
"""Frames in which a wrench can be given."""


class PushArrays(NamedTuple):
    """The pushes that act on a world over the next step.

    Attributes:
        acting: shape (2,): number of acting wrenches; 1 if they and ``effort`` set the
            generalized external force, 0 if nothing pushes and it stays unchanged.
        link: shape (n,), global link.
        frame: shape (n,), 0 if the wrench is given in world axes, 1 in link axes.
        point: shape (n, 3), point of application, [m], link frame.
        wrench: shape (n, 6), force [N] and moment about the point [N m].
        effort: shape (nv,), additional generalized force, [N or N m].
        held: shape (trees,), 1 if a wrench follows the tree: a hand on a spring.
    """

    acting: Ints1
    link: Ints1
    frame: Ints1
    point: Floats2
    wrench: Floats2
    effort: Floats1
    held: Ints1


SCHEDULED, ADDED = range(2)
"""Indices of ``ScheduleArrays.wrenches``."""


class ScheduleArrays(NamedTuple):
    """Times and values of the pushes of a scene, first on links, then on joints.

    Attributes:
        dof: shape (joints,), index of each pushed joint among all velocities.
        start: shape (n,), [s].
        duration: shape (n,), measured from the start, [s].
        first: shape (n + 1,), first row of each push; a single row holds for the whole duration.
        time: shape (rows,), measured from the start, [s].
        value: shape (rows, 6), force [N] and moment [N m], or effort [N or N m] and zeros.
        integral: shape (rows, 6), of the value since the first row of the push.
        asked: shape (nv,), efforts that Python requested for the next step, [N or N m].
        wrenches: shape (2,), number of those of the scene and of those that Python has added.
        place: shape (2,), columns of the recording of wrenches and generalized force; -1: none.
    """

    dof: Ints1
    start: Floats1
    duration: Floats1
    first: Ints1
    time: Floats1
    value: Floats2
    integral: Floats2
    asked: Floats1
    wrenches: Ints1
    place: Ints1


class HoldArrays(NamedTuple):
    """The commands of one controller: torque, stiffness, damping, target, target rate of n joints.

    Attributes:
        call: shape (1, 2), addresses of the controller's stage.
        timing: shape (2,): ticks between commands, ticks of delay.
        command: shape (5 n,), the last one given, part of the state.
        line: shape (samples, 5 n), delayed commands and the held one, part of the state.
        tau: shape (n,), output of the acting command, for the drives or joints.
        stiffness: likewise; damping; target; target_rate.
    """

    call: Ints2
    timing: Ints1
    command: Floats1
    line: Floats2
    tau: Floats1
    stiffness: Floats1
    damping: Floats1
    target: Floats1
    target_rate: Floats1
