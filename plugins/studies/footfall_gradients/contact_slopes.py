"""Changes of contacts with the motion of their bodies: places, normals, gaps.

A declared point on a ground that is not one plane changes with the place of its link, by central
differences of the ground's own sample. A detected contact changes with the motion of body 2
relative to body 1: its shape is moved, and the narrow phase of this pair alone finds the contact of
the same feature again. Where one way has no such contact, the difference is one-sided, of second
order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol, cast
from weakref import proxy

import numpy as np
import numpy.typing as npt

from footfall.api.plugin import Capability, Floats, Ints, SimulationError
from footfall.api.world import TerrainSample
from footfall_gradients.flows import TICK, Flows, rotation_by
from footfall_gradients.manifold import rotation, skew
from footfall_gradients.tables import Contacts
from footfall_stepper.api import (
    CLOSEST,
    CandidateKind,
    Solid,
    TimeStepping,
    World,
    pair_coefficient,
    unpack_key,
)

FLAT = 1e-9
"""Sine of the tilt below which a rim has no lowest point, as in the stepper."""
STEP = 1e-6
"""Length of a difference: in metres of the scene's units, and [rad]."""
JAGGED = (
    "where their contact is not smooth: at an edge of both, a rim that lies flat, or where closest "
    "points are rough"
)
"""Reason why a contact has no slope."""
ROUGH = 1e-6
"""Largest difference of slopes by steps of two lengths, absolute and relative."""


class Detector(Protocol):
    """The detector of a world.

    Attributes:
        found: contacts of the last detection; shapes: the shapes that it tests.
        sizes: of the shapes; ``moved`` uses what is written there.
        measures: places and vertices of the shapes, in one vector.
    """

    found: Any
    shapes: Sequence[Solid]
    sizes: Floats
    measures: Floats

    def closed(self, i: int, j: int) -> bool:
        """Return whether contacts of two shapes follow ``sizes``."""

    def moved(self, i: int, j: int, motions: Floats) -> list[tuple[list[int], Floats]]:
        """Return keys, and rows of position, normal, gap, of contacts with shape j moved."""


def detector_of(world: World) -> Detector:
    """Return the detector of a world that has one."""
    assert world.collider is not None
    return cast("Detector", world.collider.detector)


