"""Times of impact of shapes that move fast: conservative advancement (Mirtich 1996).

Two shapes a distance d apart cannot meet before ``d / c`` if no point of one approaches the other
faster than c: ``c = n . (v_a - v_b) + |w_a| r_a + |w_b| r_b`` for convex shapes with the normal n
of the closest points, centres that move with v, and points within r of them (Zhang, Lee and Kim,
Interactive continuous collision detection for non-convex polyhedra, 2006, sections 4 and 5).
Triangle meshes are not convex: there ``|v_a - v_b|`` takes the place of its normal part. Coal has
neither depth nor normal of meshes that overlap: the speed is that of their contacts there, and the
one just before they met.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property, partial
from typing import NamedTuple

import numpy as np

from footfall.jit.compiling import bind
from footfall.jit.tables import point_at, table_of
from footfall.typing import Floats
from footfall_stepper.collision.coal_pairs import FINE, coal_geometry, is_unit
from footfall_stepper.collision.kernels.arrays import Geometries, ShapeKind
from footfall_stepper.collision.kernels.fast_pairs import Travel
from footfall_stepper.collision.kernels.motion import displace
from footfall_stepper.collision.shape import CollisionShape

TOUCH = 1e-7
"""Distance at which two shapes count as touching, in metres of the scene's units."""
SLOW = 0.5
"""Approach in a step that contacts resolve without a sweep, relative to the thinner half, [-]."""
PACE = 0.25
"""Least motion between two distances, relative to the thinner half, [-]."""
LITTLE = 1e-8
"""Time over which velocities are differences of positions, [s]."""
MOST_DISTANCES = 5000
"""Largest number of distances of a pair in one search."""
MOST_IN_STEP = 20_000
"""Largest number of distances of all pairs in all searches of a step."""


class LinkMotion(NamedTuple):
    """The predicted motion of a link.

    Attributes:
        rows: shape (7, 3), see ``MotionRow``; zeros for the environment.
        turning: bound of the angular speed, [rad/s].
        acceleration: bound of that of the base's centre, [m/s^2].
    """

    rows: Floats
    turning: float
    acceleration: float


class Hit(NamedTuple):
    """Two shapes that meet.

    Attributes:
        time: from the start of the search, [s].
        speed: of approach along the normal, [m/s]; NaN if the search was given up.
        names: of the two shapes.
        found: whether the time is known; it is a bound if the search was given up.
    """

    time: float
    speed: float
    names: tuple[str, str]
    found: bool = True


class Tools:
    """Coal's distance with its request, result and placements, and the kernel of motions."""

    def __init__(self) -> None:
        import coal

        self.distance, self.result = coal.distance, coal.DistanceResult()
        self.places = coal.Transform3s(), coal.Transform3s()
        self.request = coal.DistanceRequest()
        self.request.gjk_initial_guess = coal.GJKInitialGuess.DefaultGuess
        self.request.gjk_tolerance, self.request.epa_tolerance, most = FINE
        self.request.gjk_max_iterations = self.request.epa_max_iterations = most
        like = np.zeros((1, 7, 3)), np.zeros((1, 3)), 0.0, np.zeros((1, 3))
        self.displace = bind(displace, like=like)


Contacts = Callable[[int, int, Floats, Floats], Iterator[tuple[float, Floats, Floats]]]
"""Yields gap [m], normal and position of each contact of two shapes, from their poses (2, 12) and
the displacements (2, 3) of their centres, [m]."""


