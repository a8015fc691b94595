"""The forces of standing feet: a target wrench on the trunk, distributed among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.api.plugin import Floats

ARM = 0.1
"""Length that converts errors of moments to forces, [m]."""
WEIGHT = np.array([0.3, 0.3, 1.0, 1.0 / ARM, 1.0 / ARM, 0.2 / ARM])
"""Weights of wrench errors if two feet cannot give all: attitude before drift and turning."""
SMALL = 1e-6
"""Weight of the forces themselves, to choose among equally good sets, [-]."""


@dataclass(frozen=True, slots=True)
class VirtualModel:
    """Springs and dampers between the trunk and its target (Pratt et al. 2001).

    Attributes:
        frequency: w, natural frequency of height and attitude, [rad/s].
        damping: z, damping ratio, [-].
        velocity_gain: k, [1/s].
    """

    frequency: float
    damping: float
    velocity_gain: float

    def acceleration(self, lag: Floats, turn: Floats, slip: Floats, spin: Floats) -> Floats:
        """Return the target acceleration (mixed) of the trunk, shape (6,), [m/s^2, rad/s^2].

        Args:
            lag: height that is missing, [m].
            turn: shape (3,), rotation to the target attitude, world axes, [rad].
            slip: shape (3,), target velocity minus its own, [m/s].
            spin: shape (3,), target angular velocity minus its own, [rad/s].
        """
        k, d = self.frequency**2, 2.0 * self.damping * self.frequency
        linear = [self.velocity_gain * slip[0], self.velocity_gain * slip[1], k * lag + d * slip[2]]
        return np.concatenate([linear, k * turn + d * spin])


def share(arms: Floats, wrench: Floats, friction: float) -> Floats:
    """Return the forces of the feet, shape (n, 3), [N], world axes.

    The forces minimise the weighted difference between their wrench and the target; then each is
    clamped to its friction cone. Two feet can turn the trunk about the line between them only by
    pushing sideways, so their wrench can miss the target.

    Args:
        arms: shape (n, 3), from the trunk's origin to the feet, [m].
        wrench: target force and moment about the trunk's origin, shape (6,), [N, N m].
        friction: largest ratio of horizontal to vertical force, [-].
    """
    n = len(arms)
    G = np.zeros((6, 3 * n))
    for i, (x, y, z) in enumerate(arms):
        G[:3, 3 * i : 3 * i + 3] = np.eye(3)
        G[3:, 3 * i : 3 * i + 3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    weighted = WEIGHT[:, None] * G
    normal = weighted.T @ weighted + SMALL * np.eye(3 * n)
    solved = np.linalg.solve(normal, weighted.T @ (WEIGHT * wrench))
    forces = np.asarray(solved, np.float64).reshape(n, 3)
    forces[:, 2] = np.maximum(forces[:, 2], 0.0)
    sideways = np.hypot(forces[:, 0], forces[:, 1])
    forces[:, :2] *= np.minimum(1.0, friction * forces[:, 2] / np.maximum(sideways, 1e-9))[:, None]
    return forces
