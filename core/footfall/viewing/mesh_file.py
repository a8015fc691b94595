"""Read a mesh file as triangles; transforms inside the file are applied, its up-axis is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from footfall.errors import RobotError

Triangles = npt.NDArray[np.float32]

_STL_HEADER = 84  # bytes before the first facet: 80 of comment, 4 of count
_STL_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def read_triangles(path: str | Path) -> Triangles:
    """Return the triangles of an STL, OBJ or DAE file, shape (n, 3, 3): corners in file units.

    Binary STL is read here; everything else by Assimp through ``coal``, which comes with Pinocchio.
    As usual for URDF, a Collada file's ``up_axis`` is ignored. Materials are ignored as well.

    Raises:
        RobotError: if the file cannot be read or holds no triangles.
    """
    path = Path(path)
    try:
        data = path.read_bytes() if path.suffix.lower() == ".stl" else b""
        triangles = _binary_stl(data) if _is_binary_stl(data) else _with_coal(path)
    except (OSError, ValueError) as error:
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

    if not path.is_file():  # coal's own message does not say so
        raise ValueError("no such file")
    model = coal.MeshLoader(coal.NODE_TYPE.BV_AABB).load(str(path), np.ones(3))
    indices = [tuple(model.tri_indices(i)) for i in range(model.num_tris)]
    vertices = np.asarray(model.vertices(), np.float32)
    return vertices[np.array(indices, np.int64).reshape(-1, 3)]
