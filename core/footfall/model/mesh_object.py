"""What an object is that is given by a mesh file: its mass properties, and where it stands."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from footfall.formats.mesh_paths import RobotWarning
from footfall.interfaces.visualizer import Shape

if TYPE_CHECKING:
    from footfall.geometry.solid import Solid

MOST_CORNERS = 32
"""Corners of a mesh's hull that touch the ground; of more, those spread widest."""


def mesh_solid(shape: Shape) -> Solid:
    """Return the uniform solid that a mesh encloses, or its convex hull's if it is not closed.

    Raises:
        RobotError: if the mesh cannot be read, is inside out, or is flat.
    """
    from footfall.geometry.convex_hull import convex_hull
    from footfall.geometry.solid import solid_of
    from footfall.geometry.triangles import is_closed, surface
    from footfall.model.geometry_of import triangles_of

    mesh, name = triangles_of(shape), str(shape.mesh)
    if is_closed(mesh):
        return solid_of(mesh, name)
    solid = solid_of(surface(convex_hull(mesh.vertices, name)), name)
    warnings.warn(
        f"{name}: mesh is not closed: mass and inertia are those of its convex hull",
        RobotWarning,
        stacklevel=2,
    )
    return solid


def hull_corners(shape: Shape) -> tuple[tuple[float, float, float], ...]:
    """Return the corners of a mesh's convex hull, thinned out to the widest spread, [m].

    Raises:
        RobotError: if the mesh cannot be read or spans no volume.
    """
    from footfall.geometry.convex_hull import convex_hull
    from footfall.model.geometry_of import triangles_of

    corners = convex_hull(triangles_of(shape).vertices, str(shape.mesh)).vertices
    chosen = [int(np.argmax(np.linalg.norm(corners - corners.mean(axis=0), axis=1)))]
    nearest = np.full(len(corners), np.inf)
    while len(chosen) < min(MOST_CORNERS, len(corners)):
        away = np.linalg.norm(corners - corners[chosen[-1]], axis=1)
        nearest = np.minimum(nearest, away)
        chosen.append(int(np.argmax(nearest)))
    return tuple((float(x), float(y), float(z)) for x, y, z in corners[sorted(chosen)])
