"""Convex hulls as polyhedra with polygonal faces, also as substitutes of meshes."""

from __future__ import annotations

import warnings

import numpy as np

from footfall.errors import RobotError, RobotWarning
from footfall.geometry.shapes import Convex, TriangleMesh
from footfall.geometry.triangles import is_closed, surface, volume
from footfall.typing import Floats, Ints

COPLANAR = 1e-7
"""Largest difference of two facets' planes in one face, relative to the size."""
HOLLOW = 0.01
"""Share of the hull's volume that a mesh may leave empty and still count as convex."""


def convex_hull(points: Floats, name: str = "convex") -> Convex:
    """Return the convex hull of points.

    Args:
        points: shape (n, 3), [m].
        name: name of the points, for errors.

    Raises:
        RobotError: if a number is not finite or the points span no volume.
    """
    from scipy.spatial import ConvexHull, QhullError

    points = np.asarray(points, float).reshape(-1, 3)
    if not np.isfinite(points).all():
        raise RobotError(f"{name}: points must be finite")
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError) as error:
        raise RobotError(f"{name}: {len(points)} points span no volume") from error
    kept = np.sort(hull.vertices)
    place = np.full(len(points), -1)
    place[kept] = np.arange(len(kept))
    size = float(np.ptp(points, axis=0).max())
    simplices = hull.simplices.astype(np.int64)
    corners = _counter_clockwise(points, simplices, hull.equations[:, :3])
    faces, normals = [], []
    for group in _coplanar(hull.equations, size):
        normal = hull.equations[group[0], :3]
        if len(group) == 1:
            faces.append(tuple(int(place[v]) for v in corners[group[0]]))
        else:
            faces.append(_around(points[kept], np.unique(place[corners[group]]), normal))
        normals.append(normal)
    return Convex(points[kept].copy(), tuple(faces), np.array(normals))


def _counter_clockwise(points: Floats, simplices: Ints, normals: Floats) -> Ints:
    """Return the facets' corners, counter-clockwise seen from outside."""
    a, b, c = (points[simplices[:, k]] for k in range(3))
    turned = np.einsum("ij,ij->i", np.cross(b - a, c - a), normals) < 0.0
    result: Ints = np.where(turned[:, None], simplices[:, ::-1], simplices)
    return result


def _coplanar(equations: Floats, size: float) -> list[list[int]]:
    """Return the facets of each plane."""
    from scipy.spatial import cKDTree

    scaled = equations / np.array([1.0, 1.0, 1.0, size])
    near = cKDTree(scaled).query_ball_point(scaled, COPLANAR, p=np.inf, return_sorted=True)
    taken, groups = np.zeros(len(scaled), bool), []
    for i, candidates in enumerate(near):
        if not taken[i]:
            group = [k for k in candidates if not taken[k]]
            taken[group] = True
            groups.append(group)
    return groups


def _around(vertices: Floats, corners: Ints, normal: Floats) -> tuple[int, ...]:
    """Return a face's corners counter-clockwise seen from outside."""
    centred = vertices[corners] - vertices[corners].mean(axis=0)
    u = centred[0] - normal * (centred[0] @ normal)
    w = np.cross(normal, u)
    angle = np.arctan2(centred @ w, centred @ u)
    return tuple(int(corners[k]) for k in np.argsort(angle, kind="stable"))


class HullWarning(RobotWarning):
    """A warning that a mesh is not convex and its convex hull is used for collisions.

    Attributes:
        mesh: its file, or another name.
        fault: its fault, e.g. ``"not closed"``.
    """

    def __init__(self, mesh: str, fault: str) -> None:
        self.mesh, self.fault = mesh, fault
        super().__init__(f"{mesh}: mesh is {fault}: its convex hull is used for collisions")


def fault_of(mesh: TriangleMesh, hull: Convex) -> str:
    """Return the difference of a mesh from its hull, e.g. ``not closed``, or empty text."""
    enclosed = hull_volume(hull)
    if not is_closed(mesh):
        return "not closed"
    if volume(mesh) < (1.0 - HOLLOW) * enclosed:
        return f"not convex (fills {100.0 * volume(mesh) / enclosed:.0f} % of its hull)"
    return ""


def tell_of_hull(name: str, fault: str) -> None:
    """Warn if a mesh has a fault."""
    if fault:
        warnings.warn(HullWarning(name, fault), stacklevel=3)


def hull_volume(hull: Convex) -> float:
    """Return the volume of a convex hull, [m^3]."""
    return volume(surface(hull))
