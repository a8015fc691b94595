"""The step, or many in one call: its stages, called by address one after another."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from footfall.jit.compiling import inner, kernel
from footfall.jit.stages import call
from footfall.jit.tables import opener
from footfall.typing import Floats1, Ints1, Ints2
from footfall_stepper.world.step_arrays import NEVER, StepFigure


class Phase(IntEnum):
    """Phases of a step, each of any number of stages, in the order of ``Program.first``.

    ``one_step`` and ``kernels.step.impacts`` call them; most are called once in a step.
    """

    COMMAND = 0
    """Controllers give commands."""
    BEFORE = 1
    """Pushes, drives and hands act."""
    EVALUATE = 2
    """The engine evaluates the trees."""
    CLOSE = 3
    """Gaps of closed loops are closed."""
    AMEND = 4
    """Recorded signals; hands pull that need the velocity without them."""
    SENSE = 5
    """The ground is queried, contacts are detected, those of the problem are selected."""
    SPLIT = 6
    """The step is made in parts between impacts."""
    SOLVE = 7
    """The contact law finds the impulses."""
    GO_ON = 8
    """The law's Python part, if its kernel requests it; follows ``SOLVE``."""
    COMPLETE = 9
    """The new state is made."""
    FINISH = 10
    """The row of the recording is written."""
    AFTER = 11
    """Sensors measure; pushes and hands end."""
    BIAS = 12
    """Impacts: the engine evaluates the trees again after a jump of the velocity."""
    MARK = 13
    """Impacts: fast points are marked."""
    BUILD = 14
    """The impulsive problem is built; the impact is skipped if nothing touches."""
    DROP = 15
    """Impacts: restitution of slow points is removed."""
    RESOLVE = 16
    """The impact model or the law resolves the impact."""
    RESOLVE_ON = 17
    """Its Python part, if its kernel requests it; follows ``RESOLVE``."""
    APPLY = 18
    """The velocity jumps."""
    JUMP = 19
    """The velocity jumps after the forces have acted."""
    HALFWAY = 20
    """Midpoint schemes: positions move by half a step, and the trees are evaluated there."""
    JOIN = 21
    """Midpoint schemes: loops that the half step has opened are closed."""
    GIVE = 22
    """Torques given for the step replace commands."""
    TAKE_BACK = 23
    """The commands replaced by given torques return, after all other phases."""
    CUT = 24
    """Restitution that adds energy is cut; a request repeats ``RESOLVE``."""
    SWEEP = 25
    """Bodies are looked for that may pass through others within the rest of the step."""
    SWEEP_ON = 26
    """Their impacts are located; follows ``SWEEP`` on request."""
    DRIVE = 27
    """Drives act on the commands, after ``COMMAND`` and ``GIVE``."""
    SETTLE = 28
    """Impacts: free velocities from the last evaluation, for the length of the next part."""
    ASSEMBLE = 29
    """Jacobians and the Delassus matrix of the selected contacts are written."""


class Commands(IntEnum):
    """Sources of a step's commands; bits."""

    HELD = 0
    """The last commands stay."""
    CONTROLLERS = 1
    """The scene's controllers give new ones."""
    GIVEN = 2
    """Torques given for the step replace them in it; then the last ones return."""
    MIXED = 3
    """The scene's controllers give new ones, and given torques replace some in the step."""


class Ending(IntEnum):
    """Reasons why steps end."""

    DONE = 0
    """All steps are made."""
    NOT_FINITE = 1
    """A velocity is not finite."""
    FAILED = 2
    """A stage has failed."""


class Clock(IntEnum):
    """Places in ``Program.clock``."""

    TIME = 0
    """Time of the present part, [s]."""
    PART = 1
    """Length of the present part, [s]."""
    LENGTH = 2
    """Length of a step, [s]."""
    LASTING = 3
    """Time over which the ground moves with the part, [s]."""
    TOUCH = 4
    """Gap up to which points take part in an impact, [m]."""
    THRESHOLD = 5
    """Approach speed up to which an impact has no restitution, [m/s]."""
    CLOSED = 6
    """Gap up to which a point takes part in a located impact, [m]."""


class Choice(IntEnum):
    """Places in ``Program.choice``."""

    ENDED = 0
    """The ``Ending`` of the step."""
    FIRST = 1
    """1 in the first query of the ground in a step, else 0."""
    ACTS = 2
    """1 if an impact model acts, else 0."""
    FOLLOWS = 3
    """1 if it acts after the forces, else 0."""
    MOST = 4
    """Largest number of parts between impacts in a step."""


class RowPointer(IntEnum):
    """Places in ``Program.row``."""

    ADDRESS = 0
    """Address of the recording's row."""
    WIDTH = 1
    """Length of a row."""
    STRIDE = 2
    """Increment of the address after a step, [byte]."""


class Program(NamedTuple):
    """A step as a list of calls by address.

    Attributes:
        stage: shape (stages, 2), addresses of function and frame (``footfall.jit.stages``).
        first: shape (phases + 1,), first stage of each ``Phase``.
        clock: shape (7,), indexed by ``Clock``.
        choice: shape (5,), indexed by ``Choice``.
        row: shape (3,), the row of the recording, indexed by ``RowPointer``.
        tick: shape (1,), number of the step.
        flags: of the step, see ``footfall_stepper.world.step_arrays.Monitor``.
        v: shape (nv,), velocity of the state; change: shape (nv,), see ``Scratch``.
    """

    stage: Ints2
    first: Ints1
    clock: Floats1
    choice: Ints1
    row: Ints1
    tick: Floats1
    flags: Floats1
    v: Floats1
    change: Floats1


