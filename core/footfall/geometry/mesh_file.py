"""The reader of mesh files: triangles, with the file's transforms and units, not its up-axis."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

import numpy as np
import numpy.typing as npt

from footfall.errors import RobotError

Triangles = npt.NDArray[np.float32]

_NOISE = ("From file:", "in function:", "at line:", "message: Could not load", "Hint:")
_STL_HEADER = 84  # bytes before the first facet: 80 of comment, 4 of count
_STL_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def read_triangles(path: str | Path) -> Triangles:
    """Return the triangles of an STL, OBJ or DAE file, shape (n, 3, 3): corners in file units.

    Binary STL is read here; everything else by Assimp through ``coal``, which comes with Pinocchio.
    A Collada file gives metres, by its ``unit``; as usual for URDF its ``up_axis`` is ignored.
    Materials are ignored as well.

    Raises:
        RobotError: if the file cannot be read or holds no triangles.
    """
    path = Path(path)
    try:
        data = path.read_bytes() if path.suffix.lower() == ".stl" else b""
        triangles = _binary_stl(data) if _is_binary_stl(data) else _with_coal(path)
    except OSError as error:
        raise RobotError(f"{path}: mesh cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise RobotError(f"{path}: mesh cannot be read: {error}") from error
    if not len(triangles) or not np.isfinite(triangles).all():
        raise RobotError(f"{path}: mesh has no triangles, or corners that are not finite")
    return triangles


def _is_binary_stl(data: bytes) -> bool:
    if len(data) < _STL_HEADER:
        return False
    count = int.from_bytes(data[80:84], "little")
    return len(data) >= _STL_HEADER + count * _STL_FACET.itemsize and not (
        data[:5] == b"solid" and b"facet" in data[:400]
    )


def _binary_stl(data: bytes) -> Triangles:
    count = int.from_bytes(data[80:84], "little")
    facets = np.frombuffer(data, _STL_FACET, count, _STL_HEADER)
    return np.ascontiguousarray(facets["corners"])


def _with_coal(path: Path) -> Triangles:
    import coal

    if not path.is_file():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    try:
        model = coal.MeshLoader(coal.NODE_TYPE.BV_AABB).load(str(path), np.ones(3))
    except (RuntimeError, ValueError) as error:
        raise ValueError(_reason(str(error), path)) from error
    corners = [model.tri_indices(i) for i in range(model.num_tris)]
    indices = np.array([(c[0], c[1], c[2]) for c in corners], np.int64)
    vertices = np.asarray(model.vertices(), np.float32) * np.float32(_collada_unit(path))
    return vertices[indices.reshape(-1, 3)]


def _collada_unit(path: Path) -> float:
    """Metres a unit of a Collada file, which coal leaves to its caller; 1 for other formats."""
    if path.suffix.lower() != ".dae":
        return 1.0
    with path.open("rb") as file:
        unit = re.search(rb"<unit\b[^>]*\bmeter\s*=\s*[\"']([^\"']+)[\"']", file.read(1 << 16))
    return float(unit[1]) if unit else 1.0


def _reason(message: str, path: Path) -> str:
    """What Assimp says, out of the several lines that coal makes of it."""
    lines = [line.strip() for line in message.splitlines()]
    said = [line for line in lines if line and not line.startswith(_NOISE)]
    return " ".join(said).replace(str(path), "the file") or "not a mesh"
