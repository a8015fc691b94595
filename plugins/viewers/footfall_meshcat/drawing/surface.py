"""Indexed triangle surfaces with normals that keep creases sharp; cached for mesh files."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.api.advanced import MeshFile, drawn_triangles
from footfall.api.plugin import Floats, Ints
from footfall.api.viewer import Shape

Drawn = npt.NDArray[np.floating]
Triangles = npt.NDArray[np.float32]
Color = tuple[float, float, float, float]

LEVELS = 65535
"""Number of steps along the longest side of a surface's bounding box."""
CREASE = np.cos(np.deg2rad(35.0))
"""Cosine of the angle between neighbouring triangles above which their edge is drawn sharp."""


@dataclass(frozen=True, slots=True)
class Surface:
    """An indexed triangle mesh on a 16-bit lattice.

    A corner lies at ``lower + step * position``, at most ``step / 2`` along each axis from its
    original position: 2.3e-6 m for a part of 0.3 m.

    Attributes:
        lower: shape (3,), lower corner of the bounding box, [m].
        step: spacing of the lattice, [m].
        position: shape (n, 3), uint16, lattice coordinates.
        normal: shape (n, 3), int8, unit normals times 127 (within 0.4 degrees).
        index: shape (triangles, 3), uint16 or uint32, counter-clockwise seen from outside.
        parts: number of triangles of each part, and its material's number in ``materials``, -1 for
            none; in the order of the triangles.
        materials: materials of the mesh file: colour and image.
        coordinates: shape (n, 2), float32, texture coordinates, or None.
        lost: features of the file's look that cannot be shown.
    """

    lower: Floats
    step: float
    position: npt.NDArray[np.uint16]
    normal: npt.NDArray[np.int8]
    index: npt.NDArray[Any]
    parts: tuple[tuple[int, int], ...]
    materials: tuple[tuple[Color | None, str | None], ...] = ()
    coordinates: Triangles | None = None
    lost: tuple[str, ...] = ()


def weld(
    triangles: Triangles,
    scale: tuple[float, ...] = (1.0, 1.0, 1.0),
    material_of: Ints | None = None,
    coordinates: Triangles | None = None,
) -> Surface:
    """Return the surface of triangles, with corners shared if shading allows.

    Corners that coincide on the lattice become one vertex if the triangles around it are linked
    through edges that are not creases, and the texture coordinates are equal. The vertex has the
    area-weighted normal of all linked triangles. Triangles without area on the lattice are dropped.

    Args:
        triangles: shape (n, 3, 3), file units.
        scale: metres per file unit along x, y, z; an odd number of negative ones mirrors.
        material_of: shape (n,), numbers of materials; they determine the order of triangles.
        coordinates: shape (n, 3, 2), texture coordinates.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    of = np.zeros(len(triangles), np.int64) - 1 if material_of is None else material_of
    order = np.argsort(of, kind="stable")
    places: Drawn = np.zeros((len(of), 3, 0)) if coordinates is None else coordinates
    corners = triangles.astype(np.float64) * np.asarray(scale, np.float64)
    corners, places, of = corners[order], places[order], of[order]
    if np.prod(scale) < 0.0:
        corners, places = corners[:, ::-1], places[:, ::-1]
    lower = corners.min((0, 1))
    step = float((corners.max((0, 1)) - lower).max()) / LEVELS or 1.0 / LEVELS
    lattice = np.rint((corners - lower) / step).astype(np.int64)
    points, solid = _merge(lattice)
    corners, lattice, points = corners[solid], lattice[solid], points[solid]
    places, of = places[solid].reshape(points.size, -1), of[solid]

    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    links = _smooth_links(points, area)
    n = points.size
    graph = coo_array((np.ones(links.shape[1], np.int8), (links[0], links[1])), shape=(n, n))
    count, vertex = connected_components(graph, directed=False)

    shares = [np.bincount(vertex, np.repeat(area[:, k], 3), count) for k in range(3)]
    normal = np.rint(127.0 * _unit(np.stack(shares, axis=1).astype(np.float64))).astype(np.int8)
    if coordinates is not None:
        normal_of = vertex
        rows = np.column_stack([vertex, places])
        _, first, vertex = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        vertex, count, normal = vertex.reshape(-1), len(first), normal[normal_of[first]]
    position, place = np.empty((count, 3), np.uint16), np.empty((count, 2), np.float32)
    position[vertex] = lattice.reshape(-1, 3)
    if coordinates is not None:
        place[vertex] = places
    numbers, lengths = np.unique(of, return_counts=True)
    return Surface(
        lower,
        step,
        position,
        normal,
        vertex.reshape(-1, 3).astype(np.uint16 if count <= LEVELS else np.uint32),
        tuple(zip(lengths.tolist(), numbers.tolist(), strict=True)),
        coordinates=None if coordinates is None else place,
    )


def _merge(lattice: Ints) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Return numbers of distinct lattice points of (n, 3, 3) corners; a mask of nonzero areas."""
    keys = lattice[..., 0] | lattice[..., 1] << 16 | lattice[..., 2] << 32
    points = np.unique(keys, return_inverse=True)[1].reshape(-1, 3)
    edges = np.diff(lattice, axis=1)
    return points, np.asarray(np.cross(edges[:, 0], edges[:, 1]).any(1))


