"""Derivatives of a step that impacts split, carried from part to part while the step is made.

A part ends when the first point on its ballistic path reaches the ground,
``gap + u t + (u_free - u) t^2 / (2 T) = 0`` with T the time left of the step. Its length t
is differentiated with the gap and both speeds. An impact lasts no time.
"""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

import numpy as np

from footfall.api.contact import ProblemSize
from footfall.api.plugin import Floats, Ints, SimulationError, SolverError
from footfall_gradients.halfway import later, step_from_start
from footfall_gradients.part import Modes, Workspace, workspace_of
from footfall_gradients.refusals import own_slopes
from footfall_gradients.tables import Changes, Contacts, contacts_of
from footfall_stepper.api import StepperSimulator, World

REST = 1e-15
"""Difference within which a part covers the rest of a step, [s]."""
MISSED = 1e-9
"""Largest gap of the point that strikes on its predicted path, in metres of the scene's units."""


class Stops:
    """Limits of joints and sides of a backlash at which a joint may bounce.

    Attributes:
        rows: shape (stops, nv), speed of the gap by velocities.
        bound: shape (stops, parameters), derivative of the gap by parameters.
    """

    def __init__(self, world: World, space: Workspace) -> None:
        rows = world.joint_rows
        own = np.flatnonzero(rows.restitution > 0.0)
        self.rows = np.zeros((len(own), world.nv))
        for row, j in zip(self.rows, own, strict=True):
            row[rows.dof[j]] += rows.sign[j]
            more = slice(rows.more_start[j], rows.more_start[j + 1])
            np.add.at(row, rows.more_dof[more], rows.more_value[more])
        self._start = rows.sign[own] * rows.value[own]
        self.bound = -rows.sign[own, None] * space.given.bound[own, : space.more]

    def gaps(self, q: Floats) -> Floats:
        """Return the gaps, [rad or m], at positions of joints, shape (nv,)."""
        found: Floats = self.rows @ q - self._start
        return found


