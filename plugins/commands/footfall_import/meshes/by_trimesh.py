"""Reader of glTF and PLY meshes by trimesh (extra ``meshes``)."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from trimesh import load_scene, util
from trimesh.resolvers import FilePathResolver

from footfall.api.advanced import MeshFile


class _Beside(FilePathResolver):
    """Finds the buffers of a file in its folder and below, and keeps their paths."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.read: list[Path] = []

    def get(self, name: str) -> Any:
        content = super().get(name)
        self.read.append(self.absolute(name))
        return content


def read_by_trimesh(path: Path) -> MeshFile:
    """Read a .glb, .gltf or .ply, placed as its nodes say, in its base colours.

    A glTF's y axis is not turned up. Files that it names are read from its folder and below only.

    Raises:
        OSError: if it cannot be read.
        ValueError: if it is damaged, names a file elsewhere, or has no triangles.
    """
    data, beside = path.read_bytes(), _Beside(path)
    try:
        kind = path.suffix[1:].lower()
        scene: Any = load_scene(BytesIO(data), file_type=kind, resolver=beside, process=False)
        parts = scene.dump()
    except Exception as error:  # trimesh raises whatever its parsers meet
        raise ValueError(f"{type(error).__name__}: {error}".splitlines()[0]) from error
    parts = [part for part in parts if len(getattr(part, "faces", ()))]
    if not parts:
        raise ValueError("it has no triangles")
    vertices, faces = util.append_faces(
        [part.vertices for part in parts], [part.faces for part in parts]
    )
    colors = [_color(part) for part in parts]
    known = tuple(dict.fromkeys((color, None) for color in colors if color))
    number = [known.index((color, None)) if color else -1 for color in colors]
    return MeshFile(
        np.asarray(vertices, np.float32),
        np.asarray(faces, np.int64),
        known,
        np.repeat(np.array(number), np.array([len(part.faces) for part in parts]))
        if known
        else None,
        companions=tuple(beside.read),
    )


def _color(part: Any) -> tuple[float, float, float, float] | None:
    """Return the base colour of a part's material, None without one."""
    material: Any = getattr(part.visual, "material", None)
    if getattr(material, "baseColorFactor", None) is None:
        return None
    red, green, blue, opacity = (float(value) / 255.0 for value in material.main_color)
    return red, green, blue, opacity