program = opener(Program, 0)


@kernel
def nothing(x):
    """Do nothing, in the place of a check that is done."""


@inner
def ask(p, phase):
    """Call the stages of a phase until one returns a request; return it, or 0 if there is none.

    After a stage has failed, no more stages are called.
    """
    code = 0
    for k in range(p.first[phase], p.first[phase + 1]):
        if code == 0 and p.choice[Choice.ENDED] == Ending.DONE:
            code = call(p.stage[k, 0], p.stage[k, 1])
            if code < 0:
                p.choice[Choice.ENDED] = Ending.FAILED
    return code


@inner
def do(p, phase):
    """Call the stages of a phase, none of which may return a request."""
    if ask(p, phase) != 0:
        p.choice[Choice.ENDED] = Ending.FAILED


@inner
def solve(p, phase):
    """Call ``SOLVE``, ``RESOLVE`` or ``SWEEP``; the phase after it continues on request."""
    if ask(p, phase) > 0:
        do(p, phase + 1)


@inner
def find_forces(p):
    """Find the impulse of a part from its selected contacts."""
    do(p, Phase.ASSEMBLE)
    solve(p, Phase.SOLVE)


@inner
def advance(p):
    """Find the impulse of a part, for some schemes at its midpoint, and make the new state.

    Points that strike after this part are nearer at its midpoint, and must not be slowed there.
    """
    flags, clock = p.flags, p.clock
    if p.first[Phase.HALFWAY] < p.first[Phase.HALFWAY + 1]:
        time, limit = clock[Clock.TIME], flags[StepFigure.APPROACH_LIMIT]
        impact, speed = flags[StepFigure.NEXT_IMPACT], flags[StepFigure.IMPACT_SPEED]
        bounces = flags[StepFigure.IMPACT_BOUNCES]
        do(p, Phase.HALFWAY)
        do(p, Phase.JOIN)
        clock[Clock.TIME], clock[Clock.LASTING] = time + 0.5 * clock[Clock.PART], clock[Clock.PART]
        p.choice[Choice.FIRST], flags[StepFigure.APPROACH_LIMIT] = 0, clock[Clock.THRESHOLD]
        do(p, Phase.SENSE)
        clock[Clock.TIME], flags[StepFigure.APPROACH_LIMIT] = time, limit
        flags[StepFigure.NEXT_IMPACT], flags[StepFigure.IMPACT_SPEED] = impact, speed
        flags[StepFigure.IMPACT_BOUNCES] = bounces
    find_forces(p)
    do(p, Phase.COMPLETE)


@inner
def one_step(p, commands):
    """Make a step; return the reason why it ended."""
    flags, choice = p.flags, p.choice
    choice[Choice.ENDED], choice[Choice.FIRST] = Ending.DONE, 1
    dt = p.clock[Clock.LENGTH]
    p.clock[Clock.TIME], p.clock[Clock.PART], p.clock[Clock.LASTING] = p.tick[0] * dt, dt, dt
    flags[StepFigure.APPROACH_LIMIT] = NEVER
    if commands & Commands.CONTROLLERS:
        do(p, Phase.COMMAND)
    if commands & Commands.GIVEN:
        do(p, Phase.GIVE)
    if commands != Commands.HELD:
        do(p, Phase.DRIVE)
    do(p, Phase.BEFORE)
    do(p, Phase.EVALUATE)
    ask(p, Phase.CLOSE)
    do(p, Phase.AMEND)
    do(p, Phase.SENSE)
    solve(p, Phase.SWEEP)
    newly = flags[StepFigure.NEW_TOUCHES] > 0.0 and choice[Choice.ACTS] == 1
    if newly or flags[StepFigure.NEXT_IMPACT] <= p.clock[Clock.PART]:
        do(p, Phase.SPLIT)
    else:
        advance(p)
    do(p, Phase.FINISH)
    if choice[Choice.ENDED] == Ending.DONE and flags[StepFigure.NOT_FINITE] != 0.0:
        choice[Choice.ENDED] = Ending.NOT_FINITE
    do(p, Phase.AFTER)
    if commands & Commands.GIVEN:
        do(p, Phase.TAKE_BACK)
    return choice[Choice.ENDED]


@kernel
def run_phase(table, phase):
    """Call the stages of a phase outside of a step; return the reason why it ended."""
    p = program(table)
    p.choice[Choice.ENDED] = Ending.DONE
    do(p, phase)
    return p.choice[Choice.ENDED]


@kernel
def make_steps(table, count, commands):
    """Make ``count`` steps, each with the next row; return the reason why they ended.

    ``commands``: a source of ``Commands``. The tick gives the number of steps made; ``row`` is then
    the next step's row.
    """
    p = program(table)
    for _ in range(count):
        ended = one_step(p, commands)
        if ended != Ending.DONE:
            return ended
        p.tick[0] += 1.0
        p.row[RowPointer.ADDRESS] += p.row[RowPointer.STRIDE]
    return Ending.DONE
