"""``footfall.Batch``: many runs of one world, stepped together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import footfall
from footfall import ContactForce
from footfall.api.plugin import Floats, Ints, SettingError, SimulationError
from footfall_batch.alarms import Screen
from footfall_batch.controls import Given, finite, interpolated, of_runs, size, unit, with_feedback
from footfall_batch.cost import Cost
from footfall_batch.variation import Key, Numbers, find_numbers, read
from footfall_batch.worker import Job, Shared, Worker
from footfall_stepper.api import Commands, StepperSimulator, stepped


@dataclass(frozen=True, slots=True)
class Rollout:
    """Result of ``Batch.rollout``; it unpacks to ``states, sensors``.

    Attributes:
        states: shape (n, T, nq + nv), positions and velocities after each control.
        sensors: shape (n, T, width), variables of ``outputs`` in the last step of a control, flat.
        controls: shape (n, T, nu), torques of each control, with feedback; (n, T, 0) if the scene's
            controllers command.
        cost: shape (n,), inf for runs that failed or whose cost is not a number; 0 without a cost.
    """

    states: Floats
    sensors: Floats
    controls: Floats
    cost: Floats

    def __iter__(self) -> Iterator[Floats]:
        return iter((self.states, self.sensors))


class Derivatives(NamedTuple):
    """Result of ``Batch.derivatives``: the next step of every run, and its Jacobians.

    Coordinates are those of ``footfall.derivatives``. Steps without derivatives are NaN, see
    ``failures``. Of T steps all arrays have the shape (n, T, ...).

    Attributes:
        q, v: shape (n, nq) and (n, nv), after the step.
        state: shape (n, 2 nv, 2 nv), by the state before the step; control: shape (n, 2 nv, nu),
            by torques; parameters: shape (n, 2 nv, parameters).
        least_margin: shape (n,), smallest margin of a contact to another mode, [m/s].
        failures: reasons why runs have no derivatives, by run number; of T steps by (run, step).
    """

    q: Floats
    v: Floats
    state: Floats
    control: Floats
    parameters: Floats
    least_margin: Floats
    failures: dict[int, str] | dict[tuple[int, int], str]


ROOM, LEAST_ROOM = 8, 64
"""Room for contacts: number per shape, and least number."""
BRIEF = 1000
"""Most steps that a batch of one thread makes in the caller's thread; Ctrl-C waits for them."""
PIECES = 8
"""Pieces of a batch per thread, so that no thread waits long for a slower one."""


