"""Predicted motion of links over a step, without contacts."""

from __future__ import annotations

import numpy as np

from footfall.spatial.pose import rotation_about
from footfall.typing import Floats
from footfall.world.arrays import Dynamics, Topology

SMALL = 1e-9
"""Angle below which a rotation is left out, [rad]."""


class Screw:
    """A motion with a constant angular velocity w about a centre that moves along a parabola.

    ``x -> c + v t + a t^2 / 2 + exp(w t) (x - c)``
    """

    def __init__(self, w: Floats, c: Floats, v: Floats, a: Floats) -> None:
        self.w, self._c, self._v, self._a = w, c, v, a
        self._rate = float(np.linalg.norm(w))

    def at(self, t: float) -> tuple[Floats, Floats]:
        """Return rotation and translation of world points by time t."""
        gone = self._v * t + 0.5 * t * t * self._a
        if self._rate * t < SMALL:
            return np.eye(3), gone
        turn = rotation_about(self.w / self._rate, self._rate * t)
        return turn, self._c + gone - turn @ self._c

    def velocity(self, x: Floats, t: float) -> Floats:
        """Return the velocity at x at time t, [m/s]."""
        arm = x - self._c - self._v * t - 0.5 * t * t * self._a
        rate: Floats = self._v + t * self._a + np.cross(self.w, arm)
        return rate


def about_axis(twist: Floats) -> Screw:
    """Return the motion with a constant twist (6,), v at the world's origin and w: a screw."""
    v, w = twist[:3], twist[3:]
    square = float(w @ w)
    if square < SMALL:
        return Screw(np.zeros(3), np.zeros(3), v, np.zeros(3))
    c: Floats = np.cross(w, v) / square
    return Screw(w, c, v + np.cross(w, c), np.zeros(3))


class PredictedMotion:
    """The motion of a link: that of its floating base, after a screw relative to the base.

    Exact for a rigid body in flight whose angular velocity is constant, and for a link on one joint
    of a fixed base that moves at a constant speed.

    Args:
        topology: of the world.
        dynamics: poses, and velocities with and without the forces of a step.
        link: global link; -1 for the environment, at rest.
        dt: length of the step, [s].
    """

    def __init__(self, topology: Topology, dynamics: Dynamics, link: int, dt: float) -> None:
        now, later = dynamics.twist, dynamics.free_twist
        nothing, self.turning, self.acceleration = np.zeros(6), 0.0, 0.0
        base, rest = Screw(*np.zeros((4, 3))), nothing
        if link >= 0:
            rest = 0.5 * (now[link] + later[link])
            self.turning = float(np.linalg.norm(rest[3:]))
        tree = int(topology.link_tree[link])
        if link >= 0 and topology.floating[tree]:
            root = int(topology.root_link[tree])
            pose = dynamics.pose[root]
            c = pose[:9].reshape(3, 3).T @ topology.com[root] + pose[9:]
            mean = 0.5 * (now[root] + later[root])
            v = now[root, :3] + np.cross(now[root, 3:], c)
            a = (later[root, :3] + np.cross(later[root, 3:], c) - v) / dt
            base, rest = Screw(mean[3:], c, v, a), rest - mean
            self.turning = float(np.linalg.norm(mean[3:]) + np.linalg.norm(rest[3:]))
            self.acceleration = float(np.linalg.norm(a))
        self._base = base
        self._own = about_axis(rest) if rest.any() else None

    def at(self, t: float) -> tuple[Floats, Floats]:
        """Return rotation and translation of world points by time t."""
        turn, shift = self._base.at(t)
        if self._own is None:
            return turn, shift
        first, before = self._own.at(t)
        return turn @ first, turn @ before + shift

    def velocity(self, x: Floats, t: float) -> Floats:
        """Return the velocity of the link's point that is at x at time t, [m/s]."""
        v = self._base.velocity(x, t)
        if self._own is not None:
            turn, shift = self._base.at(t)
            v = v + turn @ self._own.velocity(turn.T @ (x - shift), t)
        return v
