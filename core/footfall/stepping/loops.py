"""The stage of a step that closes loops: elimination, projection, what is recorded."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from footfall.jit.compiling import bind
from footfall.jit.tables import Table
from footfall.kernels.loops import eliminate as kernels
from footfall.kernels.loops import rates as rate_kernels
from footfall.kernels.step.program import APPLY, BIAS, COMPLETE, EVALUATE, FINISH
from footfall.recording.layout import Layout
from footfall.recording.variables import loop_variables
from footfall.stepping.program import Part, StepProgram
from footfall.typing import Floats
from footfall.world.arrays import ENERGY_KINETIC, ENERGY_POTENTIAL, LEDGER_LOOP_CLOSING
from footfall.world.world import World

CLOSED = 1e-9
"""Gap up to which positions are left alone, [m, rad]: what one step of a slow linkage leaves."""
MOST_PROJECTIONS = 3
"""Newton steps after a step; each takes an evaluation of the dynamics."""
NAME = "closed loops"
"""Of stages."""
MOST_AT_START = 100
"""Newton steps from a posture that does not fit."""


class NoLoops:
    """There are no loops."""

    def settle(self, dt: float) -> None:
        """Do nothing."""

    def project(self, evaluate: Callable[[float], None], dt: float) -> bool:
        """Do nothing."""
        return False

    def close_posture(self, evaluate: Callable[[float], None], dt: float) -> None:
        """Do nothing."""

    def stages(self, program: StepProgram) -> list[Part]:
        """Return nothing."""
        return []

    def place(self, layout: Layout) -> None:
        """Do nothing."""

    def record(self, row: Floats, dt: float) -> None:
        """Do nothing."""


class EliminatedLoops:
    """Loops are eliminated before the contact law, which then needs not know of them.

    Args:
        world: with loops.
        ledger: of the state; keeps the energy that projections change.
        table: of the world's arrays.
    """

    def __init__(self, world: World, ledger: Floats, table: Table) -> None:
        self.loops, self._energy, self._ledger = world.loops, world.dynamics.energy, ledger
        self._project = bind(kernels.project_positions, table, like=(CLOSED,))
        self._at = np.zeros(4, np.int64)
        self._record = bind(kernels.record_loops, table, like=(np.zeros(8), self._at, 0.0))

    def project(self, evaluate: Callable[[float], None], dt: float) -> bool:
        """Close what the last step has opened, and begin the sums of a new step.

        By what the projection changes the mechanical energy is kept in the ledger.
        """
        self.loops.impulse[:] = 0.0
        before = self._energy[ENERGY_KINETIC] + self._energy[ENERGY_POTENTIAL]
        moved = self._newton(evaluate, dt, MOST_PROJECTIONS)
        if moved:
            after = self._energy[ENERGY_KINETIC] + self._energy[ENERGY_POTENTIAL]
            self._ledger[LEDGER_LOOP_CLOSING] += after - before
        self.loops.start_gap[:] = self.loops.gap
        return moved

    def close_posture(self, evaluate: Callable[[float], None], dt: float) -> None:
        """Move the posture so that the loops close, as far as they can."""
        self._newton(evaluate, dt, MOST_AT_START)

    def _newton(self, evaluate: Callable[[float], None], dt: float, most: int) -> bool:
        """Do Newton steps; return whether there were any."""
        for k in range(most):
            if self._project(CLOSED) <= CLOSED:
                return k > 0
            evaluate(dt)
        return True

    def place(self, layout: Layout) -> None:
        """Note where in a row the loops' part is."""
        self._at[:] = [layout.slice_of(variable.name).start for variable in loop_variables(0)]

    def record(self, row: Floats, dt: float) -> None:
        """Write gaps at the start of the step, mean forces over it, effective rank and energy."""
        self._record(row, self._at, dt)


class SteppedLoops(EliminatedLoops):
    """Loops in time stepping."""

    def __init__(self, world: World, ledger: Floats, table: Table, theta: float) -> None:
        super().__init__(world, ledger, table)
        self._close = bind(kernels.close_loops, table, theta, like=(0.0,))
        self._book = bind(kernels.load_loops, table)

    def stages(self, program: StepProgram) -> list[Part]:
        """Return what it adds to a step: impulses are booked once those of contacts are known."""
        close, book = program.stage(self._close, program.part), program.stage(self._book)
        record = program.stage(self._record, program.row, program.places(self._at), program.part)
        of_phases = (EVALUATE, close), (BIAS, close), (COMPLETE, book), (APPLY, book)
        return [(phase, NAME, [stage]) for phase, stage in (*of_phases, (FINISH, record))]


class ContinuousLoops(EliminatedLoops):
    """Loops in continuous time: forces are recorded as they are at the start of the tick."""

    def __init__(self, world: World, ledger: Floats, table: Table, rates: Table) -> None:
        super().__init__(world, ledger, table)
        self._close = bind(rate_kernels.close_rates, table, rates, like=(0.0,))
        self._still = bind(rate_kernels.project_velocities, table)
        self._book = bind(rate_kernels.loop_forces, table)

    def settle(self, dt: float) -> None:
        """Eliminate the loops from the rates just evaluated."""
        self._close(dt)

    def project(self, evaluate: Callable[[float], None], dt: float) -> bool:
        """Close what the last tick has opened, take out velocities that open, note the forces."""
        super().project(evaluate, dt)
        self._still()
        evaluate(dt)
        self.loops.start_gap[:] = self.loops.gap
        self._book()
        return True

    def record(self, row: Floats, dt: float) -> None:
        """Write gaps, forces, effective rank and energy, all of the start of the tick."""
        super().record(row, 1.0)


def stepped(world: World, ledger: Floats, table: Table, theta: float) -> SteppedLoops | NoLoops:
    """Return what time stepping does about a world's loops."""
    return SteppedLoops(world, ledger, table, theta) if world.loop_names else NoLoops()


def continuous(
    world: World, ledger: Floats, table: Table, rates: Table
) -> ContinuousLoops | NoLoops:
    """Return what continuous time does about a world's loops."""
    return ContinuousLoops(world, ledger, table, rates) if world.loop_names else NoLoops()
