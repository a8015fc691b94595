"""The surface of a mesh file, made once for as long as the file stays as it is."""

from __future__ import annotations

import os
from functools import lru_cache

import numpy as np

from footfall.geometry.convex_hull import convex_hull
from footfall.geometry.mesh_file import Triangles, read_triangles
from footfall.geometry.triangles import surface as surface_of
from footfall.interfaces.visualizer import Shape
from footfall.model.geometry_of import height_field
from footfall_meshcat.surface import Surface, weld

KEPT = 256
"""Surfaces that are kept, [-]."""


def mesh_surface(shape: Shape) -> Surface:
    """Return the surface of a shape that has a file; of its convex hull for a ``hull``.

    Kept, because a running scene is shown anew whenever an object comes or goes, and the meshes of
    a robot take half a second.

    Raises:
        RobotError: if the file cannot be read or holds no triangles.
    """
    path = shape.mesh or ""
    try:
        changed = os.stat(path).st_mtime_ns
    except (OSError, ValueError):
        changed = 0  # reading it says what is wrong
    return _surface(shape.kind, path, tuple(shape.size), changed)


@lru_cache(KEPT)
def _surface(kind: str, path: str, scale: tuple[float, ...], changed: int) -> Surface:
    if kind == "heightfield":
        field = height_field(path, (scale[0], scale[1]), scale[2]).mesh()
        return weld(field.vertices[field.triangles].astype(np.float32))
    triangles = read_triangles(path)
    return weld(_hull(triangles, path) if kind == "hull" else triangles, scale)


def _hull(triangles: Triangles, name: str) -> Triangles:
    """Return the surface of the convex hull of a mesh."""
    mesh = surface_of(convex_hull(triangles.astype(np.float64), name))
    return mesh.vertices[mesh.triangles].astype(np.float32)
