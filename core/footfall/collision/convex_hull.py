"""Convex hulls as polyhedra with polygonal faces, and what a mesh without decomposition becomes."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt

from footfall.collision.geometry import Convex, TriangleMesh
from footfall.collision.triangles import is_closed, volume
from footfall.errors import RobotError
from footfall.robot.mesh import RobotWarning

Floats = npt.NDArray[np.float64]
COPLANAR = 1e-7
"""Difference of two facets' planes up to which they are one face, relative to the size."""
HOLLOW = 0.01
"""Share of the hull's volume that a mesh may leave empty and still count as convex."""


def convex_hull(points: Floats, name: str = "convex") -> Convex:
    """Return the convex hull of points.

    Args:
        points: shape (n, 3), [m].
        name: what it is, for errors.

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
    groups, planes = _group(hull.equations, size)
    faces = []
    for group, plane in zip(groups, planes, strict=True):
        corners = np.unique(place[hull.simplices[group]])
        faces.append(_around(points[kept], corners, plane[:3]))
    return Convex(points[kept].copy(), tuple(faces), planes[:, :3].copy())


def _group(equations: Floats, size: float) -> tuple[list[npt.NDArray[np.int64]], Floats]:
    """Return the facets of each plane, and the planes (k, 4)."""
    scaled = equations / np.array([1.0, 1.0, 1.0, size])
    taken = np.zeros(len(scaled), bool)
    groups, planes = [], []
    for i in range(len(scaled)):
        if not taken[i]:
            same = ~taken & (np.abs(scaled - scaled[i]) <= COPLANAR).all(axis=1)
            taken |= same
            groups.append(np.flatnonzero(same))
            planes.append(equations[i])
    return groups, np.array(planes)


def _around(vertices: Floats, corners: npt.NDArray[np.int64], normal: Floats) -> tuple[int, ...]:
    """Return a face's corners counter-clockwise seen from outside."""
    centred = vertices[corners] - vertices[corners].mean(axis=0)
    u = centred[0] - normal * (centred[0] @ normal)
    w = np.cross(normal, u)
    angle = np.arctan2(centred @ w, centred @ u)
    return tuple(int(corners[k]) for k in np.argsort(angle, kind="stable"))


def hull_of_mesh(mesh: TriangleMesh, name: str) -> Convex:
    """Return the convex hull of a mesh; says so in one line if the mesh is not convex itself."""
    hull = convex_hull(mesh.vertices, name)
    enclosed = hull_volume(hull)
    if not is_closed(mesh):
        fault = "not closed"
    elif volume(mesh) < (1.0 - HOLLOW) * enclosed:
        fault = f"not convex (fills {100.0 * volume(mesh) / enclosed:.0f} % of its hull)"
    else:
        return hull
    message = f"{name}: mesh is {fault}: its convex hull is used for collisions"
    warnings.warn(message, RobotWarning, stacklevel=2)
    return hull


def hull_volume(hull: Convex) -> float:
    """Return the volume of a convex, [m^3]."""
    total = 0.0
    for face, normal in zip(hull.faces, hull.normals, strict=True):
        p = hull.vertices[list(face)]
        area = np.cross(p[1:-1] - p[0], p[2:] - p[0]).sum(axis=0)
        total += float(p[0] @ normal) * float(area @ normal) / 6.0
    return total
