"""The packed arrays of a world, read and written by kernels; never reallocated during a run.

A world is a list of trees; q and v are concatenated. The inertia is stored as one block per tree
in a flat array, never as a full matrix, so that a thousand bodies cost linear memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.problem.arrays import NATURAL_MAP, RESIDUALS
from footfall.typing import Floats1, Floats2, Ints1, Ints2

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
