"""Triangle meshes: degenerate triangles, neighbours, mass properties of the enclosed solid."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footfall.errors import RobotError, RobotWarning
from footfall.geometry.shapes import Convex, TriangleMesh
from footfall.typing import Floats, Ints

LEVEL = 1e-5
"""Angle between two triangles below which the edge between them is none, [rad]."""
DEGENERATE = 1e-10
"""Ratio of height to longest edge of a triangle below which it is degenerate."""


def clean(corners: Floats, name: str) -> TriangleMesh:
    """Return the mesh of loose triangles: merge corners, remove useless triangles.

    Args:
        corners: shape (n, 3, 3), [m].
        name: name of the mesh, for errors and the warning about removed triangles.

    Raises:
        RobotError: if a number is not finite, or no triangle is left.
    """
    corners = np.asarray(corners, float).reshape(-1, 3, 3)
    if not np.isfinite(corners).all():
        raise RobotError(f"{name}: mesh has corners that are not finite")
    edges = corners - np.roll(corners, -1, axis=1)
    longest = np.linalg.norm(edges, axis=2).max(axis=1, initial=0.0)
    twice_area = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1)
    vertices, index = _distinct(corners.reshape(-1, 3))
    triangles = index.reshape(-1, 3)
    good = twice_area > DEGENERATE * longest**2
    good &= _first_of_each(triangles)
    if not good.any():
        raise RobotError(f"{name}: mesh has no triangle with an area ({len(corners)} given)")
    bad = int(len(good) - good.sum())
    if bad:
        message = f"{name}: {bad} of {len(good)} triangles degenerate or given twice, left out"
        warnings.warn(message, RobotWarning, stacklevel=2)
    return TriangleMesh(vertices, np.ascontiguousarray(triangles[good]))


def _first_of_each(triangles: Ints) -> npt.NDArray[np.bool_]:
    """Return whether each triangle is the first with its three corners in their cyclic order."""
    start = triangles.argmin(axis=1)[:, None]
    turned = np.take_along_axis(triangles, (start + np.arange(3)) % 3, axis=1)
    _, first = np.unique(turned, axis=0, return_index=True)
    result = np.zeros(len(triangles), bool)
    result[first] = True
    return result


def _distinct(points: Floats) -> tuple[Floats, Ints]:
    """Return the distinct points in lexical order, and the index of each point among them."""
    order = np.lexsort(points.T[::-1])
    ordered = points[order]
    new = np.ones(len(points), bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    index = np.zeros(len(points), np.int64)
    index[order] = np.cumsum(new) - 1
    return ordered[new], index


def normals(mesh: TriangleMesh) -> Floats:
    """Return the outward unit normals, shape (m, 3)."""
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    result: Floats = n / np.linalg.norm(n, axis=1)[:, None]
    return result


def opposite(mesh: TriangleMesh) -> Ints:
    """Return for each edge the opposite vertex in the neighbouring triangle, -1 if there is none.

    Shape (3 m,): edge k of a triangle runs from its corner k to the next. An edge of more than two
    triangles also gets -1.
    """
    return _of_neighbours(mesh, np.roll(mesh.triangles, -2, axis=1).ravel())


def _of_neighbours(mesh: TriangleMesh, value: Ints) -> Ints:
    """Return for each edge the value at the same edge of the other triangle, shape (3 m,)."""
    edge = np.stack([mesh.triangles, np.roll(mesh.triangles, -1, axis=1)], 2).reshape(-1, 2)
    code = edge.min(axis=1) * len(mesh.vertices) + edge.max(axis=1)
    _, index, count = np.unique(code, return_inverse=True, return_counts=True)
    total = np.zeros(len(count), np.int64)
    np.add.at(total, index, value)
    # The value of the other triangle at an edge is the sum of both minus the own one.
    result: Ints = np.where(count[index] == 2, total[index] - value, -1)
    return result


def level(mesh: TriangleMesh) -> tuple[Ints, Ints]:
    """Return for each edge whether its triangles are level, and for each corner whether all are.

    Both have shape (3 m,), 0 or 1, in the order of ``opposite``.
    """
    n, own = normals(mesh), np.repeat(np.arange(len(mesh.triangles)), 3)
    other = _of_neighbours(mesh, own)
    bent = np.linalg.norm(np.cross(n[own], n[other]), axis=1)
    edge = (other >= 0) & (bent < LEVEL) & (np.einsum("ij,ij->i", n[own], n[other]) > 0.0)
    sharp = np.zeros(len(mesh.vertices), bool)
    sharp[mesh.triangles.ravel()[~edge]] = True
    sharp[np.roll(mesh.triangles, -1, axis=1).ravel()[~edge]] = True
    return edge.astype(np.int64), (~sharp[mesh.triangles.ravel()]).astype(np.int64)


def fans(mesh: TriangleMesh) -> tuple[Ints, Ints]:
    """Return the neighbours of each vertex: their start indices, shape (n + 1,), and the list."""
    t = mesh.triangles
    pairs = np.concatenate([t[:, [i, j]] for i in range(3) for j in range(3) if i != j])
    n = len(mesh.vertices)
    code = np.unique(pairs[:, 0] * n + pairs[:, 1])
    start = np.searchsorted(code, np.arange(n + 1) * n)
    return start.astype(np.int64), code % n


def thick(mesh: TriangleMesh, depth: float, name: str) -> TriangleMesh:
    """Return the closed mesh of an open one that gets a thickness behind its triangles.

    The back of a vertex is on the mean of its triangles' normals, as far that it is on average
    ``depth`` behind their planes: exact where at most two planes meet.

    Args:
        mesh: the sheet.
        depth: thickness, [m].
        name: name of the mesh, for errors.

    Raises:
        RobotError: if the mesh is closed, more than two triangles meet in an edge, or the sheet is
            smaller than the thickness or folds over.
    """
    beside, t, n = opposite(mesh), mesh.triangles, normals(mesh)
    if (beside >= 0).all():
        raise RobotError(f"{name}: thickness has no effect: the mesh is closed, a solid")
    size = float(np.ptp(mesh.vertices, axis=0).max())
    if depth > size:
        raise RobotError(f"{name}: thickness {depth:g} m is larger than the mesh ({size:g} m)")
    out, count = np.zeros_like(mesh.vertices), np.zeros(len(mesh.vertices))
    corner = mesh.vertices[t]
    for k in range(3):
        one, two = corner[:, k - 1] - corner[:, k], corner[:, k - 2] - corner[:, k]
        angle = np.arctan2(np.linalg.norm(np.cross(one, two), axis=1), (one * two).sum(axis=1))
        np.add.at(out, t[:, k], angle[:, None] * n)
    out /= np.maximum(np.linalg.norm(out, axis=1), 1e-300)[:, None]
    along = np.zeros(len(out))
    np.add.at(along, t.ravel(), (out[t] * n[:, None]).sum(axis=2).ravel())
    np.add.at(count, t.ravel(), 1.0)
    back = mesh.vertices - depth * out / np.maximum(along / np.maximum(count, 1.0), 0.1)[:, None]
    a, b = t.ravel()[beside < 0], np.roll(t, -1, axis=1).ravel()[beside < 0]
    m = len(out)
    sides = np.stack([b, a, a + m, b, a + m, b + m], 1).reshape(-1, 3)
    whole = TriangleMesh(
        np.concatenate([mesh.vertices, back]), np.concatenate([t, t[:, ::-1] + m, sides])
    )
    turned = normals(whole)[len(t) : 2 * len(t)]
    if not is_closed(whole) or ((turned * n).sum(axis=1) > 0.0).any():
        raise RobotError(f"{name}: a sheet of {depth:g} m folds over: use a smaller thickness")
    return whole


def volume(mesh: TriangleMesh) -> float:
    """Return the volume that a closed mesh encloses, [m^3]."""
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def is_closed(mesh: TriangleMesh) -> bool:
    """Return whether every edge has exactly two triangles."""
    return bool((opposite(mesh) >= 0).all())


def surface(convex: Convex) -> TriangleMesh:
    """Return the surface of a convex polyhedron: each face as a fan from its first corner."""
    triangles = [
        (face[0], face[k], face[k + 1]) for face in convex.faces for k in range(1, len(face) - 1)
    ]
    return TriangleMesh(convex.vertices, np.array(triangles, np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A uniform solid of density 1.

    Attributes:
        volume: [m^3].
        com: shape (3,), centre of mass, [m].
        inertia: shape (3, 3), about the centre of mass, for a density of 1 kg/m^3, [m^5].
    """

    volume: float
    com: Floats
    inertia: Floats


