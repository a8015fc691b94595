"""Times of impact of shapes that move fast: conservative advancement (Mirtich 1996).

Two shapes a distance d apart cannot meet before ``d / c`` if no point of one approaches the other
faster than c: ``c = n . (v_a - v_b) + |w_a| r_a + |w_b| r_b`` for convex shapes with the normal n
of the closest points, centres that move with v, and points within r of them (Zhang, Lee and Kim,
Interactive continuous collision detection for non-convex polyhedra, 2006, sections 4 and 5).
Triangle meshes are not convex: there ``|v_a - v_b|`` takes the place of its normal part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from footfall.jit.tables import point_at, table_of
from footfall.typing import Floats
from footfall_stepper.collision.coal_pairs import FINE, coal_geometry, is_unit
from footfall_stepper.collision.kernels.arrays import Geometries, ShapeKind
from footfall_stepper.collision.kernels.fast_pairs import Travel
from footfall_stepper.collision.shape import CollisionShape

TOUCH = 1e-7
"""Distance at which two shapes count as touching, [m]."""
SLOW = 0.5
"""Approach in a step that contacts resolve without a sweep, relative to the thinner half, [-]."""
PACE = 0.25
"""Least motion between two distances, relative to the thinner half, [-]."""
MOST_DISTANCES = 5000
"""Largest number of distances of a pair in one search."""


class LinkMotion(Protocol):
    """The predicted motion of a link; it is at rest in the environment.

    Attributes:
        turning: bound of the angular speed, [rad/s].
        acceleration: bound of that of its mass centre, [m/s^2].
    """

    turning: float
    acceleration: float

    def at(self, t: float) -> tuple[Floats, Floats]:
        """Return the rotation (3, 3) and the translation (3,) of world points by time t [s]."""

    def velocity(self, x: Floats, t: float) -> Floats:
        """Return the velocity of the link's point that is at x (3,) at time t, [m/s]."""


class Hit(NamedTuple):
    """Two shapes that meet.

    Attributes:
        time: from the start of the search, [s].
        speed: of approach along the normal, [m/s].
        names: of the two shapes.
        found: whether the time is known; it is a bound if the search was given up.
    """

    time: float
    speed: float
    names: tuple[str, str]
    found: bool = True


class Distance(NamedTuple):
    """Distance of two shapes [m], its normal from the first one, and the closest points (3,)."""

    d: float
    normal: Floats
    x: Floats
    y: Floats


class Solid(NamedTuple):
    """A shape, and where it is at the start of the search.

    Attributes:
        coal: Coal's geometry.
        number: index of the shape.
        link: its link, -1 for the environment.
        turn: rotation of its frame, (3, 3).
        place: its origin, (3,), [m].
        centre: of its bounding box, (3,), [m].
    """

    coal: Any
    number: int
    link: int
    turn: Floats
    place: Floats
    centre: Floats


class Sweep:
    """Finds when moving shapes first meet.

    Attributes:
        travel: sizes of the shapes, and the pairs that ``fast_pairs`` has found.
        table: of ``travel``.

    Args:
        shapes: by ascending number.
        geometries: their packed arrays; poses and bounds are those at the start of the motion.
    """

    def __init__(self, shapes: Sequence[CollisionShape], geometries: Geometries) -> None:
        self._shapes, self._geometries = shapes, geometries
        n = len(shapes)
        sizes = np.array([sizes_of(geometries, i) for i in range(n)]).reshape(n, 2)
        half, spin = np.ascontiguousarray(sizes.T)
        self.travel = Travel(half, spin, np.zeros((n, 5)), np.zeros((64, 2), np.int64))
        self.table = table_of(self.travel)
        self._coal = cache(lambda i: coal_geometry(shapes[i].geometry))
        self._prepared = cache(_prepared)

    def reserve(self, pairs: int) -> bool:
        """Make room for pairs; return whether there was too little."""
        if pairs <= len(self.travel.pair):
            return False
        self.travel = self.travel._replace(pair=np.zeros((2 * pairs, 2), np.int64))
        point_at(self.table, table_of(self.travel))
        return True

    def hits(
        self, pairs: int, motion: Callable[[int], LinkMotion], length: float, step: float
    ) -> list[Hit]:
        """Return the hits of the pairs of ``fast_pairs``, each earlier than the one before.

        Args:
            pairs: their number.
            motion: returns that of a link, -1: of the environment.
            length: time of the search, [s].
            step: time of a step: approaches slower than ``SLOW`` in it are left out, [s].
        """
        found: list[Hit] = []
        for i, j in self.travel.pair[:pairs].tolist():
            one, other = self._solid(i), self._solid(j)
            pair = Pair(self, one, other, motion(one.link), motion(other.link))
            hit = pair.hit(found[-1].time if found else length, step)
            found += [] if hit is None else [hit]
        return found

    def _solid(self, i: int) -> Solid:
        pose, bounds = self._geometries.pose[i], self._geometries.bounds[i]
        turn, centre = pose[:9].reshape(3, 3).T.copy(), 0.5 * (bounds[:3] + bounds[3:])
        return Solid(self._coal(i), i, int(self._geometries.link[i]), turn, pose[9:].copy(), centre)

    def names(self, *numbers: int) -> tuple[str, str]:
        """Return the names of two shapes."""
        one, other = (self._shapes[i].name for i in numbers)
        return one, other

    def is_convex(self, i: int) -> bool:
        """Return whether a shape is convex."""
        return bool(self._geometries.kind[i] != ShapeKind.MESH)

    def distance(self, one: Solid, other: Solid, *moves: tuple[Floats, Floats]) -> Distance:
        """Return the distance of two shapes after their links have moved."""
        ask, request, result, places = self._prepared()
        for solid, (turn, shift), place in zip((one, other), moves, places, strict=True):
            place.setRotation(turn @ solid.turn)
            place.setTranslation(turn @ solid.place + shift)
        result.clear()
        d = ask(one.coal, places[0], other.coal, places[1], request, result)
        x, y, normal = result.getNearestPoint1(), result.getNearestPoint2(), result.normal.copy()
        if not is_unit(normal):  # Coal gives none for two meshes
            size = float(np.linalg.norm(y - x))
            normal = (y - x) / size if size > 0.0 else np.zeros(3)
        return Distance(float(d), normal, x, y)