def _unit(vectors: Floats) -> Floats:
    size: Floats = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(size, 1e-300)


def _smooth_links(points: Ints, area: Floats) -> Ints:
    """Return pairs of corners (2, links) that share a point across an edge that is not a crease."""
    n = len(points)
    start, end = points.reshape(-1), np.roll(points, -1, axis=1).reshape(-1)
    corner_start = np.arange(3 * n)
    corner_end = np.roll(corner_start.reshape(-1, 3), -1, axis=1).reshape(-1)
    flip = start > end  # orient every edge from its lower point, so that neighbours agree
    low, high = np.where(flip, end, start), np.where(flip, start, end)
    corner_low = np.where(flip, corner_end, corner_start)
    corner_high = np.where(flip, corner_start, corner_end)
    order = np.lexsort((high, low))
    first, second = order[:-1], order[1:]
    same = (low[first] == low[second]) & (high[first] == high[second])
    first, second = first[same], second[same]
    unit = _unit(area)
    smooth = np.einsum("ij,ij->i", unit[first // 3], unit[second // 3]) > CREASE
    first, second = first[smooth], second[smooth]
    return np.stack(
        [
            np.concatenate([corner_low[first], corner_high[first]]),
            np.concatenate([corner_low[second], corner_high[second]]),
        ]
    )


KEPT = 256
"""Largest number of cached surfaces, [-]."""


def mesh_surface(shape: Shape) -> Surface:
    """Return the surface of a shape with a file; of its convex hull for a ``hull``.

    It is cached: a running scene is built again whenever an object is added or deleted, and the
    meshes of a robot take half a second.

    Raises:
        RobotError: if the file cannot be read or holds no triangles.
    """
    path = shape.mesh or ""
    try:
        changed = os.stat(path).st_mtime_ns
    except (OSError, ValueError):
        changed = 0  # reading it raises the error
    return _surface(shape.kind, path, tuple(shape.size), changed)


@lru_cache(KEPT)
def _surface(kind: str, path: str, scale: tuple[float, ...], changed: int) -> Surface:
    if kind == "heightfield":
        return weld(drawn_triangles(Shape(kind, scale, path)).astype(np.float32))
    if kind == "mesh":
        mesh = MeshFile.read(path)
        corners = mesh.vertices[mesh.indices]
        surface = weld(corners, scale, mesh.material_of, mesh.coordinates)
        return replace(surface, materials=mesh.materials, lost=mesh.lost)
    in_file = drawn_triangles(Shape(kind, (1.0, 1.0, 1.0), path))
    return weld(in_file.astype(np.float32), scale)
