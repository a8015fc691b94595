"""Estimate of the ground: a plane through the last standing positions of the feet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.api.plugin import Floats

FLAT = 1e-6
"""Regularization of squared distances of the feet, [m^2]: no slope across a line of feet."""


@dataclass(frozen=True, slots=True)
class GroundPlane:
    """A plane ``z = z0 + slope . (x - x0)``, through the centre of the feet.

    Attributes:
        middle: shape (3,), (x0, z0), [m].
        slope: shape (2,), [-].
    """

    middle: Floats
    slope: Floats

    @classmethod
    def through(cls, feet: Floats) -> GroundPlane:
        """Return the least-squares plane through points, shape (n, 3), [m]."""
        middle = feet.mean(axis=0)
        across, up = feet[:, :2] - middle[:2], feet[:, 2] - middle[2]
        slope = np.linalg.solve(across.T @ across + FLAT * np.eye(2), across.T @ up)
        return cls(middle, np.asarray(slope, np.float64))

    def height(self, place: Floats) -> float:
        """Return the height of the ground at a position, shape (2,), [m]."""
        return float(self.middle[2] + self.slope @ (place - self.middle[:2]))
