"""``footfall.plan``: a trajectory of least cost from a state, and its receding horizon."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

import footfall
from footfall.api.plugin import Floats, Ints, SimulationError
from footfall_plan.gauss_newton import of_controls, riccati
from footfall_plan.sampling import Search
from footfall_stepper.api import StepperSimulator, stepped

METHODS = "cem", "mppi", "gauss_newton"
"""Names of the methods."""
SPREAD = 0.3
"""Spread of sampled torques, as a part of their limit."""
RENEWED = 0.3
"""Part of it with which ``step`` samples about the plan before."""
SHORTEST = 2.0**-10
"""Shortest step of a line search."""
SETTLED = 1e-3
"""Relative decrease of the cost below which Gauss and Newton's method ends."""
LEAST, WORST = 1e-6, 1e12
"""Least and greatest damping of its steps; beyond it ends."""
UNLIMITED = 1e15
"""Torque limit of motors without one."""


class Motors(NamedTuple):
    """The motors of a scene: their velocity dofs and torque limits [N m or N], shape (nu,)."""

    dofs: Ints
    limit: Floats


def motors_of(sim: StepperSimulator) -> Motors:
    """Return the motors in the order of their torques.

    Raises:
        SimulationError: if there are none.
    """
    motors = sim.driving.choose(None, sim.labels.joint)
    if not len(motors):
        raise SimulationError("plan: no joint of this scene has a motor")
    bodies = [body for body in sim.world.bodies if body.model.joint_names]
    limits = np.concatenate([sim.signals(body.name).torque_limits for body in bodies])
    dofs = np.flatnonzero(sim.world.topology.dof_q >= 0)[motors]
    return Motors(dofs, np.minimum(limits[motors], UNLIMITED))


