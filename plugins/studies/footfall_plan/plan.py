"""``footfall.plan``: a trajectory of least cost from a state, and its receding horizon."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

import footfall
from footfall.api.plugin import Floats, SimulationError
from footfall_plan.gauss_newton import of_controls, riccati
from footfall_plan.sampling import Search
from footfall_stepper.api import stepped

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


class Plan:
    """The best trajectory found so far; ``improve`` and ``step`` go on from it.

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
        """Load the scene and make the first run; arguments as in ``plan``."""
        self._sim = sim = stepped(footfall.load(scene, overrides=overrides))
        if method not in METHODS:
            raise SimulationError(f"plan: method must be one of {', '.join(METHODS)}: {method!r}")
        newton = method == METHODS[-1]
        self._runs = runs = runs or (11 if newton else 64)
        for name, value in (("knots", knots), ("runs", runs), ("substeps", substeps or 1)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise SimulationError(f"plan: {name} must be a whole number from 1 on: {value!r}")
        steps = float(self._known(horizon, (), "horizon")) / sim.time_step
        self.substeps = substeps or max(1, round(steps / knots))
        samples = round(steps / self.substeps)
        if samples < knots:
            raise SimulationError(f"plan: {knots} knots do not fit into a horizon of {horizon} s")
        self.method, self._cost, self.time_step = method, cost, self.substeps * sim.time_step
        self._make = partial(footfall.Batch, scene, overrides=overrides)
        self._batch, self._time = self._make(runs), 0.0
        self._one = self._make(1) if newton else self._batch
        self._given = {"horizon": samples, "interpolation": "zero" if newton else interpolation}
        self._rng, self._damping, self.costs = np.random.default_rng(seed), 0.0, list[float]()
        motors = sim.driving.choose(None, sim.labels.joint)
        bodies = [body for body in sim.world.bodies if body.model.joint_names]
        limits = [sim.signals(body.name).torque_limits for body in bodies]
        limit = np.minimum(np.concatenate([*limits, np.zeros(0)])[motors], UNLIMITED)
        if not len(motors):
            raise SimulationError("plan: no joint of this scene has a motor")
        nu, nv, count = len(motors), sim.world.nv, samples if newton else knots
        dofs = np.flatnonzero(sim.world.topology.dof_q >= 0)[motors]
        self.gains = self._held = np.zeros((samples, nu, 2 * nv))
        stiffness, damping = self._known(hold, (2,), "hold")
        self._held[:, np.arange(nu), dofs] = -stiffness
        self._held[:, np.arange(nu), nv + dofs] = -damping
        self._start = start = np.concatenate([sim.q, sim.v])
        self.states = self._reference = np.tile(start, (samples + 1, 1))
        self._start = start if x0 is None else self._known(x0, start.shape, "x0")
        mean = np.zeros((count, nu))
        if controls is not None:
            mean = self._known(controls, mean.shape, "controls")
        wide = np.full(nu, spread) if np.ndim(spread) == 0 else spread
        wide = self._known(wide, (nu,), "spread")
        wide = np.tile(np.where(wide > 0.0, wide, SPREAD * limit), (count, 1))
        if not newton and wide.max(initial=0.0) >= SPREAD * UNLIMITED:
            raise SimulationError("plan: spread: give that of torques, for motors without a limit")
        self._search = Search(mean, wide, wide, limit, mean)
        self._take(self._roll(np.tile(mean, (runs, 1, 1))), 0)

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

        def line(seconds: float) -> str:
            return f"plan: {len(self.costs)} iterations, cost {self.cost:.6g}, {seconds:.0f} s"

        iterate = self._descend if self.method == METHODS[-1] else self._sample
        try:
            with footfall.progress_lines(line):
                for _ in range(iterations):
                    goes_on = iterate()
                    self.costs.append(self.cost)
                    if not goes_on:
                        break
        except KeyboardInterrupt:
            for batch in (self._batch, self._one):
                batch.close()  # waits for its threads
            self._batch, self._one = self._make(self._runs), self._make(1)
        return self

    def step(self, x: npt.ArrayLike, iterations: int = 1) -> Floats:
        """Plan from a state that is one control later, and return the torques for it, (nu,).

        The plan before is shifted by a control, and its end repeated. Between knots a shift blurs:
        sampling methods go on best with as many knots as controls.

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
        return np.asarray(self.improve(iterations).controls[0])

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


def plan(
    scene: str | Path,
    cost: Any,
    *,
    horizon: float,
    knots: int,
    method: str = "cem",
    iterations: int = 30,
    **options: Any,
) -> Plan:
    """Find controls and feedback gains of least cost from a state.

    Args:
        scene: as in ``footfall.load``; every part of its step must be compiled.
        cost: a ``footfall.Cost``.
        horizon: time that is planned, [s].
        knots: number of knots of the torques in it.
        method: ``cem`` (cross-entropy) or ``mppi`` (path integrals) sample torques at the knots;
            ``gauss_newton`` finds those of every control by derivatives (a Riccati pass, a line
            search in parallel).
        iterations: greatest number of iterations.
        **options: ``x0``, shape (nq + nv,), state at the start, by default the scene's;
            ``controls``, first guess, shape (knots, nu), or (T, nu) for ``gauss_newton``;
            ``substeps``, steps of a control, by default those between two knots;
            ``interpolation`` of the knots, as in ``Batch.rollout``; ``hold``, stiffness [N m/rad]
            and damping [N m s/rad] that hold the joints at the start while torques are sampled;
            ``spread`` of sampled torques, shape () or (nu,), by default 0.3 of their limits;
            ``runs`` of an iteration, ``seed``, ``overrides`` of the scene.

    Returns:
        The plan; its ``step`` makes the next one.

    Raises:
        SimulationError: if an argument does not fit; if ``gauss_newton`` meets a step that has no
            derivatives; if every sampled run fails.
        SceneError: as in ``footfall.load``.
    """
    plan = Plan(scene, cost, horizon=horizon, knots=knots, method=method, **options)
    return plan.improve(iterations)
