"""Pairs without a closed form: Coal finds normals and closest points, kernels the manifold.

Coal starts anew each time: no guess of an earlier call is kept, so that its answer depends on
the two poses alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.errors import RobotWarning
from footfall.geometry.shapes import (
    Box,
    Capsule,
    Convex,
    Cylinder,
    Geometry,
    HeightField,
    Sphere,
    TriangleMesh,
)
from footfall.geometry.triangles import surface
from footfall.typing import Floats
from footfall_stepper.collision.kernels.arrays import Geometries, ShapeKind
from footfall_stepper.collision.kernels.meshes.surface import EXACT, SLACK
from footfall_stepper.collision.shape import CollisionShape

Accuracy = tuple[float, float, int]
FINE: Accuracy = (1e-8, 1e-7, 256)
"""Tolerances of Coal's distances and penetrations, and the largest number of iterations."""
COARSE: Accuracy = (1e-6, 1e-6, 64)
"""The same for shapes for which the fine values do not converge (some curved shapes)."""
MOST_TRIANGLES = 4096
"""Largest number of triangles (pairs of them for two meshes) in contact for a pair of shapes."""
MOST_SEARCHED = 20_000
"""Largest number of triangles of a mesh that is searched for triangles that cross (0.5 s)."""


class CoalPairs:
    """Coal's answers for pairs of shapes.

    Args:
        shapes: by number.
        geometries: their packed arrays; poses and bounds are read.
        margin: largest gap of a contact, [m].
        metre: length of a metre in the scene's units. Coal's own tolerances are for metres: it
            gets all lengths over it.
    """

    def __init__(
        self, shapes: Sequence[CollisionShape], geometries: Geometries, margin: float, metre: float
    ) -> None:
        self._shapes, self._geometries = shapes, geometries
        self._made: dict[int, Any] = {}
        self._margin, self._metre = margin, metre
        self._answer = np.zeros(7)
        self._requests: dict[tuple[int, Accuracy], Any] = {}
        self._rows, self._way = np.zeros((16, 12)), np.zeros(4)

    def find(
        self,
        i: int,
        j: int,
        convex_pair: Callable[[], Callable[[int, int, Floats], None]],
        mesh_pair: Callable[[], Callable[[int, int, Floats, int], None]],
        shorter_way: Callable[[], Callable[[int, int, Floats, int, Floats, int], int]],
    ) -> None:
        """Pass Coal's answer for shapes i and j to a kernel, if they are within the margin.

        Args:
            i: first shape.
            j: second shape.
            convex_pair: returns the kernel for two convex shapes.
            mesh_pair: returns the kernel for a mesh and another shape.
            shorter_way: returns the kernel that follows it.
        """
        if not self._requests:
            self._prepare()
        kind = self._geometries.kind
        if kind[i] == ShapeKind.MESH:
            n, inside = self._triangles(i, j), self._may_be_inside(i, j)
        elif kind[j] == ShapeKind.MESH:
            n, inside = self._triangles(j, i), self._may_be_inside(j, i)
        else:
            if self._closest(i, j):
                convex_pair()(i, j, self._answer)
            return
        if n or inside:
            mesh_pair()(i, j, self._rows, n)
            shorter, free, self._way[:] = shorter_way(), 0, 0.0
            while shorter(i, j, self._rows, n, self._way, free):
                free = int(self._apart(*((i, j) if kind[i] == ShapeKind.MESH else (j, i))))

    def _apart(self, i: int, j: int) -> bool:
        """Return whether shape j would be free of mesh i once it has moved by ``_way``."""
        out, depth = self._way[:3], self._way[3] / self._metre
        one, two = self._placed(i, self._first), self._placed(j, self._second)
        far = (1.0 + EXACT) * depth + SLACK
        self._second.setTranslation(self._second.getTranslation() + far * out)
        self._result.clear()
        self._collide(one, self._first, two, self._second, self._touching, self._result)
        return not self._result.isCollision()

    def _may_be_inside(self, i: int, j: int) -> bool:
        """Return whether the bounds of one shape are inside those of the other, a closed mesh."""
        bounds, kind, size = self._geometries.bounds, self._geometries.kind, self._geometries.size
        return any(
            kind[a] == ShapeKind.MESH
            and size[a, 0] > 0.0
            and bool(
                (bounds[a, :3] <= bounds[b, :3]).all() and (bounds[b, 3:] <= bounds[a, 3:]).all()
            )
            for a, b in ((i, j), (j, i))
        )

    def _closest(self, i: int, j: int) -> bool:
        """Write normal, midpoint of the closest points, and gap; return whether they exist."""
        result = self._ask(i, j, 1)
        if not result.numContacts():
            return False
        contact, answer = result.getContact(0), self._answer
        answer[:3] = contact.normal
        if not is_unit(answer[:3]):
            answer[:3] = self._between(i, j)
        answer[3:6] = contact.pos
        answer[6] = contact.penetration_depth
        answer[3:] *= self._metre
        return not failed(contact)

    def _between(self, i: int, j: int) -> Floats:
        """Return the direction between the centres of two shapes; up, if the centres coincide."""
        bounds = self._geometries.bounds
        away: Floats = (bounds[j, :3] + bounds[j, 3:]) - (bounds[i, :3] + bounds[i, 3:])
        size = float(np.linalg.norm(away))
        return away / size if size > 0.0 else np.array([0.0, 0.0, 1.0])

    def _triangles(self, i: int, j: int) -> int:
        """Write a row for each triangle of mesh i that touches j; return their number."""
        result = self._ask(i, j, MOST_TRIANGLES)
        if result.numContacts() == MOST_TRIANGLES:
            one, other = (self._shapes[k].name for k in (i, j))
            message = f"{one} and {other}: more than {MOST_TRIANGLES} triangles meet, others are"
            warnings.warn(f"{message} left out: use a coarser mesh", RobotWarning, stacklevel=2)
        contacts = [contact for contact in result.getContacts() if not failed(contact)]
        contacts.sort(key=lambda contact: (contact.b1, contact.b2))
        if len(contacts) > len(self._rows):
            self._rows = np.zeros((2 * len(contacts), 12))
        for row, contact in zip(self._rows, contacts, strict=False):
            row[:3] = contact.normal
            if not is_unit(row[:3]):
                row[:3] = 0.0
            row[3:6] = contact.getNearestPoint1()
            row[6:9] = contact.getNearestPoint2()
            row[9], row[10], row[11] = contact.penetration_depth, contact.b1, contact.b2
            row[3:10] *= self._metre
        return len(contacts)

    def within(self, margin: float) -> None:
        """Set the largest gap of a contact, [m]."""
        self._margin = margin
        for request in self._requests.values():
            request.security_margin = margin

    def apart(self, i: int, j: int) -> tuple[float, Floats, Floats]:
        """Return distance, middle of the nearest points and normal from i to j, at any distance."""
        import coal

        if not self._requests:
            self._prepare()
        one, two = self._placed(i, self._first), self._placed(j, self._second)
        request, result = coal.DistanceRequest(True), coal.DistanceResult()
        request.gjk_tolerance, request.epa_tolerance, iterations = FINE
        request.gjk_max_iterations = request.epa_max_iterations = iterations
        gap = coal.distance(one, self._first, two, self._second, request, result)
        near, far = result.getNearestPoint1(), result.getNearestPoint2()
        normal = (far - near) / gap if gap > 0.0 else result.normal
        return gap, 0.5 * (near + far), normal

    def _ask(self, i: int, j: int, most: int) -> Any:
        """Return Coal's answer; a coarser one if the fine one does not converge."""
        result = self._try(i, j, most, FINE)
        if any(failed(contact) for contact in result.getContacts()):
            return self._try(i, j, most, COARSE)
        return result

    def _try(self, i: int, j: int, most: int, accuracy: Accuracy) -> Any:
        self._result.clear()
        one, two = self._placed(i, self._first), self._placed(j, self._second)
        request = self._requests[most, accuracy]
        self._collide(one, self._first, two, self._second, request, self._result)
        return self._result

    def _placed(self, i: int, place: Any) -> Any:
        """Return Coal's object for a shape, and write its pose."""
        made = self._made.get(i)
        if made is None:
            made = self._made[i] = coal_geometry(self._shapes[i].geometry, self._metre)
        pose = self._geometries.pose[i]
        place.setRotation(pose[:9].reshape(3, 3).T)
        place.setTranslation(pose[9:] / self._metre)
        return made

    def _prepare(self) -> None:
        """Build Coal's own objects when the first pair needs them."""
        import coal

        self._collide, self._result = coal.collide, coal.CollisionResult()
        self._first, self._second = coal.Transform3s(), coal.Transform3s()
        self._touching = coal.CollisionRequest()
        for most in (1, MOST_TRIANGLES):
            for accuracy in (FINE, COARSE):
                request = coal.CollisionRequest()
                request.num_max_contacts = most
                request.security_margin = self._margin / self._metre
                # The default guess does not depend on earlier calls.
                request.gjk_initial_guess = coal.GJKInitialGuess.DefaultGuess
                request.gjk_tolerance, request.epa_tolerance, iterations = accuracy
                request.gjk_max_iterations = request.epa_max_iterations = iterations
                self._requests[most, accuracy] = request


