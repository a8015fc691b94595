"""``footfall.Cost``: weighted norms of named quantities along a rollout."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

import footfall
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Floats, Ints, SimulationError, nearest
from footfall_batch.controls import UNIT
from footfall_batch.kernels.cost import WIDE, CostArrays, States, measure_states
from footfall_stepper.api import Phase, StepperSimulator, World, places, stepped

Function: TypeAlias = tuple[Callable[..., Any], int]
"""A kernel ``f(q, v, tau, row, out)`` that writes numbers to out, and how many."""
OF_FRAME = {"position": 0, "orientation": 3, "velocity": 6, "turning": 9}
"""Quantities of a frame, (3,): their first number in a spot."""
OF_BODY = {"com": 0, "com_velocity": 6, "joints": 0, "joint_velocities": 1}
"""Quantities of a body: first number of its mass centre's in a spot; 1 for velocities of joints."""
UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])
"""Quaternion without rotation."""
NORMS = {"square": math.inf, "value": 0.0}
"""Widths of named norms."""
SMALL = 1e-5
"""Change of the state between which residuals are compared, [m, rad, m/s, rad/s, N m]."""


class Term(NamedTuple):
    """One term of a cost: the norm of a quantity less its target, times the weight.

    Attributes:
        name: quantity, see ``Cost``.
        final: whether it counts after the last control only.
        weight: one number, or one for each entry.
        target: the same; or shape (T, entries), one row for each control; of an orientation the
            quaternion x y z w.
        width: infinite for squares, 0 for the value itself, otherwise the width of the norm.
    """

    name: str
    final: bool
    weight: Floats
    target: Floats
    width: float


@dataclass(frozen=True, slots=True)
class Linear:
    """Residuals of states and their Jacobians, see ``Cost.linear``.

    Attributes:
        residual: shape (m, r); state: shape (m, r, 2 nv); control: shape (m, r, nu).
        running, final: shape (r,), weights of the residuals; width: shape (r,), see ``Term``.
    """

    residual: Floats
    state: Floats
    control: Floats
    running: Floats
    final: Floats
    width: Floats

    def weighed(self, length: float) -> tuple[Floats, Floats, Floats]:
        """Return the cost of each control, and its derivatives by the residuals.

        The second is Gauss and Newton's, ``weight / sqrt(1 + (r / d)^2)``.

        Args:
            length: of a control, [s]; the last state has the final cost, too.

        Returns:
            Shapes (m,), (m, r), (m, r).
        """
        weight, r = np.tile(length * self.running, (len(self.residual), 1)), self.residual
        weight[-1] += self.final
        plain, square = self.width == 0.0, np.isinf(self.width)
        d = np.where(plain | square, 1.0, self.width)
        root = np.where(square, 1.0, np.sqrt(1.0 + (r / d) ** 2))
        second = np.where(plain, 0.0, weight / root)
        first = np.where(plain, weight, second * r)
        value = np.where(plain, r, np.where(square, 0.5 * r * r, d * d * (root - 1.0)))
        return (weight * value).sum(axis=1), first, second


