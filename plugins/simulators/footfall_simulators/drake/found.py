"""Drake's contacts between shapes, in the form of Footfall's detectors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from pydrake.geometry import HydroelasticContactRepresentation
from pydrake.systems.framework import Context
from scipy.optimize import nnls

from footfall.api.plugin import Floats
from footfall_simulators.drake.model import Touching, Translation
from footfall_stepper.api import Collider, FoundContacts

POLYGONS = HydroelasticContactRepresentation.kPolygon


class Point(NamedTuple):
    """A contact of two shapes.

    Attributes:
        touching: the two shapes.
        feature: index of the contact among those of the two shapes.
        position: shape (3,), world, [m].
        normal: shape (3,), unit vector from the first to the second shape, world.
        gap: distance, [m].
    """

    touching: Touching
    feature: int
    position: Floats
    normal: Floats
    gap: float


class Contacts:
    """A detector that uses Drake: point pairs and contact surfaces at the state's positions.

    A surface becomes up to four points at its border; its force is spread over them.

    Attributes:
        found: contacts of the last call; tagged with their indices in ``points``.
        points: the same contacts, in the order of Drake's results.
        shapes: shapes that can touch.
    """

    def __init__(
        self, translation: Translation, context: Context, collider: Collider, soft: bool
    ) -> None:
        self._here, self._context, self._key = translation, context, collider.key
        self.shapes, self.found = collider.shapes, FoundContacts()
        self.groups, self.excluded = collider.detector.groups, collider.detector.excluded
        self.points: list[Point] = []
        self._soft, self._q = soft, np.zeros(len(translation.q))
        self._query = translation.plant.get_geometry_query_input_port()

    def connect(self, q: Floats) -> None:
        """Store the array of positions, shape (nq,)."""
        self._q = q

    def bound(self, poses: Floats) -> None:
        """Offer no kernel."""

    def detect(self, poses: Floats) -> FoundContacts:
        """Find the contacts at the positions in the state, to which the poses belong."""
        plant = self._here.plant
        plant.SetPositions(self._context, self._q[self._here.q])
        self.points = list(self._points(self._query.Eval(self._context)))
        self._take()
        return self.found

    def _points(self, query: Any) -> Iterator[Point]:
        pairs, surfaces = query.ComputePointPairPenetration(), []
        depth = {_numbers(pair.id_A, pair.id_B): float(pair.depth) for pair in pairs}
        if self._soft:
            surfaces, pairs = query.ComputeContactSurfacesWithFallback(POLYGONS)
        for pair in pairs:
            ids = _numbers(pair.id_A, pair.id_B)
            touching = self._here.pairs[ids]
            if touching.declared < 0:
                normal = pair.nhat_BA_W if touching.second == ids[0] else -pair.nhat_BA_W
                yield Point(touching, 0, 0.5 * (pair.p_WCa + pair.p_WCb), normal, -pair.depth)
        for surface in surfaces:
            ids = _numbers(surface.id_M(), surface.id_N())
            gap = -depth.get(ids, depth.get(ids[::-1], 0.0))
            places, normal = _support(surface, self._here.pairs[ids])
            for feature, place in enumerate(places):
                yield Point(self._here.pairs[ids], feature, place, normal, gap)

    def _take(self) -> None:
        points, order = self.points, np.arange(len(self.points))
        numbers = np.array([p.touching.numbers for p in points], np.int64).reshape(-1, 2)
        links = np.array([p.touching.links for p in points], np.int64).reshape(-1, 2)
        self.found.take(
            key=np.array([self._key(*p.touching.numbers, p.feature) for p in points], np.int64),
            geometry_a=numbers[:, 0],
            geometry_b=numbers[:, 1],
            link_a=links[:, 0],
            link_b=links[:, 1],
            position=np.array([p.position for p in points]).reshape(-1, 3),
            normal=np.array([p.normal for p in points]).reshape(-1, 3),
            gap=np.array([p.gap for p in points]),
            tag=order,
        )


def _numbers(a: Any, b: Any) -> tuple[int, int]:
    return int(a.get_value()), int(b.get_value())


def _support(surface: Any, touching: Touching) -> tuple[list[Floats], Floats]:
    """Return up to four points at the border of a surface, and its normal, first to second."""
    mesh = surface.poly_mesh_W()
    vertices = np.array([mesh.vertex(k) for k in range(mesh.num_vertices())])
    area = sum(surface.area(k) * surface.face_normal(k) for k in range(surface.num_faces()))
    normal = area / np.linalg.norm(area)  # out of N, into M
    if touching.first == int(surface.id_M().get_value()):
        normal = -normal
    away = vertices - surface.centroid()
    a = int(np.argmax(np.einsum("ni,ni->n", away, away)))
    along = vertices - vertices[a]
    b = int(np.argmax(np.einsum("ni,ni->n", along, along)))
    side = along @ np.cross(normal, along[b])
    chosen = dict.fromkeys((a, b, int(np.argmax(side)), int(np.argmin(side))))
    return [vertices[k] for k in chosen], normal


def spread(points: list[Point], centre: Floats, force: Floats, moment: Floats) -> Floats:
    """Return forces at points, shape (n, 3), that sum to a force and a moment about a centre.

    No force pulls; friction is shared like the normal forces. If the points cannot give the moment,
    the nearest possible moment is used.
    """
    normal = points[0].normal
    arms = np.array([p.position for p in points]) - centre
    levers = np.cross(arms, normal)
    size = float(np.abs(arms).max()) or 1.0
    push, tilt = float(force @ normal), moment - (moment @ normal) * normal
    sums, whole = np.vstack([np.ones(len(points)), levers.T / size]), np.r_[push, tilt / size]
    pressing, *_ = np.linalg.lstsq(sums, whole)
    if (pressing < 0.0).any():
        pressing, _ = nnls(sums, whole)
    found = pressing[:, None] * normal
    rest, twist = force - found.sum(axis=0), (moment - np.cross(arms, found).sum(axis=0)) / size
    more = np.zeros((6, 3 * len(points)))
    for k, (arm, weight) in enumerate(zip(arms / size, pressing, strict=True)):
        x, y, z = arm
        turning = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        more[:, 3 * k : 3 * k + 3] = weight * np.vstack([np.eye(3), turning])
    beside, *_ = np.linalg.lstsq(more, np.r_[rest, twist])
    return found + pressing[:, None] * beside.reshape(-1, 3)
