"""The stage of a step that closes loops: elimination, projection, recording."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from footfall.jit.compiling import bind
from footfall.jit.stages import Callback, Stage
from footfall.jit.tables import Table
from footfall.recording.layout import Layout
from footfall.recording.variables import Column, first_entries
from footfall.typing import Floats
from footfall_stepper.kernels.loops import eliminate as kernels
from footfall_stepper.kernels.loops import rates as rate_kernels
from footfall_stepper.kernels.step import program as steps
from footfall_stepper.kernels.step.program import Phase
from footfall_stepper.stepping.program import Part, StepProgram
from footfall_stepper.world.world import World

Evaluate = Callable[[float], None]
"""Evaluates everything again for a step of given length, [s]."""
MOST_PROJECTIONS = 3
"""Newton steps after a step; each needs an evaluation of the dynamics."""
MOST_AT_START = 100
"""Newton steps from an open posture."""


class NoLoops:
    """The treatment of a world without loops."""

    def settle(self, dt: float) -> None:
        """Do nothing."""

    def project(self, evaluate: Evaluate, dt: float) -> bool:
        """Do nothing."""
        return False

    def stages(self, program: StepProgram) -> list[Part]:
        """Return nothing."""
        return []

    def place(self, layout: Layout) -> None:
        """Do nothing."""

    def record(self, row: Floats, dt: float) -> None:
        """Do nothing."""


class EliminatedLoops:
    """Elimination of loops before the contact law, which does not see them.

    Args:
        world: with loops.
        table: of the world's arrays.
    """

    def __init__(self, world: World, table: Table) -> None:
        self.loops, self._table = world.loops, table
        self._at = np.zeros(len(Column), np.int64)
        self._record = bind(kernels.record_loops, table, like=(np.zeros(8), self._at, 0.0))

    def close_posture(self, evaluate: Evaluate, dt: float) -> None:
        """Move the posture so that the loops close as far as possible."""
        anew = Callback(partial(evaluate, dt))
        bind(kernels.close_gaps, self._table, anew.cell, MOST_AT_START)()
        anew.check()

    def place(self, layout: Layout) -> None:
        """Store the first entries of columns in a row."""
        self._at[:] = first_entries(layout)


class SteppedLoops(EliminatedLoops):
    """Loops in time stepping.

    In midpoint schemes velocities are along the loops at the step's end: ``C v+ = -dt Cdot v``
    seen from the start, and half of it from the midpoint, as from the start with theta = 1.
    """

    def __init__(self, world: World, table: Table, theta: float) -> None:
        super().__init__(world, table)
        self._close = bind(kernels.close_loops, table, theta, like=(0.0,))
        self._join = bind(kernels.close_loops, table, 1.0, like=(0.0,))
        self._book = bind(kernels.load_loops, table)
        self._anew = list[Stage]()

    def stages(self, program: StepProgram) -> list[Part]:
        """Return the stages added to a step; impulses are booked after those of contacts."""
        anew = program.stage(bind(steps.run_phase, program.table, Phase.EVALUATE))
        self._anew.append(anew)  # a program that is watched does not replace the other
        cell = np.array([anew.function, anew.frame])
        begin = bind(kernels.begin_step, self._table, cell, MOST_PROJECTIONS)
        close, book = program.stage(self._close, program.part), program.stage(self._book)
        join = program.stage(self._join, program.part)
        record = program.stage(self._record, program.row, program.places(self._at), program.part)
        of_phases = (
            (Phase.EVALUATE, close),
            (Phase.SETTLE, close),
            (Phase.JOIN, join),
            (Phase.COMPLETE, book),
            (Phase.APPLY, book),
        )
        more = (Phase.CLOSE, program.stage(begin)), (Phase.FINISH, record)
        return [(phase, "closed loops", [stage]) for phase, stage in (*of_phases, *more)]


class ContinuousLoops(EliminatedLoops):
    """Loops in continuous time: recorded forces are those at the start of the tick."""

    def __init__(self, world: World, table: Table, rates: Table) -> None:
        super().__init__(world, table)
        self._close = bind(rate_kernels.close_rates, table, rates, like=(0.0,))
        self._anew = Callback(lambda: self._evaluate())
        self._begin = bind(kernels.begin_step, table, self._anew.cell, MOST_PROJECTIONS)
        self._still = bind(rate_kernels.project_velocities, table)
        self._book = bind(rate_kernels.loop_forces, table)

    def settle(self, dt: float) -> None:
        """Eliminate the loops from the rates just evaluated."""
        self._close(dt)

    def project(self, evaluate: Evaluate, dt: float) -> bool:
        """Close gaps of the last tick, remove velocities that open loops, store the forces."""
        self._evaluate = partial(evaluate, dt)
        self._begin()
        self._anew.check()
        self._still()
        evaluate(dt)
        self.loops.start_gap[:] = self.loops.gap
        self._book()
        return True

    def record(self, row: Floats, dt: float) -> None:
        """Write gaps, forces, effective rank and energy, all at the start of the tick."""
        self._record(row, self._at, 1.0)