def solid_of(mesh: TriangleMesh, name: str) -> Solid:
    """Return the solid inside a closed mesh.

    It sums the signed tetrahedra from the origin over each triangle: with corners a, b, c,
    ``V = det(a, b, c) / 6``, first moment ``V (a + b + c) / 4``, second moment
    ``V / 20 (a a' + b b' + c c' + s s')`` with ``s = a + b + c`` (Tonon, Explicit exact formulas
    for the 3-D tetrahedron inertia tensor, J. Math. Stat. 1, 2005).

    Args:
        mesh: closed, its triangles counter-clockwise seen from outside.
        name: name of the mesh, for errors.

    Raises:
        RobotError: if it is not closed, or encloses no volume (is inside out).
    """
    if not is_closed(mesh):
        raise RobotError(f"{name}: mesh is not closed: it has no volume")
    corners = mesh.vertices[mesh.triangles]
    volumes = np.linalg.det(corners) / 6.0
    total, sums = float(volumes.sum()), corners.sum(axis=1)
    if total <= 0.0:
        raise RobotError(f"{name}: mesh is inside out: its volume is {total:.3g} m^3")
    com = volumes @ sums / (4.0 * total)
    second = np.einsum("t,tki,tkj->ij", volumes, corners, corners)
    second += np.einsum("t,ti,tj->ij", volumes, sums, sums)
    about_com = second / 20.0 - total * np.outer(com, com)
    inertia = np.trace(about_com) * np.eye(3) - about_com
    return Solid(total, com, 0.5 * (inertia + inertia.T))
