"""A worker: one world in which a thread advances its runs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.api.advanced import allocated, point_at, stage_of
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Floats, Ints, SimulationError, SolverError
from footfall_batch.controls import Given
from footfall_batch.cost import Cost, Meter
from footfall_batch.kernels.cost import CostArrays
from footfall_batch.kernels.runs import JobEntry, RunArrays, advance_runs, store_run
from footfall_batch.variation import Numbers, data_of
from footfall_stepper.api import Commands, StepperSimulator, own_numbers, own_parts

_CALL = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
"""C function type whose calls release the interpreter's lock."""


NO_COST = allocated(CostArrays, 0)
"""Arrays of no cost."""
CONTROLLERS = "controllers"
"""Stage of a step that torques from Python replace."""


@dataclass(slots=True)
class Shared:
    """Arrays of the runs of a batch, one row per run.

    Attributes:
        states: shape (n, size).
        value: shape (n, m), numbers that differ from run to run.
        rows: shape (n, width), recorded rows of the last steps.
        failed: shape (n,), 1 for a run that has ended.
        force: shape (n, 9 pairs), contact forces of the last steps, see ``Worker.measure``.
    """

    states: Floats
    value: Floats
    rows: Floats
    failed: Ints
    force: Floats


@dataclass(frozen=True, slots=True)
class Job:
    """A call's work and room for its results; arrays as in ``RunArrays``, by control."""

    samples: int
    substeps: int
    control: Floats
    given: Given
    applied: Floats
    cost: Cost | None
    costs: Floats
    commands: Commands
    seen: Ints
    sensors: Floats
    place: Ints
    path: Floats
    done: Ints


