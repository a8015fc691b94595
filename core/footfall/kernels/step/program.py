"""The step where every part is compiled, many in one call: stages called by address in turn."""

from __future__ import annotations

from typing import NamedTuple

from footfall.jit.compiling import inner, kernel
from footfall.jit.stages import call
from footfall.jit.tables import opener
from footfall.typing import Floats1, Ints1, Ints2
from footfall.world.arrays import NEVER, STEP

COMMAND, EVALUATE, SENSE, SOLVE, COMPLETE, FINISH, PHASES = range(7)
"""Parts of a step, each of any number of stages: controllers and drives, evaluation of the trees,
ground and contact problem, law, new state, row of the recording."""
DONE, IMPACTS, UNSOLVED, NOT_FINITE, FAILED = range(5)
"""Why steps end: all are made; an impact is to be resolved; the law has to go on, then the step;
a step is made whose velocity is not finite; a controller, engine or ground cannot answer."""
TIME, PART, LENGTH = range(3)
"""Places in ``Program.clock``."""
ADDRESS, WIDTH, STRIDE = range(3)
"""Places in ``Program.row``."""


class Program(NamedTuple):
    """A step as calls by address.

    Attributes:
        stage: shape (stages, 2), addresses of function and frame (``footfall.jit.stages``).
        first: shape (PHASES + 1,), where the stages of each phase begin.
        clock: shape (3,), time of the step, length of what is computed, length of a step, [s].
        tick: shape (1,), number of the step.
        row: shape (3,), address and length of the recording's row, and what is added to the
            address after a step, [byte].
        acts: shape (1,), whether an impact model acts.
        flags: of the step, see ``footfall.world.arrays.Monitor``.
    """

    stage: Ints2
    first: Ints1
    clock: Floats1
    tick: Floats1
    row: Ints1
    acts: Ints1
    flags: Floats1


program = opener(Program, 0)


@inner
def run_phase(p, phase):
    """Call the stages of a phase until one returns another than 0; return that."""
    code = 0
    for k in range(p.first[phase], p.first[phase + 1]):
        if code == 0:
            code = call(p.stage[k, 0], p.stage[k, 1])
    return code


@inner
def one_step(p, commands):
    """Make the step whose time and length are set; return why it ended."""
    flags = p.flags
    flags[STEP.approach_limit] = NEVER
    if commands and run_phase(p, COMMAND) != 0:
        return FAILED
    if run_phase(p, EVALUATE) != 0 or run_phase(p, SENSE) != 0:
        return FAILED
    newly = flags[STEP.new_touches] > 0.0 and p.acts[0] == 1
    if newly or flags[STEP.next_impact] <= p.clock[PART]:
        return IMPACTS
    if run_phase(p, SOLVE) != 0:
        return UNSOLVED
    run_phase(p, COMPLETE)
    run_phase(p, FINISH)
    return NOT_FINITE if flags[STEP.not_finite] != 0.0 else DONE


@kernel
def make_steps(table, count, commands):
    """Make so many steps, each with the next row; return why it ended.

    ``commands``: whether controllers command them, or what is commanded stays. The tick tells how
    many were made, ``row`` is the next one's.
    """
    p = program(table)
    for _ in range(count):
        p.clock[TIME] = p.tick[0] * p.clock[LENGTH]
        p.clock[PART] = p.clock[LENGTH]
        ended = one_step(p, commands)
        if ended != DONE:
            return ended
        p.tick[0] += 1.0
        p.row[ADDRESS] += p.row[STRIDE]
    return DONE