class Batch:
    """n runs of one scene, advanced in threads; each is bit for bit the same as alone.

    ::

        batch = footfall.Batch("humanoid/standing", 256)
        batch.set("bodies.humanoid.friction", np.linspace(0.2, 1.0, 256))
        batch.step(substeps=100)
        batch.q[:, 2]  # heights

    Attributes:
        q: shape (n, nq), positions; v: shape (n, nv), velocities: as in a ``Simulator``. You may
            write to them; ``reset`` restarts runs.
        alarms: first ``footfall.Alarm`` of each run since its reset, by run number. The last row of
            every run is looked at after each call, nothing in between.
        failures: reasons why runs have ended, by run number. An ended run stands still until reset.
        outputs: names of the recorded variables that ``rollout`` returns.
    """

    def __init__(
        self,
        scene: str | Path,
        n: int,
        *,
        threads: int | None = None,
        overrides: Mapping[str, Any] | None = None,
        outputs: str | Iterable[str] = (),
        contacts: int | None = None,
        raise_on_alarm: bool = False,
    ) -> None:
        """Load the scene once for each thread.

        Args:
            scene: as in ``footfall.load``; every part of its step must be compiled.
            n: number of runs.
            threads: number of threads; by default one per core, at most n.
            overrides: as in ``footfall.load``.
            outputs: name or names of recorded variables, e.g. ``contact_force``.
            contacts: most detected contacts of a run; a run with more fails. By default eight for
                each shape that can touch, at least 64.
            raise_on_alarm: whether the first ``footfall.Alarm`` of a kind is raised; otherwise it
                is a warning.

        Raises:
            SimulationError: if n, threads or contacts is not a whole number of 1 or more, there are
                more threads than cores, a part of the step is Python (the message names it), or
                there are more contacts at the start.
            SceneError: as in ``footfall.load``.
        """
        known = hasattr(os, "sched_getaffinity")  # not on macOS
        cores = len(os.sched_getaffinity(0)) if known else os.cpu_count() or 1
        self.n = size(n, "n")
        threads = min(cores, self.n) if threads is None else size(threads, "threads")
        if threads > cores:
            raise SimulationError(f"threads: got {threads}, allowed is at most {cores} (cores)")
        most = None if contacts is None else size(contacts, "contacts")
        self._load = partial(_load, scene, dict(overrides or {}), most)
        self._workers = [Worker(self._load({})) for _ in range(min(threads, self.n))]
        sim = self._workers[0].sim
        start = np.concatenate([sim.state.vector, sim.state.grown])
        self._shared = Shared(
            states=np.tile(start, (self.n, 1)),
            value=np.zeros((self.n, 0)),
            rows=np.zeros((self.n, sim.layout.width)),
            failed=np.zeros(self.n, np.int64),
            force=np.zeros((self.n, 0)),
        )
        self._pairs: list[tuple[str, str | None]] = []
        self._stepped = np.zeros(self.n, bool)
        self._start = self._shared.states.copy()
        self._screen = Screen(sim, self._workers[0].place("ledger"), self.n, raise_on_alarm)
        self._unseen, self._closed = np.zeros(self.n, bool), False
        self._numbers: dict[str, Numbers] = {}
        self._columns: dict[str, Ints] = {}
        first = self._workers[0]
        q, v = first.place("q"), first.place("v")
        self.q = self._shared.states[:, q[0] : q[-1] + 1]
        self.v = self._shared.states[:, v[0] : v[-1] + 1]
        self._place, self._tick = np.concatenate([q, v]), int(first.place("tick")[0])
        self.outputs = (outputs,) if isinstance(outputs, str) else tuple(outputs)
        self.failures, self.alarms = dict[int, str](), self._screen.alarms
        seen = [sim.recorded.columns(name).ravel() for name in self.outputs]
        self._seen = np.concatenate([*seen, np.zeros(0, np.int64)]).astype(np.int64)
        self._pool = ThreadPoolExecutor(len(self._workers), "footfall-batch")

    @property
    def states(self) -> Floats:
        """State of every run, shape (n, size): ``vector``, then ``grown``; read-only."""
        states = self._shared.states.view()
        states.flags.writeable = False
        return states

    @property
    def nu(self) -> int:
        """Number of torques of a control: one per joint, without those of planar bases."""
        return self._workers[0].controls

    @property
    def time(self) -> Floats:
        """Simulated time of each run, shape (n,), [s]."""
        return self._shared.states[:, self._tick] * self._workers[0].sim.time_step

    @property
    def failed(self) -> npt.NDArray[np.bool_]:
        """Mask of the runs that have ended, shape (n,)."""
        return np.asarray(self._shared.failed != 0)

    def signal(self, name: str) -> Floats:
        """Return a recorded variable of the last step of every run, shape (n, ...)."""
        return self._shared.rows[:, self._workers[0].sim.recorded.columns(name)]

    def contact_force(self, one: str, other: str | None = None) -> ContactForce:
        """Return the contact force on one body or link from another in every run.

        Ask for a pair once before the first step: steps measure the pairs asked for.

        Args:
            one: as in ``Simulator.contact_force``.
            other: the same.

        Returns:
            Three arrays (n, 3), [N], world axes; zero in runs that have not made a step.

        Raises:
            SimulationError: as in ``Simulator.contact_force``; if runs have made steps before a
                pair is first asked for.
        """
        if (one, other) not in self._pairs:
            if self._stepped.any():
                raise SimulationError(
                    f"contact_force: ask for {one!r} and {other!r} once before the first step, or "
                    "after a reset of all runs: steps measure the pairs asked for"
                )
            pairs = [*self._pairs, (one, other)]
            try:
                for worker in self._workers:
                    worker.measure(pairs)
            except SettingError as error:
                raise SimulationError(f"contact_force: {error.reason}") from error
            self._pairs, self._shared.force = pairs, np.zeros((self.n, 9 * len(pairs)))
        at = 9 * self._pairs.index((one, other))
        parts = self._shared.force[:, at : at + 9].reshape(self.n, 3, 3)
        return ContactForce(*parts.swapaxes(0, 1).copy())

    def step(
        self,
        tau: npt.ArrayLike | None = None,
        substeps: int = 1,
        *,
        joints: Sequence[str] | None = None,
    ) -> None:
        """Make steps in every run that has not ended.

        Args:
            tau: shape (n, nu), torques [N m or N] that replace the controllers', as in
                ``Simulator.step``; None: the scene's controllers command.
            substeps: number of steps.
            joints: names or patterns of the joints that tau moves, as in ``Simulator.step``; tau
                has their number of columns.

        Raises:
            SimulationError: if tau does not fit or is not finite, or no joint matches, or a
                controller is Python.
        """
        if tau is None and joints is not None:
            raise SimulationError("joints: give the torques of these joints, tau")
        given = None if tau is None else np.expand_dims(tau, min(1, np.ndim(tau)))
        control = None if given is None else self._controls(given, joints)
        self._run(control, interpolated("zero", 1, 1, None), size(substeps, "substeps"), joints)

    def rollout(
        self,
        x0: npt.ArrayLike,
        controls: npt.ArrayLike,
        substeps: int = 1,
        *,
        time: npt.ArrayLike | None = None,
        horizon: int | None = None,
        interpolation: str = "zero",
        knots: npt.ArrayLike | None = None,
        gains: npt.ArrayLike | None = None,
        reference: npt.ArrayLike | None = None,
        limits: npt.ArrayLike | None = None,
        cost: Cost | None = None,
    ) -> Rollout:
        """Start every run at a given state and apply controls, in one compiled call.

        With ``gains`` K each control is ``u_t + K_t footfall.difference(reference[t], x_t)``.

        Args:
            x0: shape (n, nq + nv), positions and velocities; or (nq + nv,), of all runs.
            controls: shape (n, T, nu), torques, each held for ``substeps`` steps, [N m or N]; or
                (n, K, nu), knots; or only T: the scene's controllers command.
            substeps: number of steps per control.
            time: shape (n,), simulated time at the start, as in ``reset``, [s].
            horizon: number of controls T; None: one for each knot.
            interpolation: ``zero`` holds knots; ``linear``; ``cubic`` (Catmull and Rom's).
            knots: shape (K,), rising times of the knots from the start, [s]; None: evenly.
            gains: shape (T, nu, 2 nv), or (n, T, nu, 2 nv), feedback by positions (own axes), then
                velocities.
            reference: shape (T + 1, nq + nv), or (n, T + 1, nq + nv); the last is not used.
            limits: shape (nu,), greatest torques; None: only drives limit them.
            cost: terms to sum in the same call.

        Raises:
            SimulationError: if an argument does not fit, or a controller is Python.
        """
        substeps, due = size(substeps, "substeps"), (self.n, len(self._place))
        x = np.broadcast_to(of_runs(x0, self.n, due[1:], "x0", "run"), due)
        alone = isinstance(controls, int | np.integer) and not isinstance(controls, bool)
        control = None if alone else self._controls(controls, None)
        count = size(int(controls), "controls") if control is None else control.shape[1]  # type: ignore[arg-type]
        samples, at = count if horizon is None else size(horizon, "horizon"), None
        if knots is not None:
            at = finite(knots, (count,), "knots", "place")
            at = at / (substeps * self._workers[0].sim.time_step)
        if control is None and (samples != count or at is not None or gains is not None):
            raise SimulationError("controls: knots, a horizon and gains need torques, not a number")
        if not isinstance(cost, Cost | None):
            raise SimulationError(f"cost: expected a footfall.Cost, got {cost!r}")
        if control is None and cost is not None and any(t.name == "torque" for t in cost.terms):
            raise SimulationError("cost: torque is of given controls; joint_torque is recorded")
        given = interpolated(interpolation, count, samples, at)
        if (gains is None) != (reference is None):
            raise SimulationError("gains and reference: give both or none")
        if gains is not None and reference is not None:
            given = with_feedback(self._workers[0].sim, given, gains, reference, self.n)
        for meter in [worker.meter(cost) for worker in self._workers]:
            _ = meter and meter.priced(1.0, samples)
        if limits is not None:
            most = np.full(len(self._workers[0].sim.driving.torque), np.inf)
            most[self._workers[0].choose(None)] = finite(limits, (self.nu,), "limits", "place")
            given = given._replace(limit=abs(most))
        nq = self.q.shape[1]
        self.reset(q=x[:, :nq], v=x[:, nq:], time=time)
        return self._run(control, given, substeps, cost=cost)

    def derivatives(
        self,
        tau: npt.ArrayLike | int | None = None,
        *,
        parameters: Sequence[str] = (),
        axes: str = "own",
    ) -> Derivatives:
        """Return the Jacobians of the next step, or of T steps, of every run; these do not change.

        Args:
            tau: as in ``step``; or shape (n, T, nu), torques of T steps; or only T: the scene's
                controllers command.
            axes: as in ``footfall.derivatives``.
            parameters: keys of the scene, as in ``footfall.derivatives``; only for a batch without
                ``set`` numbers.

        Raises:
            SimulationError: as in ``step``; if no run has derivatives, all for one reason other
                than a failed step; if a key is not a parameter; if parameters are given and numbers
                differ between runs; if settings of the law do.
        """
        if law := next((key for key in self._columns if key.startswith("contact.")), ""):
            raise SimulationError(f"derivatives: {law} differs by run (batch.set): not supported")
        if parameters and len(self._workers[0].entry):
            raise SimulationError(
                "parameters: numbers of this batch differ by run (batch.set), but derivatives by "
                " keys are those of the scene: make a batch, or simulators, of other scenes"
            )
        steps, control, many = 1, None, isinstance(tau, int | np.integer)
        if isinstance(tau, int | np.integer):
            steps = size(tau, "tau: number of steps")
        elif tau is not None:
            given = np.shape(np.asarray(tau, object))
            many = len(given) == 3
            steps = size(given[1], "tau: number of steps") if many else 1
            due = self.n, steps, self.nu
            control = finite(tau, due if many else due[::2], "tau").reshape(due)
        self._check(control)
        self._begin()
        rows, more = 2 * self.v.shape[1], len(parameters)
        shapes = self.q.shape[1:], self.v.shape[1:], (rows, rows), (rows, self.nu), (rows, more), ()
        arrays = [np.empty((self.n, steps, *shape)) for shape in shapes]
        q, v, A, B, C, margin = arrays
        margin[:] = np.nan

        def take(i: int, t: int, sim: StepperSimulator, step: Any) -> None:
            q[i, t], v[i, t], A[i, t], B[i, t] = sim.q, sim.v, step.state, step.control
            margin[i, t] = step.least_margin
            if more:
                C[i, t] = step.parameters

        runs, options = np.flatnonzero(~self.failed), {"parameters": parameters, "axes": axes}
        failures = {(i, t): why for i, why in self.failures.items() for t in range(steps)}
        first = self._workers[0]  # threads would wait for each other: this is half Python
        failures |= first.differentiate(runs, self._shared, control, steps, options, take)
        for array in arrays if (missing := np.isnan(margin)).any() else ():
            array[missing] = np.nan
        whys = {*failures.values()}
        if len(failures) == self.n * steps and len(whys) == 1 and "derivatives: " in min(whys):
            raise SimulationError(min(whys))
        if many:
            return Derivatives._make((*arrays, failures))
        reasons = {i: why for (i, _), why in failures.items()}
        return Derivatives._make((*(array[:, 0] for array in arrays), reasons))

    def reset(
        self,
        mask: npt.ArrayLike | None = None,
        q: npt.ArrayLike | None = None,
        v: npt.ArrayLike | None = None,
        time: npt.ArrayLike | None = None,
    ) -> None:
        """Restart runs; points that touch at the start cause no impact.

        Args:
            mask: shape (n,), runs to restart; None: all.
            q: shape (runs, nq), their positions; None: the scene's.
            v: shape (runs, nv), their velocities; None: the scene's.
            time: shape (runs,), simulated time to start at, rounded to whole steps, [s]; None: 0.

        Raises:
            SimulationError: if an array does not fit or is not finite, or a quaternion of q does
                not have length 1.
        """
        runs = self._chosen(mask)
        ticks = np.zeros(len(runs)) if time is None else finite(time, (len(runs),), "time")
        given = [
            None if x is None else finite(x, (len(runs), own.shape[1]), name)
            for name, x, own in (("q", q, self.q), ("v", v, self.v))
        ]
        if given[0] is not None:
            unit(self._workers[0].sim.world, given[0], "q")
        self._shared.states[runs] = self._start[runs]
        self._shared.states[runs, self._tick] = np.round(ticks / self._workers[0].sim.time_step)
        for own, x in zip((self.q, self.v), given, strict=True):
            if x is not None:
                own[runs] = x
        self._unseen[runs], self._stepped[runs] = True, False
        self._shared.failed[runs], self._shared.force[runs] = 0, 0.0
        for i in runs.tolist():
            self.failures.pop(i, None)
            self.alarms.pop(i, None)

    def set(
        self,
        key: str,
        values: npt.ArrayLike | Mapping[str, npt.ArrayLike],
        mask: npt.ArrayLike | None = None,
    ) -> None:
        """Let a number of the scene differ between runs, from the next step on.

        The first call takes some hundredths of a second: it finds the numbers of a step that depend
        on the key. Later calls with values in the range of the first only write (``prepare``).

        Args:
            key: dotted, e.g. ``world.terrain.friction``.
            values: shape (n,); (n, length) if the key is an array, e.g. ``world.gravity``; (n,) by
                name if it is a table, e.g. ``bodies.humanoid.controller.target``.
            mask: shape (n,), runs that take their values; the others keep theirs (at first the
                scene's); None: all.

        Raises:
            SimulationError: if the key cannot differ within a batch; the message gives the reason.
            SceneError: if the key does not exist or does not allow a value.
        """
        what, table = self._table(key, values, self.n)
        runs, known = self._chosen(mask), self._known(what, table)
        self._shared.value[np.ix_(runs, self._columns[key])] = known.at(table[runs], self._load)
        self._unseen[runs] |= self.time[runs] == 0.0

    def prepare(self, key: str, values: npt.ArrayLike | Mapping[str, npt.ArrayLike]) -> None:
        """Make ``set`` fast for all values of a key between the least and the greatest of these.

        Args:
            key: as in ``set``; the runs keep their values.
            values: as in ``set``, with any number of rows.

        Raises:
            SimulationError: if the key cannot differ within a batch; the message gives the reason.
            SceneError: if the key does not exist or does not allow a value.
        """
        some = next(iter(values.values())) if isinstance(values, Mapping) else values
        self._known(*self._table(key, values, len(np.atleast_1d(some))))

    def close(self) -> None:
        """End the threads; no further step is possible."""
        self._pool.shutdown()
        self._closed = True

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _table(
        self, key: str, values: npt.ArrayLike | Mapping[str, npt.ArrayLike], n: int
    ) -> tuple[Key, Floats]:
        """Return a key and n of its values, shape (n, columns)."""
        if isinstance(values, Mapping):
            given = [finite(x, (n,), f"{key}.{name}") for name, x in values.items()]
            return Key(key, tuple(values), False), np.stack(given, axis=1)
        shape = (n, *np.shape(values)[1:2])
        table = finite(values, shape, f"values of {key}").reshape(n, -1)
        return Key(key, None, len(shape) == 1), table

    def _known(self, key: Key, table: Floats) -> Numbers:
        """Return the numbers that depend on a key; find them if new or if the range has grown."""
        known = self._numbers.get(key.name)
        if known is not None and known.key == key:
            if known.covers(table):
                return known
            table = np.vstack([table, known.low, known.high])
        found = self._numbers[key.name] = find_numbers(key, table, self._load)
        self._columns[key.name] = self._room(found)
        return found

    def _chosen(self, mask: npt.ArrayLike | None) -> Ints:
        """Return the numbers of the runs in a mask."""
        chosen = np.ones(self.n, bool) if mask is None else np.asarray(mask)
        if chosen.shape != (self.n,) or chosen.dtype != np.bool_:
            raise SimulationError(f"mask: expected {self.n} times True or False")
        return np.flatnonzero(chosen)

    def _room(self, numbers: Numbers) -> Ints:
        """Return columns of numbers among the differing ones; new ones start as in the scene."""
        at = [worker.find(numbers) for worker in self._workers]
        known = {int(entry): k for k, entry in enumerate(self._workers[0].entry)}
        columns = np.array([known.get(int(entry), -1) for entry in at[0]], np.int64)
        new = columns < 0
        columns[new] = len(known) + np.arange(new.sum())
        of_scene = read(self._load({}), numbers.array[new], numbers.place[new])
        value = np.hstack([self._shared.value, np.tile(of_scene, (self.n, 1))])
        self._shared.value = np.ascontiguousarray(value)
        for worker, entries in zip(self._workers, at, strict=True):
            worker.entry = np.concatenate([worker.entry, entries[new]])
        return columns

    def _begin(self) -> None:
        """Observe restarted runs as starts, so that touching points cause no impact."""
        if not self._unseen.any():
            return
        parts = np.array_split(np.flatnonzero(self._unseen), len(self._workers))
        for worker, part in zip(self._workers, parts, strict=True):
            self.failures |= worker.begin(part, self._shared)
        self._unseen[:] = False

    def _check(self, control: Floats | None, joints: Sequence[str] | None = None) -> None:
        """Reject steps that are not possible."""
        first = self._workers[0]
        if self._closed:
            raise SimulationError("the batch has been closed")
        if (control is None or joints is not None) and not first.commands:
            raise SimulationError(
                "a batch calls no Python, but a controller of this scene is Python: give tau"
            )

    def _run(
        self,
        control: Floats | None,
        given: Given,
        substeps: int,
        joints: Sequence[str] | None = None,
        cost: Cost | None = None,
    ) -> Rollout:
        self._check(control, joints)
        self._begin()
        self._screen.begin(self._shared.states)
        self._stepped[:] = True
        samples, wide = len(given.knot), 0 if control is None else control.shape[2]
        job = Job(
            samples=samples,
            substeps=substeps,
            control=np.zeros((self.n, samples, 0)) if control is None else control,
            given=given,
            applied=np.zeros((self.n, samples, wide)),
            cost=cost,
            costs=np.zeros(self.n),
            commands=Commands.CONTROLLERS
            if control is None
            else (Commands.GIVEN if joints is None else Commands.MIXED),
            seen=self._seen,
            sensors=np.zeros((self.n, samples, len(self._seen))),
            place=self._place,
            path=np.zeros((self.n, samples, len(self._place))),
            done=np.zeros(self.n, np.int64),
        )
        pieces = min(self.n, PIECES * len(self._workers)) if len(self._workers) > 1 else 1
        bounds = [self.n * k // pieces for k in range(pieces + 1)]
        # All threads share one list of pieces; each takes the next one when it is done.
        left = iter(list(pairwise(bounds)))
        calls = [partial(w.advance, left, self._shared, job) for w in self._workers]
        if len(calls) == 1 and self.n * samples * substeps <= BRIEF:
            self.failures |= calls[0]()
        else:
            for one in [self._pool.submit(call) for call in calls]:
                self.failures |= one.result()
        self._screen.see(self._shared.rows, self._shared.states, self.failures)
        moved = self._workers[0].choose(joints) if wide else slice(0)
        job.costs[self.failed | np.isnan(job.costs)] = np.inf
        return Rollout(job.path, job.sensors, job.applied[..., moved], job.costs)

    def _controls(self, controls: npt.ArrayLike, joints: Sequence[str] | None) -> Floats:
        """Return torques of all joints of the world, shape (n, T, n_joints)."""
        given = np.asarray(controls)
        samples = given.shape[1] if given.ndim == 3 else 1
        at, *_ = [worker.choose(joints) for worker in self._workers]
        all_joints = np.zeros((self.n, samples, len(self._workers[0].sim.driving.torque)))
        all_joints[:, :, at] = finite(controls, (self.n, samples, len(at)), "controls")
        return all_joints


def _load(
    scene: str | Path, overrides: dict[str, Any], contacts: int | None, more: Mapping[str, Any]
) -> StepperSimulator:
    sim = stepped(footfall.load(scene, overrides={**overrides, **more}))
    found, collider = sim.stepper.collisions, sim.world.collider
    if found is not None and collider is not None:
        most = contacts or max(LEAST_ROOM, ROOM * len(collider.shapes))
        if found.count > most:
            raise SimulationError(f"contacts: {found.count} at the start, room for {most}")
        found.fix_room(most)
    return sim