class Look:
    """Data of a look for the next impact: the rest of the step without contacts.

    Attributes:
        space: workspace of the rest; dt: its length, [s].
        nearest: smallest distance of a gap to 0, [m].
    """

    def __init__(self, sim: StepperSimulator, arrays: Mapping[str, Floats], more: int) -> None:
        self.space, self.dt = Workspace(sim, arrays, more, alone=True), 0.0
        n, by = sim.world.n_candidates, self.space.touching.more
        self._room, self._stops = contacts_of(n, by), Stops(sim.world, self.space)

    def take(self, sim: StepperSimulator) -> None:
        """Copy what the simulator has just looked at."""
        world, p = sim.world, self._room
        candidates, declared = world.candidates, len(world.candidates.link)
        n = declared + (0 if world.collider is None else world.collider.detector.found.n)
        self._points, self._gap = Contacts._make(array[:n] for array in p), np.zeros(n)
        self.space.look(sim.q, sim.v)
        self.dt = float(sim.stepper.program.part[0])
        p.link[:declared, 1], self._gap[:declared] = candidates.link, candidates.gap
        p.frame[:declared, 6:] = world.sample.normal
        p.position[:declared], p.centre[:declared] = candidates.position, candidates.query
        found, more = world.detected, n - declared
        p.link[declared:n], self._gap[declared:] = found.link[:more], found.gap[:more]
        p.frame[declared:n, 6:], p.position[declared:n] = found.normal[:more], found.position[:more]
        self.nearest = float(abs(self._gap).min(initial=np.inf))
        if self.space.touching.varies:
            self.space.touching.enter(np.arange(n), p, 0.0)
            p.flow[declared:n] = p.drift[declared:n] = 0.0  # surfaces do not approach

    def changes(self, speed: Floats) -> Changes:
        """Return the changes of all points with the configuration, for a velocity."""
        self.space.place_rooms()
        return self.space.rooms.contact_changes(self._points, speed)

    def time_of_impact(self, found: float, state: Floats, dt: Floats) -> Floats:
        """Return the derivative of the time of the impact that ends a part.

        Args:
            found: the time, [s].
            state: shape (2 nv, directions), derivative of the state at the look.
            dt: shape (directions,), derivative of the time left; the end of the step stays.
        """
        space, a = self.space, self.space.part
        now, then = self.changes(a.v), self.changes(a.x)
        flow = (self._points.frame[:, 6:] * self._points.flow).sum(axis=1)
        u, free = (now.J @ a.v)[2::3] - flow, (then.J @ a.x)[2::3] - flow
        gaps, rows = np.append(self._gap, self._stops.gaps(a.q)), self._stops.rows
        u, free = np.append(u, rows @ a.v), np.append(free, rows @ a.x)
        pull = (free - u) / self.dt
        miss = abs(gaps + u * found + 0.5 * pull * found**2)
        miss = np.where(u + pull * found < 0.0, miss, np.inf)
        c = int(np.argmin(miss))
        if miss[c] > MISSED * space.world.metre:
            raise SimulationError("derivatives: an impact of fast bodies was not ahead at the look")
        if not space.middle:
            space.differentiate(self.dt)
        dx, nv = self._free_velocity(state, dt), len(a.v)
        if (stop := c - len(self._gap)) >= 0:
            dgap = rows[stop] @ state[:nv]
            dgap[3 * nv :] += self._stops.bound[stop]
            du, dfree = rows[stop] @ state[nv:], rows[stop] @ dx
        else:
            striking, row = Contacts._make(array[c : c + 1] for array in self._points), 3 * c + 2
            space.touching.check(striking, np.ones(1, bool))
            dgap = now.gap[c] @ state[:nv] + self._by_parameters(now.gap_by_p[c], dt)
            du, dfree = (
                y.dJv[row] @ state[:nv]
                + y.J[row] @ dv
                + y.longer[row] * dt
                + self._by_parameters(y.by_p[row], dt)
                for y, dv in ((now, state[nv:]), (then, dx))
            )
        dpull = (dfree - du - pull[c] * dt) / self.dt
        change = dgap + found * du + 0.5 * found**2 * dpull
        return np.asarray(-change / (u[c] + pull[c] * found), float)

    def _by_parameters(self, found: Floats, dt: Floats) -> Floats:
        """Return the change with parameters, and with the time, of which the last is the number."""
        out, nv = np.zeros_like(dt), self.space.world.nv
        if len(found):
            out[3 * nv :] += found[: self.space.more]
            out -= found[-1] * dt * self.space.times
        return out

    def _free_velocity(self, state: Floats, dt: Floats) -> Floats:
        """Return the derivative of the velocity at the end of the time left."""
        rows, nv = self.space.free_rows(self.dt), self.space.world.nv
        dx: Floats = rows[:, : 2 * nv] @ state + np.outer(rows[:, -1], dt)
        dx[:, 2 * nv :] += rows[:, 2 * nv : 3 * nv + self.space.more]
        return dx


_KNOWN: WeakKeyDictionary[Workspace, tuple[Look, Look]] = WeakKeyDictionary()


def looks_of(sim: StepperSimulator, arrays: Mapping[str, Floats], more: int) -> tuple[Look, Look]:
    """Return two looks of a world for parameters, created at the first call."""
    space = workspace_of(sim, arrays, more)
    if space not in _KNOWN:
        _KNOWN[space] = Look(sim, arrays, more), Look(sim, arrays, more)
    return _KNOWN[space]


