"""The packed arrays of a world, which kernels read and write; never reallocated during a run.

A world is a list of trees; q and v are concatenated, the inertia is a list of per-tree blocks in
one flat array and never formed whole, so that a thousand bodies cost linear memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.problem.arrays import NATURAL_MAP, RESIDUALS
from footfall.typing import Floats1, Floats2, Ints1, Ints2

# The digit is the number of dimensions: kernels find the arrays again by these annotations.


class Detected(NamedTuple):
    """Contacts that collision detection has found, in the order of their keys.

    Room for more than there are: ``StateArrays.detected`` counts those of this step. Their per-step
    state (warm start, touching) is part of the state as well. In the contact problem they follow
    the declared candidates: the first of them is candidate ``len(candidates.link)``.

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
"""Places in ``StateArrays.ledger``: work in; taken by contacts and joints (lost or elastic);
integration error; expected mechanical energy; 1 if that is valid; elastic energy at the start of
the simulation; impacts; what of the integration error is due to closing loops. Energies in [J]."""


class StateArrays(NamedTuple):
    """Views of the state that kernels update.

    Attributes:
        q: shape (nq,); v: shape (nv,).
        impulse: shape (candidates, 3), warm start, contact frame, [N s].
        touching: shape (candidates,), 1 if the point was in contact in the last step.
        ledger: shape (8,), by ``LEDGER_WORK`` to ``LEDGER_LOOP_CLOSING``.
        joint_impulse: shape (joint rows,), warm start, [N m s or N s].
        nudot: shape (nv,), mean mixed acceleration over the last step.
        foot_wrench: shape (feet, 6), mean wrench of what touched the foot over the last step,
            [N, N m].
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
"""A speed that nothing reaches, [m/s], and a time that never comes, [s]."""


class StepPlaces(NamedTuple):
    """Places in ``Monitor.step``."""

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
"""Where ``Monitor.step`` holds of the step at hand: the law's iterations; its residual [m/s];
failed solves; penetration [m]; impacts; splits; unresolved splits; 1 if a velocity is not finite;
earliest impact time [s]; newly touching points; approach speed at that impact [m/s]; approach speed
from which restituting points stay out [m/s]; impacts whose restitution was cut; departure speed
over e from which restituting points stay out [m/s]; 1 if touching points have no impacts; approach
speed from which impacts of all points are located [m/s]; coefficient of restitution there; blocks
of the last problem of the step."""

(RUN_PENETRATION, RUN_ITERATIONS, RUN_FAILURES, RUN_IMPACTS, RUN_SPLITS) = range(RESIDUALS, 10)
(RUN_UNRESOLVED, RUN_STEPS, RUN_CUTS) = range(10, 13)
"""Places in ``Monitor.run`` after the five residuals: worst penetration [m]; sums of iterations,
failed solves, impacts, splits, unresolved splits; steps; impacts whose restitution was cut."""


class Monitor(NamedTuple):
    """What a step reports, and sums over the run.

    Attributes:
        residual: shape (5,), by ``NATURAL_MAP`` to ``OUTSIDE_CONE`` of ``problem.arrays``.
        step: shape (18,), by ``STEP``.
        run: shape (13,), the worst of each of the five residuals, then by ``RUN_PENETRATION`` to
            ``RUN_CUTS``.
        histogram: shape (240,), steps by natural-map residual, ten bins a decade from 1e-20.
    """

    residual: Floats1
    step: Floats1
    run: Floats1
    histogram: Floats1

    @classmethod
    def zeros(cls) -> Monitor:
        """Make one for a run that has not begun."""
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


SCHEDULED, ADDED = range(2)
"""Places in ``ScheduleArrays.wrenches``."""


class ScheduleArrays(NamedTuple):
    """When and how strongly what pushes: the pushes of a scene, on links first, then on joints.

    Attributes:
        dof: shape (joints,), place of each joint pushed among all velocities.
        start: shape (n,), [s].
        duration: shape (n,), from the start on, [s].
        first: shape (n + 1,), where the rows of each begin; one row holds all the time.
        time: shape (rows,), from the start on, [s].
        value: shape (rows, 6), force [N] and moment [N m], or effort [N or N m] and zeros.
        integral: shape (rows, 6), of the value from the first row of the push on.
        asked: shape (nv,), efforts that Python has asked for in the next step, [N or N m].
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
        call: shape (1, 2), addresses of the stage that commands.
        timing: shape (2,): ticks from one command to the next, ticks that a command is on its way.
        command: shape (5 n,), the last one given, part of the state.
        line: shape (samples, 5 n), those on their way and the one held, part of the state.
        tau: shape (n,), where what acts is written: what goes to the drives or joints.
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
