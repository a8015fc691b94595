"""Derivatives of a step that impacts split, carried from part to part while the step is made.

A part ends where the first point that moves along its ballistic path reaches the ground,
``gap + u t + (u_free - u) t^2 / (2 T) = 0`` with T the time that is left of the step; its length t
is differentiated with the gap and both speeds. An impact lasts no time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

import footfall
from footfall.api.errors import SimulationError
from footfall.api.plugin import Floats
from footfall_gradients.answer import Modes
from footfall_gradients.directions import Directions
from footfall_gradients.kernels import Changes, Contacts
from footfall_gradients.motion import move
from footfall_gradients.part import Part
from footfall_gradients.solve import balance, check_state, rooms_of, solve_part

REST = 1e-15
"""Difference within which a part is all that is left of a step, [s]."""


@dataclass(frozen=True)
class Look:
    """What the step knew when it looked for the next impact.

    Attributes:
        part: the time left as one part without contacts.
        gap: shape (contacts,), of all points.
        points: the points, with the ground's normal as their third direction.
    """

    part: Part
    gap: Floats
    points: Contacts

    @classmethod
    def of(cls, sim: footfall.Simulator, start: tuple[Floats, Floats]) -> Look:
        """Note what a simulator has just looked at."""
        candidates, world = sim.world.candidates, sim.world
        n, dt = len(candidates.link), float(sim.stepper.program.part[0])
        frame = np.zeros((n, 9))
        frame[:, 6:] = world.sample.normal
        sides = np.stack([np.full(n, -1), candidates.link], axis=1).astype(np.int64)
        place, centre = candidates.position.copy(), candidates.query.copy()
        zeros, still = np.zeros((n, 3)), np.zeros(n, np.int64)
        points = Contacts(sides, frame, place, centre, zeros, zeros.copy(), still)
        part = Part.of(sim, rooms_of(sim), start, dt, world.dynamics.v_free)
        return cls(part, candidates.gap.copy(), points)

    def changes(self, speed: Floats) -> Changes:
        """Return what changes of all points with the configuration, for a velocity."""
        self.part.place()
        return self.part.rooms.contact_changes(self.points, speed)

    def time_of_impact(self, found: float, along: Directions) -> Floats:
        """Return the derivative of the time of the impact that ends a part.

        Args:
            found: the time, [s].
            along: derivatives of what the look saw; ``dt`` of the time left.
        """
        part, left = self.part, self.part.dt
        now, then = self.changes(part.v), self.changes(part.x)
        u, free = (now.J @ part.v)[2::3], (then.J @ part.x)[2::3]
        a = (free - u) / left
        miss = abs(self.gap + u * found + 0.5 * a * found**2)
        c = int(np.argmin(np.where(u + a * found < 0.0, miss, np.inf)))
        none = np.zeros_like(part.M), np.zeros(len(part.v))
        dx = balance(part, along, *none)
        row = 3 * c + 2
        du = now.dJv[row] @ along.dq + now.J[row] @ along.dv
        da = (then.dJv[row] @ along.dq + then.J[row] @ dx - du - a[c] * along.dt) / left
        change = now.gap[c] @ along.dq + found * du + 0.5 * found**2 * da
        return np.asarray(-change / (u[c] + a[c] * found), float)


class PartWise:
    """Differentiates steps while they are made; what ``Simulator.watch_parts`` calls.

    Attributes:
        along: derivatives of the state as it is, by that at the start of the step.
        modes: of the contacts of each problem that was solved, and which contacts they are.
        gap_margin: see ``Derivatives``.
    """

    def __init__(self, sim: footfall.Simulator, arrays: Mapping[str, Floats], more: int) -> None:
        self._sim, self._arrays, self._more = sim, arrays, more
        self.begin()

    def begin(self) -> None:
        """Start a step."""
        self.along = Directions.of_state(self._sim.world.nv, self._arrays, self._more)
        self.modes: list[Modes] = []
        self.gap_margin = np.inf
        self._left, self._change = self._sim.time_step, np.zeros_like(self.along.dt)
        self._look: Look | None = None
        self._before: Look | None = None

    def __call__(self, what: str) -> None:
        """Note what has been looked at, or carry the derivatives over a part."""
        sim = self._sim
        if what == "sensed":
            self._start = sim.q.copy(), sim.v.copy()
            if sim.stepper.program.lasting[0] > 0.0:  # not at the instant of an impact
                self._before, self._look = self._look, Look.of(sim, self._start)
        elif what == "moved":
            self._move(float(sim.stepper.program.part[0]))
        else:
            self._strike()

    def _move(self, dt: float) -> None:
        sim, before = self._sim, self._before
        change = self._change
        if self._left - dt > REST:
            if before is None:
                raise SimulationError("derivatives: a part of a step that nothing has looked at")
            change = before.time_of_impact(dt, replace(self.along, dt=self._change))
        part = Part.of(sim, rooms_of(sim), self._start, dt)
        along = replace(self.along, dt=change)
        solved = solve_part(part, along)
        new = move(part, along, solved.dx, solved.dcorrection)
        check_state(part, new)
        self.modes.append(solved.modes)
        self.gap_margin = min(self.gap_margin, solved.gap_margin)
        self.along = replace(along, dq=new.dq, dv=new.dv)
        self._left, self._change = self._left - dt, self._change - change

    def _strike(self) -> None:
        sim = self._sim
        part = Part.of(sim, rooms_of(sim), self._start, 0.0, sim.v)
        solved = solve_part(part, replace(self.along, dt=np.zeros_like(self._change)))
        self.modes.append(solved.modes)
        self.along = replace(self.along, dv=solved.dx)