class Touching:
    """The contacts of a world's problem that are not points on one fixed plane.

    Attributes:
        curved: whether the adjoint of a step does not know declared points of this world, or its
            bodies; varies: whether there may be such contacts.
        moving: whether the ground moves; flow: whether it or surfaces do.
        more: number of parameters, with the time, if any of these moves contacts, else 0.
    """

    def __init__(self, stepper: TimeStepping) -> None:
        world, terrain = stepper.world, stepper.terrain
        self._stepper: TimeStepping = proxy(stepper)  # it holds the world
        rims = world.candidates.kind == CandidateKind.RIM
        self._flows = Flows(stepper)
        self.moving = self._flows.moving
        self.flow = self.moving or world.surfaces is not None
        self._rough = Capability.CURVED_TERRAIN in terrain.capabilities
        self._bent: npt.NDArray[np.bool_] = rims | self._rough | self.moving
        self.curved = bool(self._bent.any()) or self.flow
        self.varies = self.curved or world.collider is not None
        self.more, self._shapes = 0, dict[str, Floats]()

    def depend(self, slopes: Mapping[str, Floats], more: int) -> None:
        """Set the derivatives of the world's numbers by parameters, see ``parameters.numbers``."""
        self._shapes = {k: slopes[k] for k in ("local", "radius", "sizes") if k in slopes}
        if self._shapes:
            self._bent, self.varies = self._bent | True, True
        if "com" in slopes and self.flow:  # chords of prescribed bodies
            self._shapes["com"] = slopes["com"]
        self.more = more if self.moving or self._shapes else 0

    def enter(self, candidate: Ints, out: Contacts, lowered: float) -> None:
        """Write ``varies``, ``slope``, ``course``, ``flow`` and ``drift`` of contacts.

        Args:
            candidate: shape (n,), number of each one's candidate; detected contacts follow the
                declared points.
            out: its first n rows are written.
            lowered: see ``Candidates``; 0 in impacts.

        Contacts without a slope, see ``pair_slopes``, get NaN.

        """
        world, n = self._stepper.world, len(candidate)
        declared = len(world.candidates.link)
        found, bent = candidate >= declared, np.zeros(n, bool)
        bent[~found] = self._bent[candidate[~found]]
        out.varies[:n] = found | bent
        out.slope[:n] = out.course[:n] = 0.0
        if bent.any():
            slopes = self._ground_slopes(candidate[bent], lowered)
            write_slopes(out, np.flatnonzero(bent), slopes)
        if found.any():
            shapes = detector_of(world).found
            number, blocks = candidate[found] - declared, np.flatnonzero(found)
            pairs = np.stack([shapes.shape_a[number], shapes.shape_b[number]], axis=1)
            for pair in np.unique(pairs, axis=0):
                same = (pairs == pair).all(axis=1)
                by = self._shapes.get("sizes", np.zeros((1, 3, self.more)))
                write_slopes(out, blocks[same], pair_slopes(world, number[same], by))
        if self.flow:
            self._flows.enter(candidate, out, lowered, self._shapes)

    def _ground_changes(self) -> Floats:
        """Return the changes of the ground's normal and gap with place and time, (n, 4, 4)."""
        world, terrain = self._stepper.world, self._stepper.terrain
        points = world.candidates.query
        h, n, time = STEP * world.metre, len(points), float(self._stepper.program.time[0])
        found = np.zeros((n, 4, 4))
        found[:, 3, :3] = world.sample.normal
        shifts = [(h * way, 0.0, h) for way in np.eye(3)] if self._rough else []
        shifts += [(np.zeros(3), TICK, TICK)] if self.moving else []
        for k, (shift, later, size) in enumerate(shifts, 0 if self._rough else 3):
            sides = [TerrainSample.allocate(n) for _ in range(2)]
            for sample, way in zip(sides, (1.0, -1.0), strict=True):
                terrain.prepare(sample)
                terrain.sample(time + way * later, points + way * shift, sample)
            found[:, :3, k] = (sides[0].normal - sides[1].normal) / (2.0 * size)
            found[:, 3, k] = (sides[0].gap - sides[1].gap) / (2.0 * size)
        return found

    def _ground_slopes(self, at: Ints, low: float) -> Floats:
        """Return the slopes of declared contacts.

        Args:
            at: shape (n,), numbers of the candidates.
            low: see ``Candidates.lowered``.

        Returns:
            Shape (n, 7, 6 + parameters); NaN for a rim that lies flat.
        """
        world, changes = self._stepper.world, self._ground_changes()
        candidates = world.candidates
        found, shapes = np.zeros((len(at), 7, 6 + self.more)), self._shapes
        for slope, c in zip(found, at, strict=True):
            normal, r, down = world.sample.normal[c], candidates.radius[c], low * candidates.gap[c]
            place, dr = candidates.position[c] - down * normal, np.zeros(6 + self.more)
            moved = np.zeros((4, 6 + self.more))  # of the query, and the time
            moved[:3, :6] = np.hstack([np.eye(3), skew(place - candidates.query[c])])
            if "local" in shapes:
                R = world.dynamics.pose[candidates.link[c], :9].reshape(3, 3).T
                moved[:3, 6:] = R @ shapes["local"][c]
            if "radius" in shapes:
                dr[6:] = shapes["radius"][c]
            if self.moving:
                moved[3, -1] = 1.0
            dn, dgap = changes[c, :3] @ moved, changes[c, 3] @ moved
            way, dway = -normal, -dn
            if candidates.kind[c] == CandidateKind.RIM:
                way, dway = rim_slope(world, int(c), normal, dn)
            if candidates.kind[c] != CandidateKind.POINT:
                moved[:3] += r * dway + np.outer(way, dr)
                dgap = dgap + r * (way @ dn + normal @ dway) + (normal @ way) * dr
            slope[:3] = moved[:3] - down * dn - low * np.outer(normal, dgap)
            slope[3:6], slope[6] = skew(normal) @ dn, dgap
        return found

    def coefficients(self, d: int, slopes: Mapping[str, Floats], more: int) -> Floats:
        """Return the derivatives of a detected contact's friction and restitution by parameters.

        Args:
            d: its number.
            slopes: derivatives of the world's numbers, see ``parameters.numbers``.
            more: number of parameters.

        Returns:
            Shape (2, more).
        """
        collisions, found = self._stepper.collisions, detector_of(self._stepper.world).found
        assert collisions is not None
        known = collisions.coefficients
        sides = [int(found.geometry_a[d]), int(found.geometry_b[d])]
        bodies, out = set(known.body[sides].tolist()), np.zeros((2, more))
        pairs = [k for k, both in enumerate(known.pair.tolist()) if set(both) == bodies]
        for which in range(2):
            own = [k for k in pairs if not np.isnan(known.value[k, which])][-1:]
            given = np.append(known.side[sides, which], known.value[own, which])
            change = np.zeros((3, more))
            change[:2] = slopes["sides"][sides, which] if "sides" in slopes else 0.0
            change[2] = slopes["pairs"][own[0], which] if own and "pairs" in slopes else 0.0
            values = np.append(given, np.nan)[:3]
            for k, by in enumerate(STEP * change.T):
                far, near = pair_coefficient(*(values + by)), pair_coefficient(*(values - by))
                out[which, k] = (far - near) / (2.0 * STEP)
        return out

    def check(self, out: Contacts, loaded: npt.NDArray[np.bool_]) -> None:
        """Raise the error for the first of n loaded contacts without a slope; others need none.

        Raises:
            SimulationError: if there is one; names its links.
        """
        n = len(loaded)
        missing = np.isnan(out.slope[:n]).any(axis=1) | np.isnan(out.course[:n]).any(axis=1)
        missing &= out.varies[:n] == 1
        out.slope[:n][missing] = out.course[:n][missing] = 0.0
        for one, other in out.link[:n][missing & loaded]:
            links = self._stepper.world.link_names
            names = [links[k] if k >= 0 else "the ground" for k in (one, other)]
            raise SimulationError(f"derivatives: {names[0]} and {names[1]} touch {JAGGED}")