class Worker:
    """Advances runs in a world of its own.

    Attributes:
        sim: the world.
        controls: number of its torques.
        commands: whether its controllers are compiled.
        entry: shape (m,), places of numbers that differ, see ``RunArrays``.
    """

    def __init__(self, sim: StepperSimulator) -> None:
        program = sim.stepper.program
        if part := next((name for name in program.python if name != CONTROLLERS), ""):
            raise SimulationError(
                f"a batch needs a compiled step, but {part} of this scene is Python: "
                "choose another, or run it in processes (footfall.sweep; for gymnasium.make_vec "
                'vectorization_mode="async")'
            )
        self.sim, self._program = sim, program
        self._vector, collisions = own_numbers(sim.state)[0], sim.stepper.collisions
        self._entered = np.zeros(1, np.int64) if collisions is None else collisions.entered
        self.commands = CONTROLLERS not in program.python
        self._count, self._commands = np.ones(1, np.int64), np.ones(1, np.int64)
        self._step = program.stage(program.bound, self._count, self._commands)
        self.controls = len(sim.driving.motors)
        self.entry = np.zeros(0, np.int64)
        self._calls: Any = None
        self._meter: Meter | None = None
        self.measure(())

    def measure(self, pairs: Sequence[tuple[str, str | None]]) -> None:
        """Measure the contact forces of pairs of names after the last step of each run.

        Raises:
            SettingError: if a name means nothing, or both name the same part.
        """
        measured = np.zeros((len(pairs), 9))
        kernels = [self.sim.forces.bound(*pair, measured[k]) for k, pair in enumerate(pairs)]
        self._stages = [self._program.stage(kernel, self._program.row) for kernel in kernels]
        self._measured = measured

    def choose(self, joints: Sequence[str] | None) -> Ints:
        """Choose the joints that given torques move; return their numbers; None: all motors."""
        return self.sim.driving.choose(joints, self.sim.labels.joint)

    def _offset(self, array: Floats) -> int:
        """Return the place at which an array begins, counted in numbers from the state's vector."""
        return (array.ctypes.data - self._vector.ctypes.data) // 8

    def place(self, name: str) -> Ints:
        """Return the places of a part of the state in its vector."""
        part = self.sim.state[name]
        return self._offset(part) + np.arange(part.size)

    def find(self, numbers: Numbers) -> Ints:
        """Return the places of numbers in this world, counted from the state's vector."""
        data = data_of(self.sim)
        starts = np.array([self._offset(array) for array in data])
        return np.asarray(starts[numbers.array] + numbers.place, np.int64)

    def advance(
        self, pieces: Iterator[tuple[int, int]], shared: Shared, job: Job
    ) -> dict[int, str]:
        """Advance runs piece by piece; return the reasons why some ended, by run number.

        A piece is the first run and the end. Other workers take pieces from the same iterator.
        """
        sim, failures = self.sim, {}
        self._commands[0] = job.commands
        arrays = RunArrays(
            job=np.array([0, 0, job.samples, job.substeps]),
            step=np.array([self._step.function, self._step.frame]),
            steps=self._count,
            states=shared.states,
            vector=self._vector,
            grown=own_numbers(sim.state)[1],
            entered=self._entered,
            tick=own_parts(sim.state)["tick"],
            entry=self.entry,
            value=shared.value,
            torque=sim.driving.torque,
            control=job.control.reshape(len(shared.states), -1),
            **job.given._asdict(),
            q=sim.q,
            v=sim.v,
            dx=np.zeros(2 * len(sim.v)),
            applied=job.applied.reshape(len(shared.states), -1),
            cost=job.costs,
            seen=job.seen,
            sensors=job.sensors.reshape(len(shared.states), -1),
            place=job.place,
            path=job.path.reshape(len(shared.states), -1),
            row=self._program.row,
            rows=shared.rows,
            base=np.array([shared.rows.ctypes.data]),
            done=job.done,
            failed=shared.failed,
            measure=np.array([(s.function, s.frame) for s in self._stages], np.int64).reshape(
                -1, 2
            ),
            measured=self._measured,
            force=shared.force,
        )
        world, length = sim.world, job.substeps * sim.time_step
        meter = self.meter(job.cost)
        priced = meter.priced(length, job.samples) if meter else NO_COST
        table = table_of(world.topology, world.joints, world.dynamics, priced, arrays)
        if self._calls is None:  # bound once: that takes longer than a step
            advance_all, store = bind(advance_runs, table), bind(store_run, table, like=(0,))
            self._calls = table, stage_of(advance_all), store
        held, stage, store = self._calls
        if held is not table:
            point_at(held, table)
        advance = _CALL(stage.function)
        for arrays.job[JobEntry.FIRST], arrays.job[JobEntry.LAST] in pieces:
            while ended := advance(stage.frame):
                i = int(arrays.job[JobEntry.FIRST])
                try:
                    sim.check_step(ended, shared.rows[i])
                except (SimulationError, SolverError) as error:
                    failures[i], shared.failed[i] = str(error), 1
                store(i)
        return failures

    def meter(self, cost: Cost | None) -> Meter | None:
        """Return the residuals of a cost in this world; the last one is kept."""
        if cost is not None and (self._meter is None or self._meter.cost is not cost):
            self._meter = Meter(self.sim, cost)
        return self._meter if cost else None

    def begin(self, runs: Ints, shared: Shared) -> dict[int, str]:
        """Observe the states of runs as starts, so that touching points cause no impact.

        Returns:
            Reasons why some runs failed, by run number.
        """
        failures, state = dict[int, str](), self.sim.state
        for i in runs:
            self._become(i, shared)
            try:
                self.sim.observe_start()
            except (SimulationError, SolverError) as error:
                failures[int(i)], shared.failed[i] = str(error), 1
            shared.states[i] = np.concatenate([state.vector, state.grown])
        return failures

    def differentiate(
        self,
        runs: Ints,
        shared: Shared,
        control: Floats | None,
        steps: int,
        options: Mapping[str, Any],
        take: Callable[[int, int, StepperSimulator, Any], None],
    ) -> dict[tuple[int, int], str]:
        """Pass the next steps of runs and their derivatives to ``take``; the runs do not change.

        Returns:
            Reasons why some steps have none, by numbers of run and step.
        """
        failures, sim = dict[tuple[int, int], str](), self.sim
        for i in runs.tolist():
            self._become(i, shared)
            for t in range(steps):
                try:
                    sim.step(None if control is None else control[i, t])
                except (SimulationError, SolverError) as error:
                    failures |= {(i, k): str(error) for k in range(t, steps)}
                    break
                try:
                    take(i, t, sim, sim.derivatives(**options))
                except (SimulationError, SolverError) as error:
                    failures[i, t] = str(error)
        return failures

    def _become(self, i: int, shared: Shared) -> None:
        """Load the state and the numbers of a run."""
        state, size = self.sim.state, len(self._vector)
        state.assign(shared.states[i, :size], shared.states[i, size:])
        self._entered[0] = -1
        for at, value in zip(self.entry, shared.value[i], strict=True):
            place = self._vector.ctypes.data + 8 * int(at)
            ctypes.c_double.from_address(place).value = float(value)