@lru_cache(maxsize=64)
def crossings(mesh: TriangleMesh) -> int:
    """Return how many pairs of triangles without a common corner meet, 0 if there are too many."""
    import coal

    if len(mesh.triangles) > MOST_SEARCHED:
        return 0
    solid, at, result = coal_geometry(mesh), coal.Transform3s(), coal.CollisionResult()
    request = coal.CollisionRequest()
    request.num_max_contacts, request.enable_contact = 1000 * len(mesh.triangles), False
    coal.collide(solid, at, solid, at, request, result)
    pairs = np.array([(contact.b1, contact.b2) for contact in result.getContacts()])
    one, two = mesh.triangles[pairs[:, 0], :, None], mesh.triangles[pairs[:, 1], None]
    return int((one != two).all(axis=(1, 2)).sum()) // 2


def failed(contact: Any) -> bool:
    """Return whether Coal failed for a contact: it then reports an infinite depth."""
    return not abs(contact.penetration_depth) < 1e30


def is_unit(normal: Floats) -> bool:
    """Return whether Coal has found a normal: it has none if surfaces touch exactly."""
    return bool(abs(normal @ normal - 1.0) < 1e-6)


def coal_geometry(geometry: Geometry, metre: float = 1.0) -> Any:
    """Return Coal's object for a geometry, with all lengths over ``metre``.

    Raises:
        TypeError: for a half-space, which is never passed to Coal.
    """
    import coal

    match geometry:
        case Sphere(radius):
            return coal.Sphere(radius / metre)
        case Box(size):
            return coal.Box(*(float(length) / metre for length in size))
        case Capsule(radius, length):
            return coal.Capsule(radius / metre, length / metre)
        case Cylinder(radius, length):
            return coal.Cylinder(radius / metre, length / metre)
        case Convex():
            return _convex(geometry, metre)
        case HeightField():
            return _mesh(geometry.mesh(), metre)
        case TriangleMesh():
            return _mesh(geometry, metre)
        case _:
            raise TypeError(f"no shape of Coal for {geometry}")


def _lists(vertices: Floats, triangles: npt.NDArray[np.int64]) -> tuple[Any, Any]:
    import coal

    points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for vertex in vertices:
        points.append(vertex)
    for a, b, c in triangles.tolist():
        faces.append(coal.Triangle(a, b, c))
    return points, faces


def _convex(convex: Convex, metre: float) -> Any:
    import coal

    return coal.Convex(*_lists(convex.vertices / metre, surface(convex).triangles))


def _mesh(mesh: TriangleMesh, metre: float) -> Any:
    import coal

    model = coal.BVHModelOBBRSS()
    model.beginModel(len(mesh.triangles), len(mesh.vertices))
    model.addSubModel(*_lists(mesh.vertices / metre, mesh.triangles))
    model.endModel()
    return model
