"""Readers of mesh files: STL, OBJ, DAE (Collada) and MuJoCo's MSH."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt

from footfall.api.advanced import MeshFile
from footfall.api.plugin import Floats, Ints
from footfall_import.meshes.looks import Effects, Looks, Material, read_libraries, without_effects

Corners = npt.NDArray[np.float32]
_STL_HEADER = 84  # bytes before the first facet: 80 of comment, 4 of count
_STL_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_STL_CORNER = re.compile(rb"\bvertex\s+([^\s_]+)\s+([^\s_]+)\s+([^\s_]+)")
_MSH_HEADER = 16  # bytes: four counts


def read_stl(path: Path) -> MeshFile:
    """Read an STL, binary or text.

    Raises:
        OSError: if it cannot be read.
        ValueError: if it is damaged.
    """
    data = path.read_bytes()
    count = int.from_bytes(data[80:84], "little")
    whole = len(data) >= _STL_HEADER + count * _STL_FACET.itemsize
    if len(data) >= _STL_HEADER and whole and not (data[:5] == b"solid" and b"facet" in data[:400]):
        corners = np.frombuffer(data, _STL_FACET, count, _STL_HEADER)["corners"]
    else:
        words = np.array(_STL_CORNER.findall(data), "S")
        if len(words) != 3 * data.count(b"endfacet") or (len(words) and b"endsolid" not in data):
            raise ValueError("it is cut off, or no STL")
        corners = words.astype(np.float32)
    indices = np.arange(corners.size // 3, dtype=np.int64).reshape(-1, 3)
    return MeshFile(corners.reshape(-1, 3).copy(), indices)


def read_msh(path: Path) -> MeshFile:
    """Read MuJoCo's own format: counts, then vertices, normals, texture coordinates, faces.

    Raises:
        OSError: if it cannot be read.
        ValueError: if it is damaged.
    """
    data = path.read_bytes()
    n, normals, places, faces = (int(k) for k in np.frombuffer(data, "<i4", 4))
    before = _MSH_HEADER + 4 * (3 * n + 3 * normals + 2 * places)
    expected = before + 12 * faces
    if min(n, normals, places, faces) < 0 or len(data) != expected:
        raise ValueError(f"its counts make it {expected} bytes, it has {len(data)}")
    vertices = np.frombuffer(data, "<f4", 3 * n, _MSH_HEADER).reshape(-1, 3)
    indices = np.frombuffer(data, "<i4", 3 * faces, before).reshape(-1, 3).astype(np.int64)
    if places != n:
        return MeshFile(vertices, indices)
    place = np.frombuffer(data, "<f4", 2 * n, before - 8 * n).reshape(-1, 2)
    place = np.column_stack([place[:, 0], 1.0 - place[:, 1]]).astype(np.float32)  # from the top
    return MeshFile(vertices, indices, coordinates=place[indices % n])


def read_obj(path: Path) -> MeshFile:
    """Read vertices, faces, materials and texture coordinates of an OBJ.

    All objects and groups become one mesh.

    Raises:
        OSError: if it cannot be read.
        ValueError: if it is damaged.
    """
    rows: dict[str, list[list[str]]] = {"v": [], "vt": []}
    faces: list[list[tuple[int, int]]] = []
    libraries, names, named = [], [""], []
    for line in path.read_text(errors="replace").replace("\\\n", " ").splitlines():
        word, *rest = line.split() or [""]
        if word in ("v", "vt", "f") and ("_" in line or not line.isascii()):
            raise ValueError(f"not numbers: {line[:60]!r}")
        if word in rows:
            rows[word].append(rest[: 3 if word == "v" else 2])
        elif word == "f":
            faces.append([_obj_corner(corner, rows) for corner in rest])
            named.append(names[-1])
        elif word == "usemtl":
            names.append(" ".join(rest))
        elif word == "mtllib":
            libraries.append(" ".join(rest))
    vertices = np.array(rows["v"], np.float64).astype(np.float32).reshape(-1, 3)
    corners = np.array([corner for face in faces for corner in face], np.int64).reshape(-1, 2)
    triangles, of_face = _cut(vertices, corners[:, 0], [len(face) for face in faces])
    looks = read_libraries(path, libraries)
    used = list(dict.fromkeys(named))
    materials = [looks.materials.get(name) for name in used]
    return _painted(
        vertices,
        corners[triangles, 0],
        [materials[used.index(name)] for name in used],
        np.array([used.index(name) for name in named], np.int64)[of_face],
        _places(rows["vt"], corners[triangles, 1]),
        looks,
    )


def _obj_corner(text: str, rows: dict[str, list[list[str]]]) -> tuple[int, int]:
    """Return the vertex and texture coordinate indices of a face's corner, from 0; -1 if none.

    Negative numbers in the file count back from the last entry read.
    """
    parts = text.split("/")
    vertex, place = int(parts[0]), int(parts[1]) if len(parts) > 1 and parts[1] else 0
    return (
        vertex - 1 if vertex > 0 else vertex + len(rows["v"]),
        place - 1 if place >= 0 else place + len(rows["vt"]),
    )


def _places(rows: Sequence[Sequence[str]], wanted: Ints) -> Corners | None:
    """Return the texture coordinates of triangles' corners, None if any corner has none."""
    if not rows or wanted.min(initial=0) < 0 or wanted.max(initial=0) >= len(rows):
        return None
    places: Corners = np.array(rows, np.float64).astype(np.float32)[wanted]
    return places


