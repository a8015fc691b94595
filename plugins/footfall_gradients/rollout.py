"""Reverse mode through a rollout: states are saved now and then, steps between them made again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

import footfall
from footfall.api.errors import SimulationError
from footfall.api.plugin import Floats
from footfall_gradients.derivatives import Derivatives, of_parts, of_whole_step
from footfall_gradients.parameters import known_slopes
from footfall_gradients.parts import PartWise
from footfall_gradients.refusals import unsupported


class Gradient(NamedTuple):
    """The gradient of a function of all states of a rollout.

    Attributes:
        q, v: shape (nv,), by the state at the start.
        tau: shape (T, joints), by the torques of each step.
        parameters: shape (parameters,).
        least_margin: how near a contact of any step was to another mode, [m/s].
    """

    q: Floats
    v: Floats
    tau: Floats
    parameters: Floats
    least_margin: float


class Rollout:
    """A run of T steps from the state that a simulator is in, and its vector-Jacobian products.

    About sqrt(T) states are saved; the steps between two of them are made again when they are
    needed, so that memory grows with sqrt(T), and each step is made twice.

    Attributes:
        q: shape (T + 1, nq), positions; v: shape (T + 1, nv), velocities.
    """

    def __init__(
        self,
        sim: footfall.Simulator,
        steps: int,
        tau: Floats | None = None,
        *,
        parameters: Sequence[str] = (),
    ) -> None:
        """Make the steps; the simulator is at the end of them then.

        Args:
            sim: of a scene whose steps have derivatives.
            steps: T.
            tau: shape (T, joints), torques instead of the scene's controllers. None: these act;
                how their commands follow the state is not differentiated.
            parameters: keys of the scene, as of ``footfall.derivatives``.

        Raises:
            SimulationError: if steps have no derivatives, or ``tau`` does not fit.
        """
        if not isinstance(sim, footfall.Simulator):
            raise SimulationError(f"rollout: takes a simulator (footfall.load), not {sim!r}")
        if isinstance(parameters, str):
            raise SimulationError(f"rollout: parameters is a list of keys, not {parameters!r}")
        if reason := unsupported(sim):
            raise SimulationError(f"rollout: {reason}")
        if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
            raise SimulationError(f"rollout: steps must be a whole number from 1 on, not {steps!r}")
        if tau is not None and (np.ndim(tau) != 2 or len(tau) != steps):
            raise SimulationError(
                f"rollout: tau has the shape {np.shape(tau)}, not ({steps}, joints)"
            )
        self._sim, self._tau = sim, None if tau is None else np.array(tau, float)
        self._keys, self._stride = tuple(parameters), max(1, int(np.sqrt(steps)))
        self.q, self.v = np.zeros((steps + 1, len(sim.q))), np.zeros((steps + 1, sim.world.nv))
        self._saved, self._split = [], False
        for t in range(steps):
            if t % self._stride == 0:
                self._saved.append(sim.state.copy())
            self.q[t], self.v[t] = sim.q, sim.v
            self._step(t)
            self._split = self._split or bool(sim.signal("impact_splits") > 0)
        self.q[steps], self.v[steps] = sim.q, sim.v

    def _step(self, t: int) -> None:
        self._sim.step(None if self._tau is None else self._tau[t])

    @contextmanager
    def _watched(self) -> Iterator[PartWise | None]:
        """Watch the parts of steps, if impacts have split one."""
        sim = self._sim
        if not self._split:
            yield None
            return
        parts = PartWise(sim, known_slopes(sim, self._keys), len(self._keys))
        sim.watch_parts(parts)
        try:
            yield parts
        finally:
            sim.watch_parts(None)

    def jacobians(self, first: int, last: int) -> list[Derivatives]:
        """Return the Jacobians of the steps from first to before last; none is kept.

        Raises:
            SimulationError: if one of them has none; says why.
        """
        with self._watched() as parts:
            return self._jacobians(first, last, parts)

    def _jacobians(self, first: int, last: int, parts: PartWise | None) -> list[Derivatives]:
        sim, end, found = self._sim, self._sim.state.copy(), list[Derivatives]()
        arrays, more, begin = known_slopes(sim, self._keys), len(self._keys), first // self._stride
        try:
            sim.state.restore(self._saved[begin])
            for t in range(begin * self._stride, last):
                if parts is not None:
                    parts.begin()
                self._step(t)
                if t >= first:
                    one = of_whole_step(sim, arrays, more) if parts is None else of_parts(parts)
                    found.append(one)
        finally:
            sim.state.restore(end)
        return found

    def sensitivities(self, dv: Floats | None = None, dq: Floats | None = None) -> Floats:
        """Return the derivative of every state by parameters, and by directions of the start.

        For Gauss and Newton's method: forward mode, a column a direction.

        Args:
            dv: shape (nv, n), directions of the velocity at the start; None: none.
            dq: shape (nv, n), of the position's tangent coordinates; None: zeros.

        Returns:
            Shape (T + 1, 2 nv, n + parameters), rows: tangent coordinates, then velocities.

        Raises:
            SimulationError: if a step has no derivative, or the shapes do not fit.
        """
        steps, nv = len(self.q) - 1, self._sim.world.nv
        given = next((np.asarray(g, float) for g in (dv, dq) if g is not None), np.zeros((nv, 0)))
        start = [np.zeros_like(given) if g is None else np.asarray(g, float) for g in (dq, dv)]
        if any(part.shape != given.shape for part in start) or given.shape[:1] != (nv,):
            raise SimulationError(f"rollout: directions have the shape ({nv}, n)")
        directions, parameters = given.shape[1], len(self._keys)
        out = np.zeros((steps + 1, 2 * nv, directions + parameters))
        out[0, :, :directions] = np.vstack(start)
        with self._watched() as parts:
            for first in range(0, steps, self._stride):
                last = min(first + self._stride, steps)
                found = self._jacobians(first, last, parts)
                for t, step in zip(range(first, last), found, strict=True):
                    out[t + 1] = step.state @ out[t]
                    out[t + 1, :, directions:] += step.parameters
        return out

    def vjp(self, dq: Floats, dv: Floats) -> Gradient:
        """Return the gradient by the start, torques and parameters, of that by all states.

        Args:
            dq: shape (T + 1, nv), gradient by the positions' tangent coordinates (see
                ``footfall.derivatives``); or (nv,), by those of the last state.
            dv: shape (T + 1, nv) or (nv,), gradient by the velocities.

        Raises:
            SimulationError: if a step has no derivative, or the shapes do not fit.
        """
        steps, nv = len(self.q) - 1, self._sim.world.nv
        given = [np.asarray(g, float) for g in (dq, dv)]
        if any(g.shape not in ((nv,), (steps + 1, nv)) for g in given):
            raise SimulationError(
                f"rollout: gradients have the shape ({nv},) or ({steps + 1}, {nv})"
            )
        q_at, v_at = (g if g.ndim == 2 else np.vstack([np.zeros((steps, nv)), g]) for g in given)
        of_q, of_v, margin = q_at[steps].copy(), v_at[steps].copy(), np.inf
        tau, total = list[Floats](), np.zeros(len(self._keys))
        with self._watched() as parts:
            for first in reversed(range(0, steps, self._stride)):
                last = min(first + self._stride, steps)
                found = self._jacobians(first, last, parts)
                for t, step in zip(reversed(range(first, last)), reversed(found), strict=True):
                    of_q, of_v, of_tau, of_p = step.vjp(of_q, of_v)
                    of_q, of_v, total = of_q + q_at[t], of_v + v_at[t], total + of_p
                    margin = min(margin, step.least_margin)
                    tau.append(of_tau)
        return Gradient(of_q, of_v, np.array(tau[::-1]), total, margin)
