"""Mesh files: what one holds, and its reader, a plugin's by the file's suffix."""

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


@dataclass(frozen=True, slots=True, eq=False)
class MeshFile:
    """What a mesh file holds.

    ``registry.mesh_format`` holds, by a file's suffix in small letters (``obj``), functions that
    read a ``Path`` and return one. Those of the formats that name a unit give metres; none turns a
    file that says which of its axes points up, which tools for URDF do not do either.

    Attributes:
        vertices: shape (n, 3), also those that no triangle has, [m] or the file's unit.
        indices: shape (m, 3), the vertices of each triangle, counter-clockwise from outside.
        materials: colour and image of each that the file gives its parts; see ``Material``.
        material_of: shape (m,), each triangle's material, -1 for none; None: none has one.
        coordinates: shape (m, 3, 2), places of each triangle's corners in a texture, (0, 0) its
            lower left and (1, 1) its upper right corner; None of a file without.
        companions: further files that it reads or names, as far as they are there.
        lost: what of its looks cannot be shown, and why.

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
        """Return what a mesh file holds.

        Raises:
            RobotError: if there is no reader of such files, or the file cannot be read.
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
