"""One or many steps as one call: a program of stages that compiled code runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.errors import SimulationError
from footfall.jit.compiling import bind
from footfall.jit.native import Cell, cell_of, function_at, raise_outside
from footfall.jit.stages import Callback, LateStage, Stage, stage_of
from footfall.jit.tables import point_at, table_of
from footfall.typing import Floats, Ints
from footfall_stepper.devices.signals import Ahead
from footfall_stepper.kernels.step import program as steps
from footfall_stepper.kernels.step.impacts import split_step
from footfall_stepper.kernels.step.program import Choice, Clock, Ending, Phase, RowPointer
from footfall_stepper.stepping.settings import StepSettings, cells
from footfall_stepper.world.step_arrays import CLOSED

Part = tuple[int, str, Sequence[Stage]]
"""A phase of the step, the title of its stages, and the stages."""


class StepProgram:
    """Makes steps in one call, by stages that read changing values from cells.

    Attributes:
        bound: makes steps, given their number and the source of their ``Commands``; returns the
            reason why they ended.
        python: the Python parts of a step, in order, without rare ones.
        choice: see ``footfall_stepper.kernels.step.program.Program``.
        row: likewise.
        columns: cell of the first columns of variables in the row.
        time: shape (1,), time of the present part, [s].
        part: shape (1,), its length, [s].
        length: shape (1,), of a step, [s].
        lasting: shape (1,), time over which the ground moves with it, [s].
        touch: shape (1,), gap of points that take part in an impact, [m].
        threshold: shape (1,), approach speed up to which an impact has no restitution, [m/s].
        first: shape (1,), whether it is the first part of a step.
        now: shape (1,), number of the step.
        whole: the stage that makes steps; its cells are the table, their number, their commands.
        stages: all others, in the order of their phases.
        calls: shape (stages, 2), their functions and frames.
        rows: shape (n, width), rows of the recording, from the last call of ``point``.
    """

    def __init__(self, settings: StepSettings, at: Ints, ahead: Ahead, *arrays: Floats) -> None:
        """Build a program without stages.

        Args:
            settings: of the step.
            at: first columns of variables in a row.
            ahead: evaluations for signals, which steps overwrite.
            arrays: number of the step, flags of the step (see ``world.step_arrays.Monitor``),
                velocity of the state, its change in an impact that follows the forces.
        """
        self._clock, self.choice = np.zeros(len(Clock)), np.zeros(len(Choice), np.int64)
        self.row = np.zeros(len(RowPointer), np.int64)
        self.python: tuple[str, ...] = ()
        self.now = arrays[0]
        self._now, self._row_address = cells(self.now), cells(self.row[RowPointer.ADDRESS :])
        self._arrays: list[tuple[Cell, Ints]] = []
        self.columns = self.places(at)
        clock = self._clock.reshape(-1, 1)
        self.time, self.part, self.length, self.lasting, self.touch, self.threshold, _ = clock
        self._clock[Clock.CLOSED] = CLOSED * settings.metre
        self.first = self.choice[Choice.FIRST : Choice.FIRST + 1]
        self.length[0], self.threshold[0] = settings.time_step, settings.restitution_threshold
        self.rows, self._address, self._offset = np.zeros((1, 0)), 0, 0.0
        self.stages: list[Stage] = []
        nothing = np.zeros((0, 2), np.int64), np.zeros(len(Phase) + 1, np.int64)
        own: tuple[Any, ...] = self._clock, self.choice, self.row, *arrays
        self._ahead, self._program = ahead, steps.Program(*nothing, *own)
        self.table = table_of(self._program)
        self.bound = bind(steps.make_steps, self.table, like=(1, 1))
        self._run = bind(steps.run_phase, self.table, like=(0,))
        count, source = np.zeros(1, np.int64), np.zeros(1, np.int64)
        self._count, self._source = cells(count), cells(source)
        self.whole = self.stage(self.bound, count, source)

    def places(self, at: Ints) -> Cell:
        """Return the cell of an array of integers with a fixed address."""
        cell = cell_of(at)
        self._arrays.append((cell, at))
        return cell

    def stage(self, bound: Callable[..., Any], *cells: Cell) -> Stage:
        """Return the stage of a bound kernel, or of Python called with the cells' values."""
        found = stage_of(bound, *cells)
        return found or Callback(lambda: bound(*map(self._value, cells))).stage

    def alone(self, phase: int) -> Stage:
        """Return the stage that runs one phase outside of a step; it returns 0, or an error."""
        return self.stage(bind(steps.run_phase, self.table, phase))

    @cached_property
    def _make(self) -> Callable[[int], int]:
        """The C function that makes steps."""
        return function_at(self.whole.function, alone=False)

    def late(self, make: Callable[[], Callable[..., Any]], *cells: Cell) -> Stage:
        """Return the stage of a bound kernel that is built when first needed."""
        made = LateStage()
        made.make(make, *cells)
        return made.stage

    def _value(self, cell: Cell) -> Any:
        if cell is self.row:
            return self.present_row()
        for one, array in self._arrays:
            if one is cell:
                return array
        return cell.item()

    def point(self, rows: Floats, first: int) -> None:
        """Set the row of the next step to ``rows[first]``; later steps use the rows after it."""
        if rows is not self.rows:
            self.rows, self._address, width = rows, rows.ctypes.data, rows.shape[1]
            self.row[RowPointer.WIDTH], self.row[RowPointer.STRIDE] = width, 8 * width
        self._row_address[0] = self._address + 8 * rows.shape[1] * first
        self._offset = self._now[0] - first

    @property
    def width(self) -> int:
        """Length of a row."""
        return self.rows.shape[1]

    @property
    def source(self) -> int:
        """Source of the last steps' commands, see ``Commands``."""
        return int(self._source[0])

    def present_row(self) -> Floats:
        """Return the row of the current step."""
        row: Floats = self.rows[int(self._now[0] - self._offset)]
        return row

    def begin(self, parts: Sequence[Part]) -> None:
        """Set the stages; phases may come in any order, stages of a phase keep theirs."""
        split = self.late(partial(bind, split_step, self.table))
        self._split: Part = Phase.SPLIT, "impacts", [split]
        phases = sorted(phase for phase, _, stages in (*parts, self._split) for _ in stages)
        first = np.searchsorted(phases, np.arange(len(Phase) + 1)).astype(np.int64)
        self.calls = np.zeros((len(phases), 2), np.int64)
        rare = Phase.GO_ON, Phase.RESOLVE, Phase.RESOLVE_ON
        often = [p for p in parts if p[0] not in rare]
        python = (name for _, name, made in often if any(stage.is_python for stage in made))
        self.python = tuple(dict.fromkeys(python))
        point_at(self.table, table_of(self._program._replace(stage=self.calls, first=first)))
        self.renew(parts)

    def renew(self, parts: Sequence[Part]) -> None:
        """Replace the stages, the same number per phase; a former stage may be running."""
        parts = sorted((*parts, self._split), key=lambda part: part[0])
        self._former, self.stages = self.stages, [s for _, _, stages in parts for s in stages]
        for call, stage in zip(self.calls, self.stages, strict=True):
            call[:] = stage.function, stage.frame
            if stage.late:
                stage.late.cell = call

    def load(self) -> None:
        """Compile the stages that are normally compiled when first needed."""
        for stage in self.stages:
            if stage.late:
                stage.late.load()

    def data(self) -> Iterator[npt.NDArray[Any]]:
        """Yield every array that the steps read or write, in a fixed order."""
        yield self._clock
        for stage in self.stages:
            yield from stage.data()

    def make(self, rows: Floats, first: int, count: int, *, commands: int) -> int:
        """Make ``count`` steps with rows of the recording; return the reason why they ended.

        Args:
            rows: shape (n, width), C-contiguous.
            first: row of the first step.
            count: number of steps, at most n - first.
            commands: their source, see ``Commands``; True is that of the controllers.

        Returns:
            A reason of ``footfall_stepper.kernels.step.program``; then ``check``.
        """
        self.point(rows, first)
        self._count[0], self._source[0] = count, commands
        ended = self._make(self.whole.frame)
        self._ahead.clear()
        return ended

    def run(self, phase: int) -> None:
        """Run one phase alone, with the present values of the cells."""
        ended = self._run(phase)
        self._ahead.clear()
        self.check(ended)

    def check(self, ended: int) -> None:
        """Raise the error that ended the step."""
        if ended in (Ending.DONE, Ending.NOT_FINITE):
            return
        raise_outside()
        for stage in (self.whole, *self.stages, *self._former):
            for called in stage.callbacks():
                called.check()
        raise SimulationError("a controller, the engine or the ground failed without an error")
