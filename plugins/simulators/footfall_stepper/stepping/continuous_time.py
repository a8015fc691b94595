"""Continuous time: ticks of as many inner steps as the integrator needs, with events between."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from footfall.errors import SimulationError, SolverError
from footfall.interfaces.contact import ForceLaw
from footfall.interfaces.integrator import Continuous, InnerStep
from footfall.jit.compiling import bind
from footfall.jit.tables import Table, read_only
from footfall.recording.layout import Layout, RaggedTable
from footfall.recording.variables import Column
from footfall.typing import Floats, Ints
from footfall_stepper.devices.signals import Ahead
from footfall_stepper.kernels.continuous import rates as rate_kernels
from footfall_stepper.kernels.continuous import tick as kernels
from footfall_stepper.kernels.step.program import Phase
from footfall_stepper.kernels.tables import Scratch
from footfall_stepper.stepping.events import EVENTS, Event, events_between, located
from footfall_stepper.stepping.law import QUADRATURES, record_stages
from footfall_stepper.stepping.loops import ContinuousLoops, NoLoops
from footfall_stepper.stepping.program import StepProgram
from footfall_stepper.stepping.settings import Physics, StepSettings
from footfall_stepper.stepping.state_rates import WorldRates
from footfall_stepper.stepping.swept_contacts import Missed
from footfall_stepper.stepping.time_stepping import Kept, Parts, world_table
from footfall_stepper.world.state import State, own_numbers, own_parts, state_arrays
from footfall_stepper.world.step_arrays import NEVER, Monitor, StepFigure
from footfall_stepper.world.world import World

MOST_STOPS = 200
"""Events per tick at which inner steps are stopped; later ones are reported at the steps' ends."""
MOST_STEPS = 100_000
"""Inner steps per tick after which the simulation stops with an error."""
ROUNDING = 1e-12
"""Rest of a tick that is too short for a step, relative to it."""