class PartWise:
    """Differentiates steps while they are made; a callback for ``Simulator.watch_parts``.

    Columns are q, v and generalized forces at the start of the step, and parameters.

    Attributes:
        space: arrays of a part.
        modes: modes of the blocks of each solved problem.
        gap_margin: see ``Derivatives``.
        failure: error of the first part without derivative; None without one.
    """

    def __init__(
        self,
        sim: StepperSimulator,
        arrays: Mapping[str, Floats],
        more: int,
        outside: bool = False,
    ) -> None:
        self.sim, self._more, self._arrays, self._outside = sim, more, arrays, outside
        self.space = workspace_of(sim, arrays, more)
        self._now, self._before = looks_of(sim, arrays, more)
        self.begin()

    def begin(self) -> None:
        """Start a step."""
        self._state: Floats | None = None
        self.modes: list[Modes] = []
        self.failure: SimulationError | SolverError | None = None
        self.gap_margin, self._looks, self._halfway = np.inf, 0, False
        self._left = self.sim.time_step
        self._change = np.zeros(3 * self.sim.world.nv + self._more)

    @property
    def joints(self) -> Ints:
        """Dofs of joints in the order of their torques."""
        return self.space.joints

    @property
    def state(self) -> Floats:
        """Derivative of the present state by that at the start, shape (2 nv, columns)."""
        if self._state is None:
            return np.eye(2 * self.sim.world.nv, len(self._change))
        return self._state

    def __call__(self, what: str) -> None:
        """Note a look, or carry the derivatives over a part; keep the error if it has none."""
        if self.failure is None:
            try:
                self._part(what)
            except (SimulationError, SolverError) as error:
                self.failure = error

    def _part(self, what: str) -> None:
        sim = self.sim
        if what == "sensed":
            self._start = sim.q.copy(), sim.v.copy()
            # Not at the instant of an impact, nor at the midpoint of a part.
            if sim.stepper.program.lasting[0] > 0.0 and not self._halfway:
                self._now, self._before, self._looks = self._before, self._now, self._looks + 1
                self._now.take(sim)
                if self._looks == 1:
                    self._close()
                if self.space.middle:  # forces change at the midpoint
                    self._now.space.differentiate(self._now.dt)
        elif what == "halfway":
            self._halfway = True
        elif what == "moved":
            self._halfway = False
            self._move(float(sim.stepper.program.part[0]))
        else:
            self._strike()

    def _close(self) -> None:
        """Begin with the state whose loops the step has closed."""
        now, columns = self._now, len(self._change)
        if now.space.middle:  # points that touch do not strike
            self.gap_margin = now.nearest
        if now.space.loops is not None:
            now.space.loops.begin(now.dt)
            self._state = now.space.loops.closed(columns)

    def _move(self, dt: float) -> None:
        sim, space, change = self.sim, self.space, self._change
        if self._left - dt > REST:
            if self._looks < 2:
                raise SimulationError("derivatives: a part of the step has no look for impacts")
            change = self._before.time_of_impact(dt, self.state, self._change)
        law, rows = own_slopes(sim, self._arrays, self._looks > 1), space.state
        if space.middle:
            with later(sim.stepper.program.time, 0.5 * dt):
                start = self._now.space
                rows = step_from_start(space, start, law, self._start, dt, self._outside)
        else:
            space.step(law, *self._start, dt)
        self._state = self._carried(rows, rows[:, : len(change)], change)
        self._note()
        self.gap_margin = min(self.gap_margin, float(space.part.nearest[0]))
        self._left, self._change = self._left - dt, self._change - change

    def _strike(self) -> None:
        self.space.strike(*self._start, self.sim.v)
        problem, passed = self.sim.stepper.problem.arrays, self.sim.time_step - self._left
        gaps = abs(problem.gap[: problem.size[ProblemSize.BLOCKS]])
        gap = float(gaps.min(initial=np.inf)) + passed * float(abs(self._start[1]).max())
        self.gap_margin = min(self.gap_margin, gap)  # about the gap at the start of the step
        nv, before = self.sim.world.nv, self.state
        space = self.space
        jump = self._carried(space.part.dv, space.found[nv:], np.zeros_like(self._change))
        self._state = np.concatenate([before[:nv], jump])
        self._note()

    def _carried(self, rows: Floats, found: Floats, change: Floats) -> Floats:
        """Return rows of a part's derivatives, by the start of the step.

        Args:
            rows: with all columns of a part.
            found: without those of times.
            change: derivative of the part's length; the end of the step stays.
        """
        nv = self.sim.world.nv
        if self._state is None and not change.any():
            return found.copy()
        out: Floats = found[:, : 2 * nv] @ self.state + np.outer(rows[:, -1], change)
        out[:, 2 * nv :] += found[:, 2 * nv :]
        if self.space.times:
            out -= np.outer(rows[:, -2], self._change)
        return out

    def _note(self) -> None:
        self.modes.append(self.space.modes)
