"""The terrain role: distance, normal, friction and restitution of the ground at points."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footfall.plugin import Plugin
from footfall.roles.visualizer import Ground

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TerrainSample:
    """What the ground is at n query points; a terrain overwrites what varies with the point.

    Attributes:
        gap: shape (n,), signed distance, positive above the ground, [m].
        normal: shape (n, 3), unit, out of the ground, world frame.
        velocity: shape (n, 3), velocity of the ground's surface, world frame, [m/s].
        friction: shape (n,), coefficient of the ground's side; NaN: none given.
        restitution: shape (n,), coefficient of the ground's side; NaN: none given.
    """

    gap: Floats
    normal: Floats
    velocity: Floats
    friction: Floats
    restitution: Floats

    @classmethod
    def allocate(cls, n: int) -> TerrainSample:
        """Make a sample for n points of a level, still ground without coefficients."""
        normal = np.zeros((n, 3))
        normal[:, 2] = 1.0
        nan = np.nan
        return cls(np.zeros(n), normal, np.zeros((n, 3)), np.full(n, nan), np.full(n, nan))


class Terrain(Plugin):
    """The fixed (or prescribed) ground."""

    @abstractmethod
    def prepare(self, sample: TerrainSample) -> None:
        """Fill once what does not vary from step to step (e.g. a plane's normals)."""

    @abstractmethod
    def sample(self, time: float, points: Floats, sample: TerrainSample) -> None:
        """Overwrite what varies, for query points of shape (n, 3), world frame, [m]."""

    @abstractmethod
    def grounds(self) -> tuple[Ground, ...]:
        """Planes to draw."""
