"""A step, or many, as one call: its stages in a program that compiled code runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.jit.compiling import bind
from footfall.jit.stages import Stage
from footfall.jit.tables import table_of
from footfall.kernels.step.program import LENGTH, STEP, TIME, Program, make_steps
from footfall.typing import Floats


class StepCells:
    """Where stages find what changes from step to step.

    Attributes:
        tick: shape (1,), number of the step.
        clock: see ``Program``.
        time: shape (1,), time of the step, [s].
        step: shape (1,), length of the step, [s].
        row: shape (2,), address and length of the recording's row.
    """

    def __init__(self, tick: Floats, time_step: float) -> None:
        self.tick, self.clock = tick, np.zeros(3)
        self.time, self.step = self.clock[TIME : TIME + 1], self.clock[STEP : STEP + 1]
        self.clock[LENGTH] = time_step
        self.row = np.zeros(2, np.int64)


class StepProgram:
    """Makes steps in one call.

    Attributes:
        commands: whether controllers and drives are part of it.
    """

    def __init__(self, program: Program, cells: StepCells, kept: object, *, commands: bool) -> None:
        self._row, self._kept, self.commands = cells.row, kept, commands
        self._make = bind(make_steps, table_of(program), like=(1, True))
        self._known: tuple[Floats | None, int] = None, 0

    def make(self, rows: Floats, first: int, count: int, *, commands: bool) -> int:
        """Make so many steps with rows of the recording; return why they ended.

        Args:
            rows: shape (n, width), C-contiguous.
            first: row of the first step.
            count: number of steps, at most n - first.
            commands: whether controllers command them; False: what is commanded stays.

        Returns:
            A reason of ``footfall.kernels.step.program``.
        """
        known, address = self._known
        if rows is not known:
            address = rows.ctypes.data
            self._known = rows, address
        width = rows.shape[1]
        self._row[0], self._row[1] = address + 8 * width * first, width
        ended: int = self._make(count, commands)
        return ended


def step_program(
    cells: StepCells,
    flags: Floats,
    commands: Sequence[Stage | None],
    phases: Sequence[Sequence[Stage | None]],
    *,
    acts: bool,
) -> StepProgram | None:
    """Return the program of phases in order; None if a stage of them is None.

    Args:
        cells: which the stages' frames point at.
        flags: of the step, see ``footfall.world.arrays.Monitor``.
        commands: stages of controllers and drives; left out if one of them is None.
        phases: one list of stages for each of the other phases.
        acts: whether an impact model acts.
    """
    compiled = all(commands)
    phases = [commands if compiled else [], *phases]
    stages = [stage for phase in phases for stage in phase]
    if not all(stages):
        return None
    calls = [(stage.function, stage.frame) for stage in stages if stage]
    program = Program(
        stage=np.array(calls, np.int64).reshape(-1, 2),
        first=np.cumsum([0, *map(len, phases)]).astype(np.int64),
        clock=cells.clock,
        tick=cells.tick,
        row=cells.row,
        acts=np.array([int(acts)]),
        flags=flags,
    )
    return StepProgram(program, cells, stages, commands=compiled)