class Cost:
    """A sum of terms, ``weight * norm(quantity - target)``: along the run, and at its end.

    ::

        cost = footfall.Cost(
            running={"torque": 1e-3, "box.position": (2.0, [0.5, 0.2, 0.03])},
            final={"hand.orientation": (10.0, [0, 0, 0, 1]), "hand.com": ([0, 0, 9], 0.4)},
        )

    Running terms count after each control, times its length: weights do not depend on the number of
    controls. Final ones count once. A run that fails, or whose cost is not a number, costs inf.

    Quantities, (3,), world axes: ``NAME.position``, ``.velocity``, ``.turning`` (angular velocity),
    ``.orientation`` (rotation vector from the target, along the target's axes), with the NAME of a
    body, link, foot or named frame, or ``body/link``; ``BODY.com``, ``BODY.com_velocity``. Others:
    ``BODY.joints``, ``BODY.joint_velocities``; ``torque``, (nu,), of the control; and each recorded
    variable, as ``contact_force``, of a control's last step.

    Attributes:
        terms: its terms, running ones first.
        functions: kernels by name.
    """

    def __init__(
        self,
        running: Mapping[str, Any] | None = None,
        final: Mapping[str, Any] | None = None,
        *,
        functions: Mapping[str, Function] | None = None,
    ) -> None:
        """Read the terms.

        Args:
            running: by quantity its weight; or (weight, target); or (weight, target, norm). Norms
                of a residual r: ``square``, ``r^2 / 2``; or a width d (pseudo-Huber),
                ``d^2 (sqrt(1 + (r / d)^2) - 1)``; or ``value``, r itself.
            final: the same.
            functions: quantities of your own by name: a ``footfall.api.kernels.kernel``
                ``f(q, v, tau, row, out)`` that writes numbers to out, and their number. ``row`` is
                the recording's of the last step.

        Raises:
            SimulationError: if there is no term, or a term is not of this form, or not finite.
        """
        self.functions = dict(functions or {})
        for name, given in self.functions.items():
            if not (isinstance(given, tuple) and len(given) == 2 and callable(given[0])):
                raise SimulationError(f"cost: {name}: give a kernel and the number of its values")
        self._meter: Meter | None = None
        if not all(isinstance(terms or {}, Mapping) for terms in (running, final)):
            raise SimulationError("cost: running and final are tables of terms by their names")
        self.terms = [
            _term(name, final, given)
            for final, terms in ((False, running), (True, final))
            for name, given in (terms or {}).items()
        ]
        if not self.terms:
            raise SimulationError("cost: no terms")

    def linear(
        self, sim: StepperSimulator, states: npt.ArrayLike, torques: npt.ArrayLike
    ) -> Linear:
        """Return the residuals of states and their Jacobians on the manifold, by differences.

        Central differences of the compiled residuals, right to about 1e-9 of their size.

        Args:
            sim: simulator whose state is used and restored.
            states: shape (m, nq + nv); targets by control take their rows in order.
            torques: shape (m, nu).

        Raises:
            SimulationError: if arrays do not fit, a name means nothing, a term is a recorded
                variable, or a function reads the row.
        """
        if self._meter is None or self._meter.sim is not sim:
            self._meter = Meter(stepped(sim), self)
        meter, x, tau = self._meter, np.asarray(states, float), np.asarray(torques, float)
        if meter.recorded:
            raise SimulationError(f"cost: {meter.recorded} is recorded and has no derivative")
        wide, m, nu = 2 * sim.world.nv, len(x), len(sim.driving.motors)
        if tau.shape != (m, nu):
            raise SimulationError(f"cost: torques have shape {tau.shape}, expected {(m, nu)}")
        meter.priced(1.0, m)
        steps = SMALL * np.vstack([np.zeros(wide), np.eye(wide), -np.eye(wide)])
        moved = footfall.integrate(sim, x, steps[:, None])
        found = meter.residuals(moved, np.broadcast_to(tau, (len(steps), m, nu)))
        turns = SMALL * np.vstack([np.eye(nu), -np.eye(nu)])
        turned = meter.residuals(np.broadcast_to(x, (2 * nu, *x.shape)), tau + turns[:, None])
        if not (np.isfinite(found).all() and np.isfinite(turned).all()):
            raise SimulationError("cost: residuals are not finite, or a function reads the row")
        state, control = (
            np.moveaxis(up - down, 0, 2) / (2.0 * SMALL)
            for up, down in (np.split(found[1:], 2), np.split(turned, 2))
        )
        return Linear(found[0], state, control, *meter.weights, meter.arrays.width)

    def gradient(
        self, sim: StepperSimulator, run: Any, torques: npt.ArrayLike, substeps: int = 1
    ) -> tuple[float, Floats, Floats]:
        """Return the cost of a run and its gradient, by the adjoint of its steps.

        Args:
            sim: the run's simulator.
            run: a ``footfall.Rollout`` of T times ``substeps`` steps.
            torques: shape (T, nu), of each control.
            substeps: number of steps of a control.

        Returns:
            The cost; shape (2 nv,), by tangent coordinates and velocities of the start; (T, nu).

        Raises:
            SimulationError: as in ``linear``; or if a step has no derivative.
        """
        nv, x = sim.world.nv, np.hstack([run.q, run.v])
        found, slope = self.linear(sim, x[substeps::substeps], torques), np.zeros((len(x), 2 * nv))
        value, first, _ = found.weighed(substeps * sim.time_step)
        slope[substeps::substeps] = (first[:, None] @ found.state)[:, 0]
        back = run.vjp(slope[:, :nv], slope[:, nv:])
        by_tau = back.tau.reshape(len(found.control), substeps, -1).sum(axis=1)
        by_tau += (first[:, None] @ found.control)[:, 0]
        return float(value.sum()), np.concatenate([back.q, back.v]), by_tau