def read_dae(path: Path) -> MeshFile:
    """Read a Collada file, with the placements of its nodes, scaled to metres by its ``unit``.

    A geometry has one primitive per material; they share the geometry's vertices. Lines are left
    out. The ``up_axis`` is ignored.

    Raises:
        OSError: if it cannot be read.
        ValueError: if it is damaged.
    """
    from collada.common import DaeError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pycollada's own: numpy.matrix, missing dates
        try:
            return _collada(path)
        except (DaeError, SyntaxError, AttributeError, TypeError) as error:
            raise ValueError(" ".join(str(error).split()) or "it is damaged") from error


def _collada(path: Path) -> MeshFile:
    from collada import Collada
    from collada.common import DaeBrokenRefError, DaeUnsupportedError
    from collada.lineset import BoundLineSet

    top = ElementTree.fromstring(path.read_bytes())
    effects = Effects(top, path)
    bare = BytesIO(ElementTree.tostring(without_effects(top)))
    document = Collada(bare, ignore=[DaeBrokenRefError, DaeUnsupportedError])
    vertices, indices = [np.zeros((0, 3))], [np.zeros((0, 3), np.int64)]
    symbols: list[str] = []
    of_triangle, places = [np.zeros(0, np.int64)], [np.zeros((0, 3, 2), np.float32)]
    for geometry in document.scene.objects("geometry") if document.scene else ():
        for primitive in geometry.primitives():
            corners = primitive.vertex_index
            if isinstance(primitive, BoundLineSet) or corners is None:
                continue
            if not np.array_equal(primitive.vertex, vertices[-1]):
                vertices.append(primitive.vertex)
            ends = [(0, 3)] * len(corners) if corners.ndim == 2 else primitive.polyindex
            flat = corners.reshape(-1)
            triangles, _ = _cut(primitive.vertex, flat, [end - first for first, end in ends])
            indices.append(sum(map(len, vertices[:-1])) + flat[triangles])
            symbols.append(effects.target(primitive))
            of_triangle.append(np.full(len(triangles), len(symbols) - 1))
            places.append(_collada_places(primitive, triangles))
    unit = top.find("{*}asset/{*}unit[@meter]")
    metres = 1.0 if unit is None else float(unit.get("meter", ""))
    return _painted(
        (np.concatenate(vertices) * metres).astype(np.float32),
        np.concatenate(indices),
        [effects.material(symbol) for symbol in symbols],
        np.concatenate(of_triangle),
        np.concatenate(places),
        effects.looks,
    )


def _collada_places(primitive: Any, triangles: Ints) -> Corners:
    """Return the texture coordinates of a primitive's triangles, zeros if it has none."""
    if not primitive.texcoordset:
        return np.zeros((len(triangles), 3, 2), np.float32)
    wanted = primitive.texcoord_indexset[0].reshape(-1)[triangles]
    found: Corners = primitive.texcoordset[0][wanted][..., :2].astype(np.float32)
    return found