class Pair:
    """Two shapes and their motions."""

    def __init__(
        self, sweep: Sweep, one: Solid, other: Solid, a: LinkMotion, b: LinkMotion
    ) -> None:
        self._sweep, self._one, self._other, self._motions = sweep, one, other, (a, b)
        half, spin = sweep.travel.half, sweep.travel.spin
        self._thinner = float(min(half[one.number], half[other.number]))
        self._convex = sweep.is_convex(one.number) and sweep.is_convex(other.number)
        self._spin = float(a.turning * spin[one.number] + b.turning * spin[other.number])

    def _at(self, t: float) -> Distance:
        moves = (motion.at(t) for motion in self._motions)
        return self._sweep.distance(self._one, self._other, *moves)

    def _approach(self, at: Distance, t: float) -> float:
        """Return the speed at which the closest points approach each other, [m/s]."""
        a, b = self._motions
        return float(at.normal @ (a.velocity(at.x, t) - b.velocity(at.y, t)))

    def _reach(self, normal: Floats, t: float, left: float) -> tuple[float, float]:
        """Return bounds of the approach along a normal, and of all speeds, in the time left."""
        relative, bent = np.zeros(3), 0.0
        for solid, motion, sign in zip(
            (self._one, self._other), self._motions, (1, -1), strict=True
        ):
            turn, shift = motion.at(t)
            v = motion.velocity(turn @ solid.centre + shift, t)
            relative += sign * v
            bent += (motion.acceleration + motion.turning * float(np.linalg.norm(v))) * left
        total = float(np.linalg.norm(relative)) + bent + self._spin
        along = float(normal @ relative) + bent + self._spin
        return (along if self._convex else total), total

    def hit(self, length: float, step: float) -> Hit | None:
        """Return the first fast impact before ``length``; None without one.

        A pair that touches at the start moves by ``PACE`` first: until then its contacts act.
        """
        fast, pace = SLOW * self._thinner / step, PACE * self._thinner
        names = self._sweep.names(self._one.number, self._other.number)
        before = t = 0.0
        for _ in range(MOST_DISTANCES):
            at = self._at(t)
            speed = self._approach(at, t)
            if at.d <= TOUCH and speed > fast and t > 0.0:
                return Hit(self._touch(before, t, at.d), speed, names)
            along, total = self._reach(at.normal, t, length - t)
            if along * (length - t) <= max(at.d, 0.0) + pace:
                return None
            before, t = t, t + max(at.d / along, pace / total)
            if t > length:
                return None
        return Hit(t, speed, names, found=False)

    def _touch(self, low: float, high: float, d: float) -> float:
        """Return when the shapes touch, after ``low`` and at ``high`` at the latest."""
        if self._at(low).d <= TOUCH:
            return high
        while d < -TOUCH and high - low > 1e-15:
            middle = 0.5 * (low + high)
            d = self._at(middle).d
            low, high = (middle, high) if d > TOUCH else (low, middle)
        return high


def _prepared() -> tuple[Any, Any, Any, tuple[Any, Any]]:
    """Return Coal's function for distances, its request and result, and two placements."""
    import coal

    request = coal.DistanceRequest()
    request.gjk_initial_guess = coal.GJKInitialGuess.DefaultGuess
    request.gjk_tolerance, request.epa_tolerance, iterations = FINE
    request.gjk_max_iterations = request.epa_max_iterations = iterations
    return coal.distance, request, coal.DistanceResult(), (coal.Transform3s(), coal.Transform3s())


def sizes_of(geo: Geometries, i: int) -> tuple[float, float]:
    """Return half of the smallest extent of a shape, and its ``Travel.spin``, [m].

    A sheet of triangles has no thickness: the smaller of its two other extents is taken.
    """
    kind, size, box = geo.kind[i], geo.size[i], np.sort(geo.box[i, 3:])
    if kind == ShapeKind.HALF_SPACE:
        return np.inf, 0.0
    if kind in (ShapeKind.SPHERE, ShapeKind.CAPSULE):
        return float(size[0]), float(size[1])
    if kind == ShapeKind.CYLINDER:
        return float(size[:2].min()), float(np.hypot(size[0], size[1]))
    half = float(box[0])
    faces = slice(geo.face_start[i], geo.face_start[i + 1])
    if kind == ShapeKind.CONVEX:
        across = geo.normal[faces] @ geo.vertex[geo.vertex_start[i] : geo.vertex_start[i + 1]].T
        half = 0.5 * float(np.ptp(across, axis=1).min())
    corners = slice(geo.corner_start[faces.start], geo.corner_start[faces.stop])
    if kind == ShapeKind.MESH and (geo.beside[corners] < 0).any():
        half = float(box[1])
    return half, float(np.linalg.norm(box))