class Meter:
    """The residuals of a cost in one world.

    Attributes:
        sim: the world's simulator; its state is used; cost: the cost.
        arrays: of the residuals.
        weights: running and final weights, shape (r,) each.
        recorded: first term that is a recorded variable, or empty.
    """

    def __init__(self, sim: StepperSimulator, cost: Cost) -> None:
        """Find the quantities; raises ``SimulationError`` as ``Cost.linear``."""
        self.sim, self.cost, self.recorded, self._known = sim, cost, "", frames_of(sim.world)
        self._spots = list[tuple[tuple[int, int, int], Floats, Floats]]()
        terms, functions = cost.terms, cost.functions
        found = [self._find(term, functions) for term in terms]
        q, v, torque, program = sim.q, sim.v, sim.driving.torque, sim.stepper.program
        row = np.full(sim.layout.width if self.recorded or functions else 0, np.nan)
        counts = len(q) + len(v) + len(torque), len(row), WIDE * len(self._spots)
        starts = np.cumsum([0, *counts, *(count for _, count in functions.values())])
        value = np.zeros(starts[-1])
        self._calls = [program.alone(Phase.EVALUATE)] if self._spots else []
        for name, (first, end) in zip(functions, pairwise(starts[3:]), strict=True):
            try:
                bound = bind(functions[name][0], q, v, torque, row, value[first:end])
            except AttributeError as error:
                raise SimulationError(f"cost: {name} is no footfall.api.kernels.kernel") from error
            self._calls.append(program.stage(bound))
        places = [starts[block] + place for block, place in found]
        sizes = [len(place) for place in places]
        sized = list(zip(terms, sizes, strict=True))
        weight = np.concatenate([_fitting(term, term.weight, n) for term, n in sized])
        targets = [_fitting(term, term.target, n) for term, n in sized]
        rows = {len(target) for target in targets if target.ndim == 2} or {1}
        if len(rows) > 1:
            raise SimulationError(f"cost: targets of {sorted(rows)} controls")
        final = np.repeat([term.final for term in terms], sizes)
        self.weights = weight * ~final, weight * final
        links, frames, goals = zip(*self._spots, strict=True) if self._spots else ((), (), ())
        self.arrays = CostArrays(
            *(q, v, torque, row),
            stage=np.array([(c.function, c.frame) for c in self._calls], np.int64).reshape(-1, 2),
            value=value,
            at=starts[1:3],
            link=np.array(links, np.int64).reshape(-1, 3),
            frame=np.array(frames).reshape(-1, 12),
            goal=np.array(goals).reshape(-1, 4),
            turn=np.zeros(4),
            source=np.concatenate(places),
            target=np.hstack([np.broadcast_to(t, (*rows, t.shape[-1])) for t in targets]),
            weight=np.zeros((2, len(weight))),
            width=np.repeat([term.width for term in terms], sizes),
            residual=np.zeros(len(weight)),
        )

    def _find(self, term: Term, functions: Mapping[str, Function]) -> tuple[int, Ints]:
        """Return the block of a quantity among all, and its places there."""
        sim, world, name = self.sim, self.sim.world, term.name
        nq, (path, _, what) = len(sim.q), name.rpartition(".")
        bodies = {body.name: k for k, body in enumerate(world.bodies)}
        if name in functions:
            return 3 + list(functions).index(name), np.arange(functions[name][1])
        if name == "torque":
            return 0, nq + len(sim.v) + sim.driving.choose(None, sim.labels.joint)
        if what in OF_FRAME and path in self._known:
            link, pose = self._known[path]
            goal = _quaternion(term) if what == "orientation" else UPRIGHT
            self._spots.append(((link, link + 1, 0), pose, goal))
            return 2, WIDE * (len(self._spots) - 1) + OF_FRAME[what] + np.arange(3)
        if what in OF_BODY and path in bodies:
            if what.startswith("com"):
                first, end = world.topology.tree_link[bodies[path] : bodies[path] + 2]
                self._spots.append(((first, end, 1), np.eye(4)[:3].T.ravel(), UPRIGHT))
                return 2, WIDE * (len(self._spots) - 1) + OF_BODY[what] + np.arange(3)
            dofs = np.arange(len(sim.v))[world.v_slice(bodies[path])]
            dofs = dofs[world.topology.dof_q[dofs] >= 0]
            return 0, nq + dofs if OF_BODY[what] else world.topology.dof_q[dofs]
        if name in sim.variables:
            self.recorded = self.recorded or name
            return 1, sim.recorded.columns(name).ravel()
        pairs = [(p, w) for p in self._known for w in OF_FRAME]
        known = [f"{p}.{w}" for p, w in (*pairs, *((b, w) for b in bodies for w in OF_BODY))]
        raise SimulationError(f"cost: no quantity {name!r}{nearest(name, ['torque', *known])}")

    def priced(self, length: float, samples: int) -> CostArrays:
        """Return the arrays for a rollout of controls of a length, [s]."""
        rows = len(self.arrays.target)
        if rows not in (1, samples):
            raise SimulationError(f"cost: targets of {rows} controls, but there are {samples}")
        self.arrays.weight[:] = length * self.weights[0], self.weights[1]
        return self.arrays

    def residuals(self, states: Floats, torques: Floats) -> Floats:
        """Return the residuals of states, shape (..., r)."""
        sim, nq = self.sim, len(self.sim.q)
        count = states[..., 0].size
        x, tau = states.reshape(count, states.shape[-1]), torques.reshape(count, torques.shape[-1])
        every = np.zeros((count, len(sim.driving.torque)))
        every[:, sim.driving.choose(None, sim.labels.joint)] = tau
        found, world = np.zeros((count, len(self.arrays.source))), sim.world
        q, v = np.ascontiguousarray(x[:, :nq]), np.ascontiguousarray(x[:, nq:])
        before = sim.state.copy()
        arrays = world.topology, world.joints, world.dynamics, self.arrays
        measure_states(table_of(*arrays, States(q, v, every, found)))
        sim.state.restore(before)
        sim.stepper.ahead.clear()
        return found.reshape(*states.shape[:-1], found.shape[1])


