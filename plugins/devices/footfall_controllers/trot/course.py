"""The course of the trunk: its position and velocity at every time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.api.plugin import Floats


@dataclass(frozen=True, slots=True)
class Goal:
    """Target of the trunk at one time.

    Attributes:
        position: shape (2,), [m], world frame.
        velocity: shape (2,), [m/s], world axes.
        heading: [rad].
        turn_rate: [rad/s].
    """

    position: Floats
    velocity: Floats
    heading: float
    turn_rate: float


@dataclass(frozen=True, slots=True)
class Course:
    """A course: stand until the start, then move at constant velocity along a turning heading.

    Attributes:
        start: start time, [s].
        home: shape (2,), initial position, [m], world frame.
        heading: initial heading, [rad].
        velocity: shape (2,), forwards and to the left, [m/s].
        turn_rate: [rad/s].
    """

    start: float
    home: Floats
    heading: float
    velocity: Floats
    turn_rate: float

    def goal(self, time: float) -> Goal:
        """Return the goal at a time [s].

        The path is the integral of the turning velocity: a circular arc, whose chord is
        ``T sinc(w T / 2)`` times the velocity along the heading at its midpoint.
        """
        T = time - self.start
        if T <= 0.0:
            return Goal(self.home, np.zeros(2), self.heading, 0.0)
        half = 0.5 * self.turn_rate * T
        chord = T if half == 0.0 else T * np.sin(half) / half
        way = chord * turned(self.heading + half, self.velocity)
        heading = self.heading + 2.0 * half
        return Goal(self.home + way, turned(heading, self.velocity), heading, self.turn_rate)


def turned(angle: float, vector: Floats) -> Floats:
    """Return a plane vector, shape (2,), rotated to the left by an angle [rad]."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


def to_upright(rotation: Floats, heading: float) -> Floats:
    """Return the rotation vector to the upright attitude with a heading, shape (3,), [rad].

    Args:
        rotation: current attitude, shape (3, 3), body to world.
        heading: [rad].
    """
    c, s = np.cos(heading), np.sin(heading)
    E = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ rotation.T
    axis = 0.5 * np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]])
    sine, cosine = float(np.linalg.norm(axis)), 0.5 * (E[0, 0] + E[1, 1] + E[2, 2] - 1.0)
    return axis * (float(np.arctan2(sine, cosine)) / max(sine, 1e-12))


def shortened(vector: Floats, longest: float) -> Floats:
    """Return a plane vector, shortened to the length ``longest`` if it is longer."""
    return vector * min(1.0, longest / max(float(np.hypot(vector[0], vector[1])), 1e-12))