def _whole(value: Any, name: str, least: int) -> int:
    """Return a whole number of at least ``least``.

    Raises:
        SimulationError: if it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise SimulationError(f"plan: {name} must be a whole number from {least} on: {value!r}")
    return int(value)


class Plan:
    """Controls and feedback gains of least cost from a state; ``footfall.plan`` makes one.

    Attributes:
        controls: shape (T, nu), torques along the states, [N m or N].
        states: shape (T + 1, nq + nv).
        gains: shape (T, nu, 2 nv), feedback about the states: ``u = controls + gains dx``.
        cost: of this trajectory; costs: of the best one after each iteration.
        time_step: length of a control, [s]; substeps: its number of steps.
    """

    def __init__(
        self,
        scene: str | Path,
        cost: Any,
        *,
        horizon: float,
        knots: int,
        method: str = "cem",
        iterations: int = 30,
        x0: npt.ArrayLike | None = None,
        controls: npt.ArrayLike | None = None,
        substeps: int | None = None,
        interpolation: str = "linear",
        hold: tuple[float, float] = (0.0, 0.0),
        spread: npt.ArrayLike = 0.0,
        runs: int | None = None,
        seed: int = 0,
        overrides: Mapping[str, Any] | None = None,
    ) -> None:
        """Load the scene and look for a trajectory; Ctrl-C ends it with the best so far.

        Args:
            scene: as in ``footfall.load``; every part of its step must be compiled.
            cost: a ``footfall.Cost``.
            horizon: time that is planned, [s].
            knots: number of knots of the torques in it.
            method: ``cem`` (cross-entropy) or ``mppi`` (path integrals) sample torques at the
                knots; ``gauss_newton`` finds those of every control by derivatives (a Riccati pass,
                a line search in parallel).
            iterations: greatest number of iterations.
            x0: shape (nq + nv,), state at the start; None: the scene's.
            controls: first guess, shape (knots, nu), or (T, nu) for ``gauss_newton``; None: zero.
            substeps: steps of a control; None: those between two knots.
            interpolation: of the knots, as in ``Batch.rollout``; not of ``gauss_newton``.
            hold: stiffness [N m/rad] and damping [N m s/rad] that hold the joints at the scene's
                start: in all samples, and in the first run of ``gauss_newton``.
            spread: standard deviation of sampled torques, shape () or (nu,); 0: 0.3 of their limit.
            runs: number of runs of an iteration; None: 64, of ``gauss_newton`` 11.
            seed: of the samples.
            overrides: as in ``footfall.load``.

        Raises:
            SimulationError: if an argument does not fit; if ``gauss_newton`` meets a step that has
                no derivatives; if every sampled run fails.
            SceneError: as in ``footfall.load``.
        """
        self._sim = sim = stepped(footfall.load(scene, overrides=overrides))
        if method not in METHODS:
            raise SimulationError(f"plan: method must be one of {', '.join(METHODS)}: {method!r}")
        if cost is None:
            raise SimulationError("plan: give a footfall.Cost")
        newton = method == METHODS[-1]
        self._runs = (11 if newton else 64) if runs is None else runs
        for name, value in (("knots", knots), ("runs", self._runs), ("substeps", substeps)):
            if value is not None:
                _whole(value, name, 1)
        samples = self._divide(horizon, knots, substeps)
        self.method, self._cost, self._damping, self.costs = method, cost, 0.0, list[float]()
        self._rng = np.random.default_rng(_whole(seed, "seed", 0))
        self._given = {"horizon": samples, "interpolation": "zero" if newton else interpolation}
        self._make, self._time = partial(footfall.Batch, scene, overrides=overrides), 0.0
        self._open()
        motors, nv = motors_of(sim), sim.world.nv
        each, nu = np.arange(len(motors.dofs)), len(motors.dofs)
        self.gains = self._held = np.zeros((samples, nu, 2 * nv))
        stiffness, damping = self._known(hold, (2,), "hold")
        self._held[:, each, motors.dofs] = -stiffness
        self._held[:, each, nv + motors.dofs] = -damping
        self._start = start = np.concatenate([sim.q, sim.v])
        self.states = self._reference = np.tile(start, (samples + 1, 1))
        self._start = start if x0 is None else self._known(x0, start.shape, "x0")
        shape = (samples if newton else knots), nu
        mean = np.zeros(shape) if controls is None else self._known(controls, shape, "controls")
        wide = self._spread(spread, motors.limit)
        wide = np.tile(wide, (len(mean), 1))
        self._search = Search(mean, wide, wide, motors.limit, mean)
        self._take(self._roll(np.tile(mean, (self._runs, 1, 1))), 0)
        self.improve(iterations)

    def _divide(self, horizon: float, knots: int, substeps: int | None) -> int:
        """Divide a horizon [s] into controls; return their number."""
        steps = float(self._known(horizon, (), "horizon")) / self._sim.time_step
        self.substeps = substeps or max(1, round(steps / knots))
        self.time_step = self.substeps * self._sim.time_step
        samples = round(steps / self.substeps)
        if samples < knots:
            raise SimulationError(f"plan: {knots} knots do not fit into a horizon of {horizon} s")
        return samples

    def _open(self) -> None:
        """Make the batches: of all runs, and of the one that is differentiated."""
        self._batch = self._make(self._runs)
        self._one = self._make(1) if self.method == METHODS[-1] else self._batch

    def _spread(self, given: npt.ArrayLike, limit: Floats) -> Floats:
        """Return the spread of sampled torques, shape (nu,); by default a part of their limits."""
        spread = np.full(len(limit), given) if np.ndim(given) == 0 else given
        wide = self._known(spread, limit.shape, "spread")
        if (wide < 0.0).any():
            raise SimulationError("plan: spread: no number may be below 0")
        wide = np.where(wide > 0.0, wide, SPREAD * limit)
        if self.method != METHODS[-1] and wide.max(initial=0.0) >= SPREAD * UNLIMITED:
            raise SimulationError("plan: spread: give that of torques, for motors without a limit")
        return wide

    def _known(self, values: npt.ArrayLike, shape: tuple[int, ...], name: str) -> Floats:
        try:
            given = np.array(values, float)
        except (TypeError, ValueError):
            given = np.full(shape, np.nan)
        if given.shape != shape or not np.isfinite(given).all():
            raise SimulationError(f"plan: {name}: expected finite numbers of the shape {shape}")
        return given

    def _roll(self, knots: Floats, gains: Floats | None = None) -> Any:
        """Return runs with gains about the present states, by default with ``hold``."""
        K, x = (self._held, self._reference) if gains is None else (gains, self.states)
        options = {"gains": K, "reference": x, "limits": self._search.limit, "cost": self._cost}
        options |= self._given | {"time": np.full(self._runs, self._time)}
        return self._batch.rollout(self._start, knots, self.substeps, **options)

    def _take(self, run: Any, best: int) -> None:
        self.cost, self.controls = float(run.cost[best]), run.controls[best].copy()
        self.states = np.vstack([self._start, run.states[best]])

    def improve(self, iterations: int = 1) -> Self:
        """Look for a better trajectory from the present one; Ctrl-C ends it with the best so far.

        Args:
            iterations: greatest number of iterations.
        """
        try:
            self._iterate(iterations)
        except KeyboardInterrupt:
            for batch in (self._batch, self._one):
                batch.close()  # waits for its threads
            self._open()
        return self

    def _iterate(self, iterations: int) -> None:
        """Make iterations while they find something."""

        def line(seconds: float) -> str:
            return f"plan: {len(self.costs)} iterations, cost {self.cost:.6g}, {seconds:.0f} s"

        iterate = self._descend if self.method == METHODS[-1] else self._sample
        with footfall.progress_lines(line):
            for _ in range(_whole(iterations, "iterations", 0)):
                goes_on = iterate()
                self.costs.append(self.cost)
                if not goes_on:
                    break

    def step(self, x: npt.ArrayLike, iterations: int = 1) -> Floats:
        """Plan from a state that is one control later, and return the torques for it, (nu,).

        The plan before is shifted by a control, and its end repeated. Between knots a shift blurs:
        sampling methods go on best with as many knots as controls. Ctrl-C is raised.

        Args:
            x: shape (nq + nv,), the state.
            iterations: as in ``improve``.
        """
        self._start, search = self._known(x, self._start.shape, "x"), self._search
        self._time += self.time_step
        if self.method == METHODS[-1]:
            former = self.controls, self.states, self.gains
            search.mean, self.states, self.gains = (np.append(a[1:], a[-1:], 0) for a in former)
            self._take(self._roll(np.tile(search.mean, (self._runs, 1, 1)), self.gains), 0)
        else:
            at = np.linspace(0.0, len(self.controls) - 1.0, len(search.mean))
            search.mean, search.best = (
                np.transpose([np.interp(at + 1.0, at, one) for one in knots.T])
                for knots in (search.mean, search.best)
            )
            search.spread, self.cost = RENEWED * search.first, np.inf
        self._iterate(iterations)
        return np.asarray(self.controls[0])

    def _sample(self) -> bool:
        """Make one iteration of a sampling method."""
        knots = self._search.draw(self._rng, self._runs)
        run = self._roll(knots)
        best = int(np.argmin(run.cost))
        if np.isinf(run.cost[best]):
            raise SimulationError("plan: every run fails or costs infinity: lower the spread")
        self._search.learn(self.method, knots, run.cost)
        if run.cost[best] < self.cost:
            self._take(run, best)
        return True

    def _descend(self) -> bool:
        """Make one iteration of Gauss and Newton's method; return whether to go on."""
        nq, tau = len(self._sim.q), np.repeat(self.controls, self.substeps, axis=0)
        self._one.reset(None, self._start[None, :nq], self._start[None, nq:], [self._time])
        A, B = of_controls(self._one.derivatives(tau[None]), self.substeps)
        linear = self._cost.linear(self._sim, self.states[1:], self.controls)
        limit, before = self._search.limit, self.cost
        room = -limit - self.controls, limit - self.controls
        lengths = np.geomspace(1.0, SHORTEST, self._runs)[:, None, None]
        while self._damping < WORST:
            found = riccati(A, B, linear, self.time_step, room, self._damping)
            run = self._roll(self.controls + lengths * found.step, found.gains)
            best = int(np.argmin(run.cost))
            if run.cost[best] < before:
                self._take(run, best)
                self.gains, self._damping = found.gains, self._damping / 10.0
                return before - self.cost > SETTLED * abs(before)
            self._damping = max(LEAST, 10.0 * self._damping)
        self._damping = 0.0
        return False
