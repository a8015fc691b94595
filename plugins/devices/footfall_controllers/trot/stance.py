"""The forces of the feet that stand: a wanted wrench on the trunk, shared among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.api.plugin import Floats

ARM = 0.1
"""Length by which errors of moments are divided to compare them with forces, [m]."""
WEIGHT = np.array([0.3, 0.3, 1.0, 1.0 / ARM, 1.0 / ARM, 0.2 / ARM])
"""What counts how much where two feet cannot do everything: attitude before drift and turning."""
SMALL = 1e-6
"""Weight of the forces themselves: which of several equally good sets is chosen, [-]."""


@dataclass(frozen=True, slots=True)
class VirtualModel:
    """Springs and dampers between the trunk and where it should be (Pratt et al. 2001).

    Attributes:
        frequency: w, of height and attitude, [rad/s].
        damping: z, damping ratio, [-].
        velocity_gain: k, [1/s].
    """

    frequency: float
    damping: float
    velocity_gain: float

    def acceleration(self, lag: Floats, turn: Floats, slip: Floats, spin: Floats) -> Floats:
        """Return the wanted mixed acceleration of the trunk, shape (6,), [m/s^2, rad/s^2].

        Args:
            lag: how much too low it is, [m].
            turn: shape (3,), rotation that brings it upright and straight, world axes, [rad].
            slip: shape (3,), wanted velocity minus its own, [m/s].
            spin: shape (3,), wanted angular velocity minus its own, [rad/s].
        """
        k, d = self.frequency**2, 2.0 * self.damping * self.frequency
        linear = [self.velocity_gain * slip[0], self.velocity_gain * slip[1], k * lag + d * slip[2]]
        return np.concatenate([linear, k * turn + d * spin])


def share(arms: Floats, wrench: Floats, friction: float) -> Floats:
    """Return the forces of the feet, shape (n, 3), [N], world axes.

    Least squares of the weighted difference between the wrench that they make and the wanted one;
    then each is brought into its friction cone. Two feet cannot turn the trunk about the line
    between them but by pushing sideways, and their forces can miss any wrench by that much.

    Args:
        arms: shape (n, 3), from the trunk's origin to the feet, [m].
        wrench: wanted force and moment about the trunk's origin, shape (6,), [N, N m].
        friction: greatest ratio of horizontal to vertical force, [-].
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
