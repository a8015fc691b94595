"""A shape of a body, placed on one of its links."""

from __future__ import annotations

import math
from dataclasses import dataclass

from footfall.errors import RobotError
from footfall.geometry.shapes import Geometry, HalfSpace
from footfall.spatial.pose import Pose
from footfall.world.collision_arrays import BITS

FIXED = -1
"""The link of what belongs to the environment."""


@dataclass(frozen=True, slots=True, eq=False)
class CollisionShape:
    """A shape that can touch others.

    Attributes:
        geometry: what it is, in its own frame.
        pose: of its frame in the link; in the world for the environment.
        link: index among all links of the world, -1 for the environment.
        number: that stands for it in contact keys, unique in the world.
        name: ``body/link/shape``.
        friction: coefficient of its side, [-]; NaN: none given.
        restitution: coefficient of its side, [-]; NaN: none given.
    """

    geometry: Geometry
    pose: Pose
    link: int
    number: int
    name: str
    friction: float = math.nan
    restitution: float = math.nan

    def __post_init__(self) -> None:
        if not 0 <= self.number < 1 << BITS:
            raise RobotError(f"{self.name}: geometry number {self.number} is not in [0, 2^{BITS})")
        if self.link != FIXED and isinstance(self.geometry, HalfSpace):
            raise RobotError(f"{self.name}: a half-space cannot move: only the environment has one")

    @property
    def body(self) -> str:
        """Name of the body that it belongs to."""
        return self.name.split("/")[0]
