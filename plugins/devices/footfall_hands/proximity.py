"""Surfaces near a hand: those of bodies, of fixed objects and of the ground."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.api.advanced import HandsWorld
from footfall.api.plugin import Floats
from footfall.api.world import TerrainSample

GRAVITY = 9.81
"""Gravity for the weights of bodies, independent of the scene's gravity, [m/s^2]."""


class Surroundings:
    """The surroundings of all hands of a simulation.

    Attributes:
        reach: reach of the simulation.
    """

    def __init__(self, reach: HandsWorld) -> None:
        self.reach = reach
        self._shapes: dict[float, NearestShape] = {}

    def name_of(self, link: int) -> str:
        """Return the name of a held or touched link; ``fixed`` for a fixed object."""
        return self.reach.links[link] if link >= 0 else "fixed"

    def weight(self, link: int) -> float:
        """Return the weight of the whole body that a global link belongs to, [N].

        For a fixed object (a negative link), return the weight of all moving bodies.
        """
        return GRAVITY * self.reach.body_mass(link)

    def shapes(self, radius: float) -> NearestShape:
        """Return the search for the shape nearest to a ball of that radius [m]."""
        if radius not in self._shapes:
            self._shapes[radius] = NearestShape(self.reach, radius)
        return self._shapes[radius]

    @cached_property
    def ground(self) -> NearestGround:
        """Search for the ground below a ball."""
        return NearestGround(self.reach)


@dataclass(frozen=True, slots=True)
class ProximityHit:
    """The point of a surface that is nearest to a ball.

    Attributes:
        link: global link; ``Reach.FIXED`` for a fixed object.
        point: shape (3,), nearest point of its surface, in the link's frame, [m].
        direction: shape (3,), unit vector from the ball into the link, world.
        gap: distance of the surfaces, negative where they penetrate, [m].
        velocity: shape (3,), velocity of a moving ground, world, [m/s]; zero for links, which have
            their own.
    """

    link: int
    point: Floats
    direction: Floats
    gap: float
    velocity: Floats = field(default_factory=lambda: np.zeros(3))


MOST = 64
"""Largest number of triangles of one mesh that are tested."""

UPPER = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], bool)
"""Whether a corner of a cuboid is an upper one along each axis."""
WORLD: Floats = np.array([*np.eye(3).ravel(), 0.0, 0.0, 0.0])
"""Pose of the link of fixed objects."""
GAVE_UP = 1e30
"""Depth from which on Coal's result means that it found none, [m]."""
FAR = 1e6
"""Largest search distance, [m]."""