class Sweep:
    """Finds when moving shapes first meet.

    Attributes:
        shapes: by ascending number.
        geometries: their packed arrays; poses and bounds are those at the start of the motion.
        travel: sizes of the shapes, and the pairs that ``fast_pairs`` has found.
        table: of ``travel``.
        left_out: names of pairs that are skipped.
        metre: length of a metre in the scene's units: Coal gets all lengths over it.
        contacts: finds those of two shapes.
        coal: returns Coal's geometry of a shape by its index.
    """

    def __init__(
        self,
        shapes: Sequence[CollisionShape],
        geometries: Geometries,
        metre: float,
        contacts: Contacts,
    ) -> None:
        self.shapes, self.geometries, self.metre = shapes, geometries, metre
        n = len(shapes)
        sizes = np.array([sizes_of(geometries, i) for i in range(n)]).reshape(n, 2)
        half, spin = np.ascontiguousarray(sizes.T)
        self.travel = Travel(half, spin, np.zeros((n, 5)), np.zeros((64, 2), np.int64))
        self.table = table_of(self.travel)
        self.left_out: set[tuple[str, str]] = set()
        self.left = MOST_IN_STEP
        self.contacts = contacts
        self.coal = cache(lambda i: coal_geometry(shapes[i].geometry, metre))

    @cached_property
    def tools(self) -> Tools:
        """The tools of all searches, made for the first one."""
        return Tools()

    def reserve(self, pairs: int) -> bool:
        """Make room for pairs; return whether there was too little."""
        if pairs <= len(self.travel.pair):
            return False
        self.travel = self.travel._replace(pair=np.zeros((2 * pairs, 2), np.int64))
        point_at(self.table, table_of(self.travel))
        return True

    def hits(
        self, pairs: int, motion: Callable[[int], LinkMotion], length: float, step: float
    ) -> Iterator[Hit]:
        """Yield the hits of the pairs of ``fast_pairs``, each earlier than the one before.

        Args:
            pairs: their number.
            motion: returns that of a link, -1: of the environment.
            length: time of the search, [s].
            step: time of a step: approaches slower than ``SLOW`` in it are left out, [s].
        """
        for i, j in self.travel.pair[:pairs].tolist():
            one, other = (motion(int(self.geometries.link[k])) for k in (i, j))
            pair = Pair(self, i, j, one, other)
            if self.left <= 0:
                if not self.left_out:  # it stands for all pairs that are left
                    yield Hit(length, np.nan, pair.names, found=False)
                return
            most = min(MOST_DISTANCES, self.left)
            hit = None if pair.names in self.left_out else pair.hit(length, step, most)
            self.left -= pair.distances
            if hit is not None:
                length = hit.time
                yield hit


