"""The packed arrays of a world, read and written by kernels; never reallocated during a run.

A world is a list of trees; q and v are concatenated. The inertia is stored as one block per tree
in a flat array, never as a full matrix, so that a thousand bodies cost linear memory.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from footfall.problem.arrays import RESIDUALS, Residual
from footfall.typing import Floats1, Floats2, Floats3, Ints1, Ints2

# The digit is the number of dimensions: kernels find the arrays again by these annotations.


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
        directions: shape (room, 12), as of candidates, with the coefficients of the pair.
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
    directions: Floats2
    moment: Floats2
    impulse: Floats2
    force: Floats2
    status: Floats1


class Ledger(IntEnum):
    """Places in ``StateArrays.ledger``, sums since the start; energies in [J]."""

    WORK = 0
    """Work in."""
    TAKEN = 1
    """Energy taken by contacts and joints, lost or elastic."""
    INTEGRATION = 2
    """Integration error."""
    EXPECTED = 3
    """Expected mechanical energy."""
    EXPECTS = 4
    """1 if the expected energy is valid, else 0."""
    ELASTIC_AT_START = 5
    """Elastic energy at the start of the simulation."""
    IMPACTS = 6
    """Number of impacts."""
    LOOP_CLOSING = 7
    """Integration error due to closing loops."""


class StateArrays(NamedTuple):
    """Views of the state that kernels update.

    Attributes:
        q: shape (nq,); v: shape (nv,).
        impulse: shape (candidates, 3), warm start, contact frame, [N s].
        touching: shape (candidates,), 1 if the point was in contact in the last step.
        ledger: shape (8,), indexed by ``Ledger``.
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
CLOSED = 1e-5
"""Gap up to which a point takes part in an impact, [m]: the error of a predicted impact time."""


class StepFigure(IntEnum):
    """Places in ``Monitor.step``, for the current step."""

    ITERATIONS = 0
    """Iterations of the law."""
    RESIDUAL = 1
    """Residual of the law's own equations, [m/s]."""
    FAILURES = 2
    """Failed solves."""
    PENETRATION = 3
    """Largest penetration, [m]."""
    IMPACTS = 4
    """Impacts."""
    SPLITS = 5
    """Impacts at which the step was split."""
    UNRESOLVED = 6
    """Impacts left unsplit by the limit."""
    NOT_FINITE = 7
    """1 if a velocity is not finite, else 0."""
    NEXT_IMPACT = 8
    """Earliest time of an impact, [s]."""
    NEW_TOUCHES = 9
    """Newly touching points."""
    IMPACT_SPEED = 10
    """Approach speed at the earliest impact, [m/s]."""
    APPROACH_LIMIT = 11
    """Approach speed from which restituting points stay out, [m/s]."""
    CUTS = 12
    """Impacts whose restitution was cut."""
    DEPARTURE_LIMIT = 13
    """Departure speed over e from which restituting points stay out, [m/s]."""
    COMPLIANT = 14
    """1 if touching points have no impacts, else 0."""
    LOCATED = 15
    """Approach speed from which impacts of all points are located, [m/s]."""
    IMPACT_BOUNCES = 16
    """Coefficient of restitution at the earliest impact."""
    BLOCKS = 17
    """Blocks of the last problem of the step."""
    SWEPT = 18
    """1 if the earliest impact is one of fast bodies whose contact was not yet known."""


class RunSum(IntEnum):
    """Places in ``Monitor.run``, after those of ``Residual``: the worst or the sum of a run."""

    PENETRATION = 5
    """Worst penetration, [m]."""
    ITERATIONS = 6
    """Iterations of the law."""
    FAILURES = 7
    """Failed solves."""
    IMPACTS = 8
    """Impacts."""
    SPLITS = 9
    """Impacts at which a step was split."""
    UNRESOLVED = 10
    """Impacts left unsplit by the limit."""
    STEPS = 11
    """Steps."""
    CUTS = 12
    """Impacts whose restitution was cut."""


class Monitor(NamedTuple):
    """The report of a step, and sums over the run.

    Attributes:
        residual: shape (5,), indexed by ``Residual``.
        step: shape (19,), indexed by ``StepFigure``.
        run: shape (13,), the worst of each ``Residual``, then indexed by ``RunSum``.
        histogram: shape (240,), steps by natural-map residual, ten bins per decade from 1e-20.
    """

    residual: Floats1
    step: Floats1
    run: Floats1
    histogram: Floats1

    @classmethod
    def zeros(cls) -> Monitor:
        """Allocate a monitor for a new run."""
        return cls(np.zeros(RESIDUALS), np.zeros(len(StepFigure)), np.zeros(13), np.zeros(240))

    @property
    def steps(self) -> int:
        """Steps of the run so far."""
        return int(self.run[RunSum.STEPS])

    @property
    def worst_residual(self) -> float:
        """Worst natural-map residual of the run so far, [m/s]."""
        return float(self.run[Residual.NATURAL_MAP])

    @property
    def worst_penetration(self) -> float:
        """Deepest penetration of the run so far, [m]."""
        return float(self.run[RunSum.PENETRATION])


class WrenchFrame(IntEnum):
    """Axes in which a wrench can be given."""

    WORLD = 0
    """The world's axes."""
    LINK = 1
    """Axes of the link that it acts on."""


class PushArrays(NamedTuple):
    """The pushes that act on a world over the next step.

    Attributes:
        acting: shape (3,): number of acting wrenches; 1 if they and ``effort`` set the
            generalized external force, 0 if nothing pushes and it stays unchanged; number of
            wrenches that acted in the last step only.
        link: shape (n,), global link.
        frame: shape (n,), a ``WrenchFrame``.
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


class WrenchSource(IntEnum):
    """Places in ``ScheduleArrays.wrenches``."""

    SCHEDULED = 0
    """Wrenches of the scene."""
    ADDED = 1
    """Wrenches that Python has added."""


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
        wrenches: shape (2,), number of wrenches of each ``WrenchSource``.
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


PRESCRIBED = 2
"""``Topology.free`` of a rigid body with a prescribed motion."""


class MotionArrays(NamedTuple):
    """Prescribed motions, each a list of pieces with constant velocities.

    Attributes:
        place: shape (n, 2), where the body's coordinates and velocities start in q and v.
        first: shape (n,), first piece of each; last: shape (n,), last piece, before the first one
            for a body that rests where it is.
        period: shape (n,), time after which it starts again, [s]; 0: the last piece goes on.
        time: shape (pieces,), start of each piece, [s].
        pose: shape (pieces, 7), pose there: position [m], quaternion x y z w.
        rate: shape (pieces, 6), velocity in world axes [m/s], angular velocity in axes of the pose
            [rad/s].
        aim: shape (7,), scratch.
        q: shape (nq,), of the state; v: shape (nv,), likewise.
    """

    place: Ints2
    first: Ints1
    last: Ints1
    period: Floats1
    time: Floats1
    pose: Floats2
    rate: Floats2
    aim: Floats1
    q: Floats1
    v: Floats1


class SurfaceArrays(NamedTuple):
    """Velocities of the surfaces of shapes, by their numbers.

    Attributes:
        of_link: shape (links,), number of a shape of each link.
        link: shape (numbers,), link of each shape, -1: fixed.
        pose: shape (numbers, 12), pose of its body in the world.
        face: shape (numbers, 6, 3), velocity by outward normal x, y, z, -x, -y, -z, the body's
            axes, [m/s].
        adds: shape (1,), 1 if the ground writes its velocities in every look, so that these add.
    """

    of_link: Ints1
    link: Ints1
    pose: Floats2
    face: Floats3
    adds: Ints1
