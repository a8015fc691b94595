"""Mesh files: their content, and their readers, plugins by the file's suffix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from footfall.errors import RobotError
from footfall.geometry.shapes import Material
from footfall.registry.discover import discover
from footfall.registry.registry import Registry
from footfall.typing import Ints

Corners = npt.NDArray[np.float32]
POINTER = b"version https://git-lfs"
"""Start of a file that stands for another in Git's Large File Storage."""


@dataclass(frozen=True, slots=True, eq=False)
class MeshFile:
    """The content of a mesh file.

    ``registry.mesh_format`` maps a file's suffix in small letters (``obj``) to a function that
    reads a ``Path`` and returns the content. Readers of formats that name a unit return metres. If
    a file names its up axis, readers ignore it, as tools for URDF do.

    Attributes:
        vertices: shape (n, 3), unused vertices included, [m] or the file's unit.
        indices: shape (m, 3), the vertices of each triangle, counter-clockwise from outside.
        materials: the file's materials with colour and image; see ``Material``.
        material_of: shape (m,), each triangle's material, -1 for none; None if none has one.
        coordinates: shape (m, 3, 2), texture coordinates of each triangle's corners, (0, 0) the
            lower left and (1, 1) the upper right corner of the image; None for a file without.
        companions: further files that it reads or names, if they exist.
        lost: features of its looks that cannot be shown, with reasons.

    Raises:
        ValueError: if it has no triangles, a number is not finite, or a vertex does not exist.
    """

    vertices: Corners
    indices: Ints
    materials: tuple[Material, ...] = ()
    material_of: Ints | None = None
    coordinates: Corners | None = None
    companions: tuple[Path, ...] = ()
    lost: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not len(self.indices) or not np.isfinite(self.vertices).all():
            raise ValueError("no triangles, or corners that are not finite")
        if self.indices.min() < 0 or self.indices.max() >= len(self.vertices):
            raise ValueError(f"a face has a corner that is none of {len(self.vertices)} vertices")

    @classmethod
    def read(cls, path: str | Path) -> MeshFile:
        """Read a mesh file.

        Raises:
            RobotError: if there is no reader for its format, or the file cannot be read.
        """
        path = Path(path)
        formats = _registry().mesh_format.names()
        if path.suffix[1:].lower() not in formats:
            allowed = ", ".join(f".{name}" for name in formats)
            raise RobotError(f"{path}: no mesh format {path.suffix!r} (formats: {allowed})")
        reader = _registry().find("mesh_format", path.suffix[1:].lower()).load()
        try:
            mesh: MeshFile = reader(path)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            if path.is_file() and path.read_bytes().startswith(POINTER):
                reason = "it is a pointer of Git LFS: run git lfs pull"
            raise RobotError(f"{path}: mesh cannot be read: {reason}") from error
        return mesh


def read_triangles(path: str | Path) -> Corners:
    """Return the triangles of a mesh file, shape (n, 3, 3), in its order.

    Raises:
        RobotError: as ``MeshFile.read``.
    """
    mesh = MeshFile.read(path)
    return mesh.vertices[mesh.indices]


@cache
def _registry() -> Registry:
    return discover()
