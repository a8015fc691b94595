"""A step, or many, as one call: its stages in a program that compiled code runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.devices.signals import Ahead
from footfall.jit.compiling import bind
from footfall.jit.native import Cell, function_at
from footfall.jit.stages import Stage, stage_of
from footfall.jit.tables import table_of
from footfall.kernels.step.program import LENGTH, PART, PHASES, TIME, Program, make_steps
from footfall.typing import Floats


class StepCells:
    """Where stages find what changes from step to step.

    Attributes:
        tick: shape (1,), number of the step.
        clock: see ``Program``.
        time: shape (1,), time of the step, [s].
        step: shape (1,), length of the step, [s].
        row: see ``Program``.
    """

    def __init__(self, tick: Floats, time_step: float) -> None:
        self.tick, self.clock = tick, np.zeros(3)
        self.time, self.step = self.clock[TIME : TIME + 1], self.clock[PART : PART + 1]
        self.clock[LENGTH] = time_step
        self.row = np.zeros(3, np.int64)


class StepProgram:
    """Makes steps in one call.

    Attributes:
        commands: whether controllers and drives are part of it.
        row: cell of the recording's row: address and length, and what to add to the address after
            a step, [byte].
    """

    def __init__(
        self,
        cells: StepCells,
        flags: Floats,
        stages: Sequence[tuple[int, Stage]],
        *,
        commands: bool,
        acts: bool,
        ahead: Ahead,
    ) -> None:
        """Make a program.

        Args:
            cells: which the stages' frames point at.
            flags: of the step, see ``footfall.world.arrays.Monitor``.
            stages: with the phase of each, in order.
            commands: whether controllers and drives are among them.
            acts: whether an impact model acts.
            ahead: evaluations for signals, which steps overwrite.
        """
        calls = [(stage.function, stage.frame) for _, stage in stages]
        phases = np.array([phase for phase, _ in stages])
        program = Program(
            stage=np.array(calls, np.int64).reshape(-1, 2),
            first=np.searchsorted(phases, np.arange(PHASES + 1)).astype(np.int64),
            clock=cells.clock,
            tick=cells.tick,
            row=cells.row,
            acts=np.array([int(acts)]),
            flags=flags,
        )
        self.row, self.commands, self._clock = cells.row, commands, cells.clock
        self._forget = ahead.clear
        self._stages = [stage for _, stage in stages]
        self._bound = bind(make_steps, table_of(program), like=(1, True))
        self._count, self._commanded = np.zeros(1, np.int64), np.zeros(1, np.int64)
        self._own = self.stage(self._count, self._commanded)
        self._make = function_at(self._own.function)
        self._known: tuple[Floats | None, int] = None, 0

    def stage(self, count: Cell, commands: Cell) -> Stage:
        """Return the program itself as a stage; it returns why the steps ended.

        Args:
            count: cell of the number of steps.
            commands: cell of whether controllers command them.
        """
        found = stage_of(self._bound, count, commands)
        assert found is not None
        return found

    def data(self) -> Iterator[npt.NDArray[Any]]:
        """Yield every array that the steps read or write, in an order of their own."""
        yield self._clock
        for stage in self._stages:
            yield from stage.data()

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
        self.row[:] = address + 8 * width * first, width, 8 * width
        self._forget()
        self._count[0], self._commanded[0] = count, commands
        return self._make(self._own.frame)