def write_slopes(out: Contacts, rows: Ints, slopes: Floats) -> None:
    """Write ``slope`` and ``course`` of contacts from both, shape (n, 7, 6 + parameters)."""
    more = slopes.shape[2] - 6
    out.slope[rows] = slopes[:, :, :6].reshape(-1, 42)
    out.course[rows, : 7 * more] = slopes[:, :, 6:].reshape(len(rows), 7 * more)


def rim_slope(world: World, c: int, normal: Floats, dn: Floats) -> tuple[Floats, Floats]:
    """Return the direction from a rim's centre to its point, and the slope of that, (3, columns).

    ``d = -(n - (n.a) a) / |..|``, turned about the axis a by the candidate's phase.
    """
    candidates, link = world.candidates, world.candidates.link[c]
    phase, axis = candidates.phase[c], candidates.axis[c]
    axis = world.dynamics.pose[link, :9].reshape(3, 3).T @ axis
    turn, out = -skew(axis) @ rotation_by(dn.shape[1] - 6), skew(axis)
    low = (normal @ axis) * axis - normal
    size = float(np.linalg.norm(low))
    way = low / size if size > FLAT else np.full(3, np.nan)
    dlow = np.outer(axis, normal @ turn + axis @ dn) + (normal @ axis) * turn - dn
    dway = (dlow - np.outer(way, way @ dlow)) / size
    across = out @ way
    dacross = out @ dway - skew(way) @ turn
    cos, sin = np.cos(phase), np.sin(phase)
    return cos * way + sin * across, cos * dway + sin * dacross


def pair_slopes(world: World, group: Ints, by: Floats) -> Floats:
    """Return the slopes of detected contacts, shape (n, 7, 6 + parameters).

    NaN if neither side of a motion has a contact of the same feature, or if the closest points of
    two shapes are too rough: found by iteration, or at an edge of both.

    Args:
        world: the world.
        group: shape (n,), numbers of contacts of one pair of shapes.
        by: shape (shapes, 3, parameters), derivatives of the sizes; (1, 3, n) if these are zero.
    """
    detector, more = detector_of(world), by.shape[2]
    slopes = pair_differences(detector, group, STEP, world.metre)
    rough = np.array([unpack_key(k)[2] == CLOSEST for k in detector.found.key[group].tolist()])
    if rough.any():
        other = pair_differences(detector, group, 2.0 * STEP, world.metre)
        same = (abs(slopes - other) < ROUGH * (1.0 + abs(slopes))).all(axis=(1, 2))
        slopes[rough & ~np.asarray(same)] = np.nan
    slopes = np.concatenate([slopes, np.zeros((len(group), 7, more))], axis=2)
    for k in range(more if by.any() else 0):
        slopes[:, :, 6 + k] = size_differences(detector, group, by[..., k], STEP * world.metre)
    slopes[:, 3:6] = skew(detector.found.normal[group]) @ slopes[:, 3:6]
    return slopes