def _painted(
    vertices: Corners,
    indices: Ints,
    materials: Sequence[Material | None],
    of_triangle: Ints,
    places: Corners | None,
    looks: Looks,
) -> MeshFile:
    """Return a mesh; equal materials are merged, and unused texture coordinates are dropped."""
    known = tuple(dict.fromkeys(material for material in materials if material is not None))
    number = [-1 if material is None else known.index(material) for material in materials]
    textured = any(image for _, image in known) or not known
    return MeshFile(
        vertices,
        indices,
        known,
        np.array(number, np.int64)[of_triangle] if known else None,
        places if textured and places is not None and places.any() else None,
        looks.companions,
        looks.lost,
    )


def _cut(vertices: npt.ArrayLike, corners: Ints, lengths: Sequence[int]) -> tuple[Ints, Ints]:
    """Cut faces into triangles; return the triangles' corner numbers, and each one's face.

    Args:
        vertices: shape (n, 3).
        corners: the vertices of all faces, one face after the other.
        lengths: numbers of corners of each face.

    Raises:
        ValueError: if a vertex does not exist.
    """
    points = np.asarray(vertices, float)
    if len(corners) and not 0 <= corners.min() <= corners.max() < len(points):
        raise ValueError(f"a face names a vertex that is not one of the {len(points)}")
    first = np.cumsum([0, *lengths])
    if all(length == 3 for length in lengths):
        return np.arange(3 * len(lengths)).reshape(-1, 3), np.arange(len(lengths))
    faces = [range(a, b) for a, b in pairwise(first)]
    triangles = cut_faces(points[corners], faces)
    return triangles, np.searchsorted(first, triangles.min(axis=1), side="right") - 1


def cut_faces(vertices: npt.ArrayLike, faces: Iterable[Sequence[int]]) -> Ints:
    """Return the triangles that faces are cut into, shape (m, 3).

    A quadrangle is cut along its shorter diagonal, as in MuJoCo, because the mass of a mesh depends
    on the cut if the quadrangle is not flat. A face with more corners is cut by its ears.

    Args:
        vertices: shape (n, 3).
        faces: indices of the vertices around each face; faces of fewer than three are left out.
    """
    points = np.asarray(vertices, float)
    triangles: list[Sequence[int]] = []
    for face in faces:
        if len(face) == 3:
            triangles.append(face)
        elif len(face) == 4:
            triangles += _halves(points, list(face))
        else:
            triangles += _ears(points, list(face))
    return np.array(triangles, np.int64).reshape(-1, 3)


def _halves(points: Floats, face: list[int]) -> list[Sequence[int]]:
    a, b, c, d = points[face]
    first = int((a - c) @ (a - c) >= (b - d) @ (b - d))
    i, j, k, m = face[first:] + face[:first]
    return [(i, j, k), (i, k, m)]


def _ears(points: Floats, left: list[int]) -> list[Sequence[int]]:
    """Cut a polygon into triangles, one ear after the other.

    An ear is a convex corner whose triangle holds no other corner, seen along the polygon's normal.
    A polygon that crosses itself may have no ear; then its last corner is cut off.
    """
    flat = dict(zip(left, _seen_along_normal(points[left]), strict=True))
    triangles: list[Sequence[int]] = []
    while len(left) >= 3:
        for k in range(len(left)):
            ear = left[k - 1], left[k], left[(k + 1) % len(left)]
            a, b, c = (flat[corner] for corner in ear)
            if _turn(a, b, c) > 0.0 and not any(
                _turn(a, b, p) > 0.0 and _turn(b, c, p) > 0.0 and _turn(c, a, p) > 0.0
                for p in (flat[corner] for corner in left)
            ):
                break
        triangles.append(ear)
        del left[k]
    return triangles


def _seen_along_normal(around: Floats) -> list[complex]:
    """Return a polygon's corners in its plane; its normal is Newell's, the sum of x_i x x_(i+1)."""
    normal = np.cross(around, np.roll(around, -1, axis=0)).sum(axis=0)
    across = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    above = np.cross(normal, across)
    x, y = around @ across, around @ above / (np.linalg.norm(normal) or 1.0)
    return [complex(*corner) for corner in zip(x, y, strict=True)]


def _turn(a: complex, b: complex, c: complex) -> float:
    """Return twice the area of a triangle, positive if it is counter-clockwise."""
    return ((b - a).conjugate() * (c - a)).imag