class Pair:
    """Two shapes and the motions of their links."""

    def __init__(self, sweep: Sweep, i: int, j: int, one: LinkMotion, other: LinkMotion) -> None:
        geo, travel = sweep.geometries, sweep.travel
        starts = []
        for k in (i, j):  # origin, tips of the axes, centre
            axes, place = geo.pose[k, :9].reshape(3, 3), geo.pose[k, 9:]
            starts += [place, *(place + axes), 0.5 * (geo.bounds[k, :3] + geo.bounds[k, 3:])]
        self._starts, self._rows = np.array(starts), np.array([one.rows] * 5 + [other.rows] * 5)
        self._now, self._later, self._ends = np.zeros((10, 3)), np.zeros((10, 3)), np.zeros((2, 3))
        self._motions, self._tools, self._metre = (one, other), sweep.tools, sweep.metre
        self._near, self._contacts = TOUCH * sweep.metre, partial(sweep.contacts, i, j)
        self._solids = sweep.coal(i), sweep.coal(j)
        self.names, self.distances = (sweep.shapes[i].name, sweep.shapes[j].name), 0
        self._convex = ShapeKind.MESH not in (geo.kind[i], geo.kind[j])
        self._thinner = float(min(travel.half[i], travel.half[j]))
        self._turned = float(one.turning * travel.spin[i] + other.turning * travel.spin[j])

    def _distance(self, t: float) -> tuple[float, Floats]:
        """Return distance and normal at time t; the closest points go to ``_ends``."""
        tools, now, ends = self._tools, self._now, self._ends
        self.distances += 1
        tools.displace(self._rows, self._starts, t, now)
        for first, place in zip((0, 5), tools.places, strict=True):
            place.setRotation((now[first + 1 : first + 4] - now[first]).T)
            place.setTranslation(now[first] / self._metre)
        (one, other), (here, there), result = self._solids, tools.places, tools.result
        result.clear()
        d = self._metre * float(tools.distance(one, here, other, there, tools.request, result))
        ends[0], ends[1] = result.getNearestPoint1(), result.getNearestPoint2()
        ends *= self._metre
        normal: Floats = result.normal.copy()
        if not is_unit(normal):  # Coal gives none for two meshes
            normal = ends[1] - ends[0]
            normal /= max(float(np.linalg.norm(normal)), 1e-300)
        return d, normal

    def _approach(self, normal: Floats, t: float, left: float) -> tuple[float, float, float]:
        """Return the speed at which the closest points approach each other, and bounds, [m/s].

        Both bounds are for the time left: along the normal, and in any direction.
        """
        self._tools.displace(self._rows, self._starts, t + LITTLE, self._later)
        v, w = ((self._later[k] - self._now[k]) / LITTLE for k in (4, 9))
        bent, relative = self._turned, v - w
        for motion, u in zip(self._motions, (v, w), strict=True):
            bent += (motion.acceleration + motion.turning * math.sqrt(u @ u)) * left
        total = math.sqrt(relative @ relative) + bent
        along = float(normal @ relative) + bent if self._convex else total
        return self._speed(normal), along, total

    def _speed(self, normal: Floats) -> float:
        """Return the speed at which the points ``_ends`` approach each other, [m/s]."""
        now, later, speed = self._now, self._later, 0.0
        for first, x, sign in zip((0, 5), self._ends, (1.0, -1.0), strict=True):
            axes = now[first + 1 : first + 4] - now[first]
            moved = (axes @ (x - now[first])) @ (later[first + 1 : first + 4] - later[first])
            speed += sign * float(normal @ (later[first] + moved - x)) / LITTLE
        return speed

    def _closing(self, t: float, touch: float, before: float) -> float:
        """Return the largest speed of approach of the contacts deeper than ``-touch``, [m/s].

        It is 0 without any, and ``before`` for a mesh, unless that is 0.
        """
        d, normal = self._distance(t)
        if d > self._near or (before and not self._convex):
            return 0.0 if d > self._near else before
        self._tools.displace(self._rows, self._starts, t + LITTLE, self._later)
        if self._convex:
            return self._speed(normal) if d <= touch else 0.0
        now, fastest = self._now, 0.0
        poses = [np.append(now[k + 1 : k + 4] - now[k], now[k]) for k in (0, 5)]
        moved = np.array([now[k] - self._starts[k] for k in (4, 9)])
        for gap, normal, place in self._contacts(np.array(poses), moved):
            self._ends[:] = place
            fastest = max(fastest, self._speed(normal)) if gap <= touch else fastest
        return fastest

    def hit(self, length: float, step: float, most: int) -> Hit | None:
        """Return the first fast impact before ``length``, looked for by ``most`` distances.

        None without one. If they do not suffice, it is not ``found``.

        A pair that touches at the start is left to its contacts, down to a depth of ``PACE``;
        slow contacts of a mesh at any depth, but fast ones elsewhere on it are hits.
        """
        fast, pace = SLOW * self._thinner / step, PACE * self._thinner
        before, t, apart, touch = 0.0, 0.0, 0.0, -pace
        for _ in range(most):
            d, normal = self._distance(t)
            speed, along, total = self._approach(normal, t, length - t)
            if d > self._near:
                apart, touch = speed if speed > fast else 0.0, self._near
            elif t == 0.0:
                if not (self._convex or self._closing(t, self._near, 0.0) > fast):
                    touch = self._near
            elif (speed := self._closing(t, touch, apart)) > fast:
                while (t - before) * total > self._near:
                    middle = 0.5 * (before + t)
                    if not before < middle < t:  # too fast for the numbers to tell
                        break
                    meets = self._closing(middle, touch, apart) > fast
                    before, t = (before, middle) if meets else (middle, t)
                return Hit(t, speed, self.names)
            else:
                apart = 0.0
            if along * (length - t) <= max(d, 0.0) + pace:
                return None
            before, t = t, t + max(d / along, pace / total)
            if t > length:
                return None
        return Hit(t, np.nan, self.names, found=False)


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