def size_differences(detector: Detector, group: Ints, by: Floats, h: float) -> Floats:
    """Return the changes of position, normal and gap of a pair's contacts with sizes, (n, 7).

    NaN if either side lacks a contact.

    Raises:
        SimulationError: if a library finds them, which does not follow the sizes.
    """
    found, d, out = detector.found, int(group[0]), np.full((2, len(group), 7), np.nan)
    i, j = int(found.shape_a[d]), int(found.shape_b[d])
    if not by[[i, j]].any():
        return np.zeros((len(group), 7))
    if not detector.closed(i, j):
        one, other = (detector.shapes[k].name for k in (i, j))
        raise SimulationError(
            f"derivatives: contacts of {one} and {other} have none by sizes of shapes"
        )
    still, sizes = np.eye(3, 4)[None], detector.sizes.copy()
    for values, way in zip(out, (h, -h), strict=True):
        try:
            detector.sizes[:] = sizes + way * by
            ((names, rows),) = detector.moved(i, j, still)
        finally:
            detector.sizes[:] = sizes
        for k, key in enumerate(found.key[group].tolist()):
            if key in names:
                values[k] = rows[names.index(key)]
    return np.asarray((out[0] - out[1]) / (2.0 * h))


@lru_cache
def displacements(step: float, metre: float, ways: tuple[float, ...]) -> Floats:
    """Return multiples of small motions along and about three axes, shape (6 ways, 3, 4)."""
    out = np.zeros((len(ways), 6, 3, 4))
    for motions, way in zip(out, ways, strict=True):
        motions[:3, :, 3] = way * step * metre * np.eye(3)
        motions[:, :, :3] = [rotation(way * step * axis) for axis in np.eye(6)[:, 3:]]
    return out.reshape(-1, 3, 4)


def pair_differences(detector: Detector, group: Ints, step: float, metre: float) -> Floats:
    """Return the changes of position, normal and gap of a pair's contacts, shape (n, 7, 6).

    Args:
        detector: the detector that has found them.
        group: shape (n,), their numbers.
        step: length of a difference: in metres of the scene's units, and [rad].
        metre: length of a metre in those units.
    """
    found, d = detector.found, int(group[0])
    i, j, at = int(found.shape_a[d]), int(found.shape_b[d]), found.position[d].copy()
    place, own = found.position[group], {int(key): k for k, key in enumerate(found.key[group])}
    here = np.column_stack([place, found.normal[group], found.gap[group]])
    sizes = step * np.array([metre] * 3 + [1.0] * 3)

    def moved(ways: tuple[float, ...]) -> Floats:
        """Return the contacts for multiples of the six motions, shape (ways, n, 7, 6)."""
        motions = displacements(step, metre, ways).copy()
        out = np.full((len(motions), *here.shape), np.nan)
        motions[:, :, 3] += at - motions[:, :, :3] @ at
        for values, (names, rows) in zip(out, detector.moved(i, j, motions), strict=True):
            for name, row in zip(names, rows, strict=True):
                if name in own:
                    values[own[name]] = row
        return np.asarray(out.reshape(-1, 6, *here.shape).transpose(0, 2, 3, 1))

    forth, back = moved((1.0, -1.0))
    slopes: Floats = (forth - back) / (2.0 * sizes)
    if np.isnan(slopes).any():
        far = moved((2.0, -2.0))
        for way, near, beyond in zip((1.0, -1.0), (forth, back), far, strict=True):
            side = way * (4.0 * near - beyond - 3.0 * here[:, :, None]) / (2.0 * sizes)
            slopes = np.where(np.isnan(slopes), side, slopes)
    slopes[:, :, 3:] -= slopes[:, :, :3] @ skew(at - place)  # motions are given at each point
    return slopes
