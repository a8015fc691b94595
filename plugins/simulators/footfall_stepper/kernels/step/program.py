"""The step, or many in one call: its stages, called by address one after another."""

from __future__ import annotations

from typing import NamedTuple

from footfall.jit.compiling import inner, kernel
from footfall.jit.stages import call
from footfall.jit.tables import opener
from footfall.typing import Floats1, Ints1, Ints2
from footfall_stepper.world.step_arrays import NEVER, STEP

(COMMAND, BEFORE, EVALUATE, CLOSE, AMEND, SENSE, SPLIT, SOLVE, GO_ON, COMPLETE) = range(10)
(FINISH, AFTER, BIAS, MARK, BUILD, DROP, RESOLVE, RESOLVE_ON, APPLY, JUMP) = range(10, 20)
(HALFWAY, JOIN, PHASES) = range(20, 23)
"""Phases of a step, each of any number of stages: controllers and drives; pushes and hands;
evaluation of the trees; closing of loops; recorded signals and pulling hands; ground and contact
problem; the step in parts between impacts; law; the law's Python part if its kernel requests it;
new state; row of the recording; sensors, and the end of pushes and hands.

Phases of impacts: evaluation after a jump of the velocity; marking of fast points; impulsive
problem, which skips the impact if nothing touches; removal of slow restitution; impact model or
law; its Python part if its kernel requests it; the jump of the velocity; a jump after the forces.

Phases of midpoint schemes: half a step of the positions, and evaluation there; closing of the
loops opened by it."""
DONE, NOT_FINITE, FAILED = range(3)
"""Reasons why steps end: all are made; a velocity is not finite; a stage has failed."""
TIME, PART, LENGTH, LASTING, TOUCH, THRESHOLD = range(6)
"""Indices of ``Program.clock``."""
ENDED, FIRST, ACTS, FOLLOWS, MOST = range(5)
"""Indices of ``Program.choice``."""
ADDRESS, WIDTH, STRIDE = range(3)
"""Indices of ``Program.row``."""


class Program(NamedTuple):
    """A step as a list of calls by address.

    Attributes:
        stage: shape (stages, 2), addresses of function and frame (``footfall.jit.stages``).
        first: shape (PHASES + 1,), first stage of each phase.
        clock: shape (6,): time of the present part, its length, length of a step, time over which
            the ground moves with it, [s]; gap up to which points take part in an impact, [m];
            approach speed up to which an impact has no restitution, [m/s].
        choice: shape (5,): reason why the step ended; whether this is its first query of the
            ground; whether an impact model acts; whether it acts after the forces; largest number
            of parts between impacts in a step.
        row: shape (3,): address and length of the recording's row, and the increment of the
            address after a step, [byte].
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


@inner
def ask(p, phase):
    """Call the stages of a phase until one returns a request; return it, or 0 if there is none.

    After a stage has failed, no more stages are called.
    """
    code = 0
    for k in range(p.first[phase], p.first[phase + 1]):
        if code == 0 and p.choice[ENDED] == DONE:
            code = call(p.stage[k, 0], p.stage[k, 1])
            if code < 0:
                p.choice[ENDED] = FAILED
    return code


@inner
def do(p, phase):
    """Call the stages of a phase, none of which may return a request."""
    if ask(p, phase) != 0:
        p.choice[ENDED] = FAILED


@inner
def solve(p, phase):
    """Find the impulse, by ``SOLVE`` or ``RESOLVE``; the phase after it continues on request."""
    if ask(p, phase) > 0:
        do(p, phase + 1)


@inner
def advance(p):
    """Find the impulse of a part, for some schemes at its midpoint, and make the new state.

    Points that strike after this part are nearer at its midpoint, and must not be slowed there.
    """
    flags, clock = p.flags, p.clock
    if p.first[HALFWAY] < p.first[HALFWAY + 1]:
        time, limit = clock[TIME], flags[STEP.approach_limit]
        kept = flags[STEP.next_impact], flags[STEP.impact_speed], flags[STEP.impact_bounces]
        do(p, HALFWAY)
        do(p, JOIN)
        clock[TIME], clock[LASTING] = time + 0.5 * clock[PART], clock[PART]
        p.choice[FIRST], flags[STEP.approach_limit] = 0, clock[THRESHOLD]
        do(p, SENSE)
        clock[TIME], flags[STEP.approach_limit] = time, limit
        flags[STEP.next_impact], flags[STEP.impact_speed], flags[STEP.impact_bounces] = kept
    solve(p, SOLVE)
    do(p, COMPLETE)


@inner
def one_step(p, commands):
    """Make a step; return the reason why it ended."""
    flags, choice = p.flags, p.choice
    choice[ENDED], choice[FIRST] = DONE, 1
    p.clock[TIME], p.clock[PART] = p.tick[0] * p.clock[LENGTH], p.clock[LENGTH]
    p.clock[LASTING] = p.clock[LENGTH]
    flags[STEP.approach_limit] = NEVER
    if commands:
        do(p, COMMAND)
    do(p, BEFORE)
    do(p, EVALUATE)
    ask(p, CLOSE)
    do(p, AMEND)
    do(p, SENSE)
    newly = flags[STEP.new_touches] > 0.0 and choice[ACTS] == 1
    if newly or flags[STEP.next_impact] <= p.clock[PART]:
        do(p, SPLIT)
    else:
        advance(p)
    do(p, FINISH)
    if choice[ENDED] == DONE and flags[STEP.not_finite] != 0.0:
        choice[ENDED] = NOT_FINITE
    do(p, AFTER)
    return choice[ENDED]


@kernel
def run_phase(table, phase):
    """Call the stages of a phase outside of a step; return the reason why it ended."""
    p = program(table)
    p.choice[ENDED] = DONE
    do(p, phase)
    return p.choice[ENDED]


@kernel
def make_steps(table, count, commands):
    """Make ``count`` steps, each with the next row; return the reason why they ended.

    ``commands``: whether controllers give new commands; otherwise the last commands stay. The tick
    gives the number of steps made; ``row`` is then the next step's row.
    """
    p = program(table)
    for _ in range(count):
        ended = one_step(p, commands)
        if ended != DONE:
            return ended
        p.tick[0] += 1.0
        p.row[ADDRESS] += p.row[STRIDE]
    return DONE