class NearestShape:
    """A search, with Coal, for the shape of a body or fixed object nearest to a ball.

    It searches ``Reach.shapes``.
    """

    def __init__(self, reach: HandsWorld, radius: float) -> None:
        """Prepare the shapes of a simulation for a ball of that radius [m]."""
        import coal

        shapes = list(reach.shapes())
        self._poses = reach.poses
        self._links = np.array([link for link, _, _ in shapes], np.int64)
        self._still = np.flatnonzero(self._links == HandsWorld.FIXED)
        self._rows = np.maximum(self._links, 0)
        self._at = [pose for _, pose, _ in shapes]
        self._made = [made for _, _, made in shapes]
        bounds = [pose.apply(_corners(made)) for _, pose, made in shapes]
        self._low = np.array([points.min(axis=0) for points in bounds]).reshape(-1, 3)
        self._high = np.array([points.max(axis=0) for points in bounds]).reshape(-1, 3)
        self._radius = radius
        self._ball, self._collide = coal.Sphere(radius), coal.collide
        self._one, self._other = coal.Transform3s(), coal.Transform3s()
        self._result = coal.CollisionResult()
        self._request = coal.CollisionRequest()
        self._request.num_max_contacts = MOST
        self._request.gjk_initial_guess = coal.GJKInitialGuess.DefaultGuess

    def nearest(
        self,
        centre: Floats,
        margin: float = 0.0,
        link: int | None = None,
    ) -> ProximityHit | None:
        """Return the nearest surface of all links, or of one.

        Args:
            centre: shape (3,), centre of the ball, world, [m].
            margin: largest distance between the two surfaces, [m]; may be infinite.
            link: global link; None: any.
        """
        wanted = self._links != HandsWorld.FIXED if link is None else self._links == link
        return self._nearest(centre, margin, wanted)

    def nearest_fixed(self, centre: Floats) -> ProximityHit | None:
        """Return the nearest surface of a fixed object; None if the ball meets none."""
        return (
            self._nearest(centre, 0.0, self._links == HandsWorld.FIXED)
            if len(self._still)
            else None
        )

    def _nearest(
        self, centre: Floats, margin: float, wanted: npt.NDArray[np.bool_]
    ) -> ProximityHit | None:
        pose = self._poses[self._rows]
        pose[self._still] = WORLD
        axes = pose[:, :9].reshape(-1, 3, 3)  # rows are the links' axes
        there = (axes @ (centre - pose[:, 9:])[:, :, None])[:, :, 0]
        away = np.maximum(np.maximum(self._low - there, there - self._high), 0.0)
        near = np.flatnonzero(wanted & ((away * away).sum(axis=1) <= (self._radius + margin) ** 2))
        self._request.security_margin = min(margin, FAR)
        self._one.setTranslation(centre)
        best: ProximityHit | None = None
        for k in near.tolist():
            hit = self._ask(k)
            if hit is not None and (best is None or hit.gap < best.gap):
                best = hit
        return best

    def _ask(self, k: int) -> ProximityHit | None:
        link = int(self._links[k])
        pose = WORLD if link == HandsWorld.FIXED else self._poses[link]
        turn, shift = pose[:9].reshape(3, 3).T, pose[9:]
        at = self._at[k]
        self._other.setRotation(turn @ at.rotation)
        self._other.setTranslation(turn @ at.translation + shift)
        self._result.clear()
        made = self._made[k]
        self._collide(self._ball, self._one, made, self._other, self._request, self._result)
        contacts = self._result.getContacts()
        found = [one for one in contacts if abs(one.penetration_depth) < GAVE_UP]
        if not found:
            return None
        contact = min(found, key=lambda one: float(one.penetration_depth))
        direction = np.array(contact.normal)
        if not abs(direction @ direction - 1.0) < 1e-6:
            return None  # Coal has no normal for surfaces that touch exactly
        point = np.array(contact.getNearestPoint2())
        return ProximityHit(
            link, turn.T @ (point - shift), direction, float(contact.penetration_depth)
        )


def _corners(solid: Any) -> Floats:
    """Return the corners of the bounding box of Coal's object, shape (8, 3), its frame, [m]."""
    solid.computeLocalAABB()
    box = solid.aabb_local
    return np.where(UPPER, np.array(box.max_), np.array(box.min_))


class NearestGround:
    """A search for the ground: the terrain's distance and normal at the centre of a ball.

    It uses the same surface as contact points do, for every terrain: a plane, steps, a height map,
    a moving ground.
    """

    def __init__(self, reach: HandsWorld) -> None:
        """Take the terrain of a simulation."""
        self._reach, self._terrain = reach, reach.terrain
        self._sample = TerrainSample.allocate(1)
        self._terrain.prepare(self._sample)

    def hit(self, centre: Floats, radius: float) -> ProximityHit | None:
        """Return the point where the ground meets a ball; None if it does not.

        Args:
            centre: shape (3,), centre of the ball, world, [m].
            radius: radius of the ball, [m].
        """
        sample = self._sample
        self._terrain.sample(self._reach.time, centre[None], sample)
        gap, normal = float(sample.gap[0]), sample.normal[0].copy()
        if gap > radius:
            return None
        return ProximityHit(
            HandsWorld.FIXED,
            centre - gap * normal,
            -normal,
            gap - radius,
            sample.velocity[0].copy(),
        )
