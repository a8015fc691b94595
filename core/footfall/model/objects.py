"""Objects: rigid bodies of one shape without a model file; mass properties of meshes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.errors import RobotWarning
from footfall.formats.urdf import Collision, Inertial, Link, Urdf, Visual
from footfall.geometry.shapes import Color, Shape
from footfall.model.robot import Robot
from footfall.model.spec import (
    FeatureSpec,
    ModelFile,
    PointFeatures,
    RimFeature,
    RobotSpec,
    SphereFeature,
)
from footfall.spatial.pose import Pose
from footfall.typing import Floats

if TYPE_CHECKING:
    from footfall.geometry.triangles import Solid


MOST_CORNERS = 32
"""Most corners of a mesh's hull that touch the ground as points; the widest spread are kept."""


def mesh_solid(shape: Shape) -> Solid:
    """Return the uniform solid in a mesh, or in its convex hull if the mesh is not closed.

    Raises:
        RobotError: if the mesh cannot be read, is inside out, or is flat.
    """
    from footfall.geometry.convex_hull import convex_hull
    from footfall.geometry.triangles import is_closed, solid_of, surface
    from footfall.model.collision_shapes import triangles_of

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


def hull_corners(shape: Shape) -> Floats:
    """Return the corners of a mesh's convex hull, shape (n, 3), [m].

    Raises:
        RobotError: if the mesh cannot be read or spans no volume.
    """
    from footfall.geometry.convex_hull import convex_hull
    from footfall.model.collision_shapes import triangles_of

    return convex_hull(triangles_of(shape).vertices, str(shape.mesh)).vertices


def _spread_corners(shape: Shape) -> tuple[tuple[float, float, float], ...]:
    """Return at most ``MOST_CORNERS`` corners of a mesh's convex hull, spread widest, [m]."""
    corners = hull_corners(shape)
    chosen = [int(np.argmax(np.linalg.norm(corners - corners.mean(axis=0), axis=1)))]
    nearest = np.full(len(corners), np.inf)
    while len(chosen) < min(MOST_CORNERS, len(corners)):
        away = np.linalg.norm(corners - corners[chosen[-1]], axis=1)
        nearest = np.minimum(nearest, away)
        chosen.append(int(np.argmax(nearest)))
    return tuple((float(x), float(y), float(z)) for x, y, z in corners[sorted(chosen)])


DENSITY = 1000.0
"""Default density of objects, [kg/m^3]."""
LINK = "object"
"""Name of an object's only link."""


def make_object(
    shape: Shape,
    mass: float | None = None,
    density: float | None = None,
    center_of_mass: Sequence[float] | None = None,
    *,
    color: Color | None = None,
    fixed: bool = False,
) -> Robot:
    """Return an object, with its frame at its centre, or as in a mesh's file.

    Args:
        shape: a box, sphere, cylinder, capsule or mesh; or a heightfield, which has no mass and
            cannot move.
        mass: [kg]; by default from the density.
        density: [kg/m^3].
        center_of_mass: in the object's frame, [m]; by default that of a uniform body. The inertia
            about it is always that of a uniform body.
        color: red, green, blue, opacity.
        fixed: whether it never moves; then an open mesh has no mass.

    Raises:
        RobotError: if a mesh cannot be read or has no volume.
    """
    if shape.kind == "heightfield" or (fixed and _is_sheet(shape)):
        return _made(shape, None, color, ())
    if shape.kind == "mesh":
        solid = mesh_solid(shape)
        volume, com, unit = solid.volume, solid.com, solid.inertia / solid.volume
        features: Sequence[FeatureSpec] = (
            PointFeatures(frame=LINK, kind="point", points=_spread_corners(shape)),
        )
    else:
        volume, com, unit = _volume(shape), np.zeros(3), np.diag(_inertia(shape))
        features = _features(shape.kind, shape.size)
    if mass is None:
        mass = volume * (DENSITY if density is None else density)
    com = com if center_of_mass is None else np.array(center_of_mass)
    return _made(shape, Inertial(mass, com, mass * unit), color, features)


def _is_sheet(shape: Shape) -> bool:
    """Return whether a shape is a mesh that encloses no volume."""
    from footfall.geometry.triangles import is_closed
    from footfall.model.collision_shapes import triangles_of

    return shape.kind == "mesh" and not is_closed(triangles_of(shape))


def _made(
    shape: Shape, inertial: Inertial | None, color: Color | None, features: Sequence[FeatureSpec]
) -> Robot:
    at = Pose.identity()
    visuals = (Visual(at, shape, color, covers=color is not None),)
    link = Link(LINK, inertial, visuals, (Collision(at, shape),))
    urdf = Urdf(Path(shape.kind), shape.kind, LINK, {LINK: link}, {})
    spec = RobotSpec(model=ModelFile(file=shape.kind), contact_features=tuple(features))
    return Robot(shape.kind, Path(shape.kind), spec, urdf)


def _volume(shape: Shape) -> float:
    """Return the volume, [m^3]."""
    match shape.kind, shape.size:
        case "box", (x, y, z):
            return x * y * z
        case "sphere", (r,):
            return 4.0 / 3.0 * math.pi * r**3
        case "cylinder", (r, length):
            return math.pi * r**2 * length
        case _, (r, length):
            return math.pi * r**2 * (length + 4.0 / 3.0 * r)
    raise AssertionError(shape.kind)


def _inertia(shape: Shape) -> Floats:
    """Return the principal moments of inertia for a mass of 1 kg, [m^2]."""
    match shape.kind, shape.size:
        case "box", (x, y, z):
            return np.array([y * y + z * z, x * x + z * z, x * x + y * y]) / 12.0
        case "sphere", (r,):
            return np.full(3, 0.4 * r * r)
        case "cylinder", (r, length):
            across = (3.0 * r * r + length * length) / 12.0
            return np.array([across, across, 0.5 * r * r])
        case _, (r, length):
            return _capsule_inertia(r, length)
    raise AssertionError(shape.kind)


def _capsule_inertia(r: float, length: float) -> Floats:
    """Return ``_inertia`` of a capsule: a cylinder, and half balls 3/8 r beyond its ends."""
    straight, ends = length, 4.0 / 3.0 * r
    a, b = straight / (straight + ends), ends / (straight + ends)
    across = a * (3.0 * r * r + length * length) / 12.0
    # Each half ball: 2/5 r^2 about the ball's centre, shifted outwards by its centre of mass.
    across += b * (0.4 * r * r + length * length / 4.0 + 3.0 / 8.0 * r * length)
    return np.array([across, across, a * 0.5 * r * r + b * 0.4 * r * r])


def _features(kind: str, size: Sequence[float]) -> list[FeatureSpec]:
    """Return the features that touch the ground: corners, sphere, rims, or balls at the ends."""
    if kind == "box":
        x, y, z = (0.5 * length for length in size)
        corners = tuple((i * x, j * y, k * z) for k in (-1, 1) for i in (-1, 1) for j in (-1, 1))
        return [PointFeatures(frame=LINK, kind="point", points=corners)]
    if kind == "sphere":
        return [SphereFeature(frame=LINK, kind="sphere", radius=size[0])]
    ends = [(0.0, 0.0, sign * 0.5 * size[1]) for sign in (-1.0, 1.0)]
    if kind == "cylinder":
        return [
            RimFeature(frame=LINK, kind="rim", radius=size[0], axis=(0.0, 0.0, 1.0), center=end)
            for end in ends
        ]
    return [SphereFeature(frame=LINK, kind="sphere", radius=size[0], center=end) for end in ends]