def frames_of(world: World) -> dict[str, tuple[int, Floats]]:
    """Return link and pose in it, shape (12,), of each frame, by ``body/frame`` and by one name."""
    topology, found = world.topology, dict[str, tuple[int, Floats]]()
    short = [name for body in world.bodies for name in places(body)]
    for tree, body in enumerate(world.bodies):
        found[body.name] = int(topology.root_link[tree]), topology.root_frame[tree]
        for name, at in places(body).items():
            pose = np.concatenate([at.rotation.T.ravel(), at.translation])
            found[f"{body.name}/{name}"] = int(topology.tree_link[tree]) + at.link, pose
            if short.count(name) == 1:
                found.setdefault(name, found[f"{body.name}/{name}"])
    return found


def _term(name: str, final: bool, given: Any) -> Term:
    parts: list[Any] = list(given) if isinstance(given, tuple) else [given]
    defaults: list[Any] = [None, 0.0, "square"]
    try:
        weight, target, norm = parts + defaults[len(parts) :]
        width = NORMS[norm] if isinstance(norm, str) else float(norm)
        if not isinstance(norm, str) and width == 0.0:
            raise ValueError("a width of 0")
        term = Term(name, final, np.asarray(weight, float), np.asarray(target, float), width)
    except (TypeError, ValueError, KeyError) as error:
        raise SimulationError(
            f"cost: {name}: give a weight, (weight, target) or (weight, target, norm), with a norm "
            f"square, value or a width; got {given!r}"
        ) from error
    if not (np.isfinite([*term.weight.flat, *term.target.flat]).all() and width >= 0.0):
        raise SimulationError(f"cost: {name}: weight, target and norm must be numbers")
    return term


def _quaternion(term: Term) -> Floats:
    """Return the target of an orientation, by default without rotation."""
    length, given = float(np.linalg.norm(term.target)), term.target.ndim > 0
    if (length > 0.0 or given) and (term.target.shape != (4,) or abs(length - 1.0) > UNIT):
        raise SimulationError(f"cost: {term.name}: the target is a unit quaternion x y z w")
    return np.asarray(term.target / length) if length > 0.0 else UPRIGHT


def _fitting(term: Term, values: Floats, count: int) -> Floats:
    """Return weights or targets, one for each entry of a quantity."""
    if values is term.target and term.name.endswith(".orientation"):
        return np.zeros(count)
    most = 2 if values is term.target else 1
    if values.shape[-1:] not in ((), (1,), (count,)) or values.ndim > most:
        told = f"has {count} entries, got the shape {values.shape}"
        raise SimulationError(f"cost: {term.name} {told}")
    return np.broadcast_to(values, (*values.shape[:-1], count))
