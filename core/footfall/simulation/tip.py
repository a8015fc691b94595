"""Touch: a ball at the hand that pushes what it meets, or passes on what the device measures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from footfall.simulation.grip import Mobility
from footfall.simulation.met import FIXED, Met

if TYPE_CHECKING:
    from footfall.simulation.simulator import Simulator

Floats = npt.NDArray[np.float64]


class Tip:
    """A ball that touches one link at a time, the one that it is deepest in.

    Without a force sensor the ball is a spring and damper along the direction ``d`` into the link,
    at the end of the step (implicit Euler), that only pushes:

        ``f = max(0, k d . (x_tip - x - dt v+) + c d . (v_tip - v+))``, ``v+ = v_free + dt W d f``,

    with ``x_tip`` the deepest point of the ball, moved on by the step, ``c = 2 zeta sqrt(m k)`` and
    ``m = 1 / (d . W d)``. With one, the measured force acts at ``x`` as it is. There is no friction
    between ball and link (Chardonnet et al., section 4).

    Attributes:
        force: shape (3,), on the link in the last step, world, [N].
        link: global link that is touched, -1: none, -2: an object that never moves.
        position: shape (3,), of the touched point at the start of the last step, world, [m].
        velocity: shape (3,), of the touched point after it, before contacts act, [m/s].
        target: shape (3,), of the ball's deepest point at the end of the step, world, [m]; of the
            ball's middle if nothing is touched.
        gains: stiffness [N/m] and damping [N s/m] that acted; NaN if the device, or the
            limit, gave the force.
        mass: effective mass along the direction of the push, [kg].
    """

    def __init__(self, sim: Simulator, mobility: Mobility) -> None:
        self._sim, self._mobility = sim, mobility
        self._J, self._out = np.zeros((6, sim.world.nv)), np.zeros((8, 6))
        self.force, self.velocity = np.zeros(3), np.zeros(3)
        self.position, self.target = np.full(3, math.nan), np.zeros(3)
        self.leave(self.target)

    def leave(self, centre: Floats) -> None:
        """Touch nothing."""
        self.link, self.mass, self.gains = -1, math.nan, (math.nan, math.nan)
        self.force[:] = self.velocity[:] = 0.0
        self.position[:], self.target[:] = math.nan, centre

    def look(self, met: Met) -> None:
        """Find how the point that the ball has met moves."""
        self.link = met.link
        if met.link == FIXED:
            self._out[:], self._out[0, :3] = 0.0, met.point
        else:
            self._mobility(met.link, met.point, self._J, self._out)
        self.position[:] = self._out[0, :3]

    def press(self, met: Met, force: Floats, dt: float) -> None:
        """Let a measured force [N] act at what has been looked at, over a step of length dt [s]."""
        self.gains = math.nan, math.nan
        self._act(met, force, dt)

    def push(
        self,
        met: Met,
        deepest: tuple[Floats, Floats],
        gains: tuple[float, float, float],
        dt: float,
    ) -> None:
        """Push what has been looked at.

        Args:
            met: where the ball is deepest.
            deepest: position [m] and velocity [m/s] of the ball's deepest point, shape (3,) each.
            gains: stiffness [N/m], damping ratio [-] and largest force [N].
            dt: length of the step, [s].
        """
        place, speed = deepest
        stiffness, ratio, limit = gains
        d, v_free = met.direction, self._out[1, :3]
        W = float(d @ self._out[2:5, :3] @ d)
        mass = 1.0 / W if W > 1e-12 else 0.0
        damping = 2.0 * ratio * math.sqrt(mass * stiffness)
        self.target[:] = place + dt * speed
        away = float(d @ (self.target - self.position - dt * v_free))
        wanted = stiffness * away + damping * float(d @ (speed - v_free))
        size = wanted / (1.0 + dt * (dt * stiffness + damping) * W)
        self.gains = (stiffness, damping) if size <= limit else (math.nan, math.nan)
        self.mass = mass
        self._act(met, min(max(size, 0.0), limit) * d, dt)

    def _act(self, met: Met, force: Floats, dt: float) -> None:
        self.force[:] = force
        self.velocity[:] = self._out[1, :3] + dt * (self._out[2:5, :3] @ force)
        if met.link != FIXED:
            self._sim.pushes.act_now(met.link, met.point, np.concatenate([force, np.zeros(3)]))