class ContinuousTime:
    """Integrates positions, velocities and laws' state variables, tick by tick.

    A tick is a ``time_step``: the grid of the recording and of the controllers, whose commands are
    held over it (gains act as springs and dampers in the rates). The integrated vector holds the
    continuous parts of the state and the quadratures of work and losses.

    Attributes:
        events: of the last tick, in order.
        program: makes ticks: one call of compiled code, which calls Python.
    """

    tables = (EVENTS,)
    program: StepProgram
    collisions = guest = None

    def __init__(
        self, world: World, state: State, *, physics: Physics, settings: StepSettings
    ) -> None:
        assert isinstance(physics.contact, ForceLaw)
        assert isinstance(physics.integrator, Continuous)
        self.world, self.settings = world, settings
        self.impact, self.terrain, self.integrator = (
            physics.impact,
            physics.terrain,
            physics.integrator,
        )
        self.monitor = Monitor.zeros()
        self.events, self.missed = list[Event](), list[Missed]()
        self._ticks: list[list[Event]] | None = None
        self.monitor.step[StepFigure.NEXT_IMPACT] = NEVER
        self._event_count = self._steps = 0
        self.law = law = physics.contact
        law.allocate(world.n_contacts, world.n_rows)
        law.name_contacts(world.contact_names)
        self.terrain.prepare(world.sample)
        self._state, self._vector = state, own_numbers(state)[0]
        self.rates = WorldRates(world, state, law, self.terrain, settings.time_step)
        self.problem = self.rates.problem
        own = own_parts(state)
        self._size, self._quadratures = own["integrator.step_size"], own[QUADRATURES]
        self._bind(state)
        n = self.rates.size
        self.integrator.prepare(np.arange(n) < n - len(self._quadratures))

    @property
    def chains(self) -> ContinuousLoops | NoLoops:
        """The treatment of closed loops."""
        return self.rates.chains

    @property
    def ahead(self) -> Ahead:
        """Trees already evaluated at the present state, for signals."""
        return self.rates.ahead

    @property
    def inner(self) -> tuple[int, int, int]:
        """Numbers of inner steps, evaluations of the rates and events so far."""
        return self._steps, self.rates.evaluations, self._event_count

    def _bind(self, state: State) -> None:
        world = self.world
        arrays = state_arrays(state)
        scratch = Scratch.zeros(world.problem, np.zeros(world.nv), world.n_contacts)
        table = world_table(world, arrays, self.monitor, scratch)
        self._held = (table, arrays, scratch)
        self.rates.bind(table, state)
        mine, row, at = self.rates.table, np.zeros(8), np.zeros(len(Column), np.int64)
        self._begin_row = bind(kernels.begin_row, table, mine, like=(row, at, 0.0))
        self._end_row = bind(kernels.end_row, table, mine, like=(row, at, 0.0))
        self._book_tick = bind(kernels.book_tick, table, like=(0.0, 0.0, 0.0))
        self._book = bind(rate_kernels.book, table, mine, like=(0.0,))
        self._settle = bind(kernels.settle, table)

    @property
    def table(self) -> Table:
        """Table of the world's arrays."""
        return self._held[0]

    def keep(self, steps: int) -> None:
        """Keep the events of ticks from now on, including those between kept rows."""
        self._ticks = []

    def kept(self, table: RaggedTable, steps: int) -> Kept:
        """Return the events of ``steps`` ticks since ``keep``, and stop keeping them."""
        ticks, self._ticks = (self._ticks or [])[:steps], None
        ends = np.cumsum([len(events) for events in ticks], dtype=np.int64)
        return np.array([event for events in ticks for event in events], table.dtype), ends

    def table_rows(self) -> npt.NDArray[np.void]:
        """Return the events of the last tick, as rows of the recording's table."""
        return np.array(self.events, EVENTS.dtype)

    def place(self, layout: Layout) -> None:
        """Store the columns of parts of the row that only some worlds have."""
        self.chains.place(layout)
        self._layout = layout

    def evaluate(self, dt: float) -> None:
        """Evaluate the rates at the start of a tick, with all energies."""
        self.rates.first(self._vector[self.rates.arrays.place])

    def observe(self, time: float, row: Floats | None = None, at: Ints | None = None) -> None:
        """Update poses, gaps and energies from the state, without a step.

        Write the values known for the state to a row of the recording, if one is given.
        """
        self.rates.start = time
        self.evaluate(self.settings.time_step)
        self._settle()
        if row is not None:
            self.rates.changes(0.0, self._vector[self.rates.arrays.place])
            self._begin_row(row, at, time)

    def compile(self, at: Ints, beside: Parts) -> None:
        """Build the ``program`` of a tick.

        Args:
            at: first columns of variables in a row.
            beside: builds the stages added to each tick.
        """
        tick, still = own_parts(self._state)["tick"], np.zeros(self.world.nv)
        arrays = tick, self.monitor.step, self._state["v"], still
        self.program = program = StepProgram(self.settings, at, self.ahead, *arrays)
        begin = program.stage(self._begin, program.time, program.length)
        cells = program.row, program.columns, program.time, program.length
        parts = (
            (Phase.BEFORE, "law", [*record_stages(self.law, self._state, self._layout, program)]),
            (Phase.EVALUATE, "continuous time", [begin]),
            (Phase.COMPLETE, "continuous time", [program.stage(self._finish, *cells)]),
        )
        program.begin([*beside(program), *parts])

    def _begin(self, time: float, dt: float) -> None:
        """Evaluate the start of a tick."""
        rates = self.rates
        self.events.clear()
        self._quadratures[:] = 0.0
        self._before, rates.start = self._vector.copy(), time
        with self._restoring():
            x = self._vector[rates.arrays.place]
            rate = rates.first(x)
            if self.chains.project(self.evaluate, dt):
                x = self._vector[rates.arrays.place]
                rate = rates.first(x)
            rates.changes(0.0, x)
            rates.reference[:] = rates.arrays.mode
        self._first = x, rate

    def _finish(self, row: Floats, at: Ints, time: float, dt: float) -> None:
        """Advance to the end of a tick whose start has been evaluated."""
        with self._restoring():
            self._begin_row(row, at, time)
            self._book(0.0)
            self._integrate(*self._first, dt)
            self._end_row(row, at, dt)
            self.chains.record(row, dt)
            self._book_tick(*(float(w) for w in self._quadratures))
        if self._ticks is not None:
            self._ticks.append(list(self.events))

    @contextmanager
    def _restoring(self) -> Iterator[None]:
        """Restore the state of the start of the tick if the tick fails.

        If a law rejects values that are not finite, the cause lies elsewhere.
        """
        try:
            yield
        except BaseException as error:
            self._vector[:] = self._before
            d = self.world.dynamics
            if not isinstance(error, SolverError) or all(
                np.isfinite(array).all() for array in (d.M, d.h, d.S, d.pose)
            ):
                raise
            raise SimulationError(self._lost(0.0)) from error

    def _integrate(self, x: Floats, rate: Floats, dt: float) -> None:
        """Advance to the end of the tick; the state is then that of the last x."""
        rates, now, size = self.rates, 0.0, float(self._size[0, 0])
        stops = steps = 0
        while dt - now > ROUNDING * dt:
            rates.other = False
            step = self.integrator.step(rates, now, read_only(x), read_only(rate), dt, size)
            steps += 1
            if step is None or not step.time > now or steps > MOST_STEPS:
                raise SimulationError(self._stuck(now, steps))
            if not np.isfinite(step.x).all():
                raise SimulationError(self._lost(now))
            changed = rates.changes(step.time, step.x)
            if (changed or rates.other) and stops < MOST_STOPS:
                step = self._stop(now, step)
            if rates.changes(step.time, step.x):
                stops += 1
                self._tell(step.time)
            self._book(step.time - now)
            now, x, rate, size = step.time, step.x, step.rate, step.size
        self._size[0, 0] = size
        self._steps += steps

    def _stop(self, now: float, step: InnerStep) -> InnerStep:
        """Return the part of a step up to the first event in it, or the step if there is none."""
        rates = self.rates
        time = located(rates, now, step, self.integrator.event_tolerance)
        if time is None or time >= step.time:
            return step
        x = step.interpolate(time)
        return InnerStep(time, x, rates(time, x), step.size, step.interpolate)

    def _tell(self, t: float) -> None:
        """Store the mode changes of contacts as events."""
        rates = self.rates
        found = events_between(self.rates.start + t, rates.reference, rates.arrays.mode)
        self.events += found
        self._event_count += len(found)
        rates.reference[:] = rates.arrays.mode

    def _lost(self, now: float) -> str:
        return (
            f"t = {self.rates.start + now:.9g} s: the state is no longer finite; if the steps are "
            "too long for the forces, shorten them or use an integrator with adaptive steps"
        )

    def _stuck(self, now: float, steps: int) -> str:
        names = self.world.contact_names
        touching = [names[c] for c in np.flatnonzero(self.rates.reference > 0.0)]
        where = f"in contact: {', '.join(touching[:4])}" if touching else "nothing is in contact"
        if len(touching) > 4:
            where += f" and {len(touching) - 4} more"
        why = (
            f"{MOST_STEPS} inner steps in one tick"
            if steps > MOST_STEPS
            else "the step size underflows"
        )
        time = self.rates.start + now
        return (
            f"t = {time:.9g} s: {why} ({where}); the forces change too fast for the tolerance: "
            "loosen it, or use a softer ground"
        )
