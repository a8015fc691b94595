"""Collision shapes of a robot, from its model file and its robot.toml."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from footfall.errors import RobotError, RobotWarning, SettingError
from footfall.formats.urdf import PlacedShape, Urdf
from footfall.geometry.convex_hull import convex_hull, fault_of, tell_of_hull
from footfall.geometry.heights import read_heights
from footfall.geometry.shapes import (
    Box,
    Capsule,
    Convex,
    Cylinder,
    Geometry,
    HeightField,
    Shape,
    Sphere,
    TriangleMesh,
)
from footfall.geometry.triangles import clean, is_closed, surface, thick, volume
from footfall.model.description import ModelDescription
from footfall.model.mesh_file import read_triangles
from footfall.model.object_schema import (
    BoxShape,
    HeightFieldShape,
    MeshShape,
    ObjectShape,
    SphereShape,
)
from footfall.model.spec import CollisionShapeSpec, RobotSpec
from footfall.spatial.pose import Pose
from footfall.typing import Floats


def collision_shapes(model: Urdf | ModelDescription, spec: RobotSpec) -> tuple[PlacedShape, ...]:
    """Return a robot's collision shapes: those of the model file, then of the robot file.

    Raises:
        RobotError: if the model file cannot be read, or has a shape that cannot touch others.
    """
    own = tuple(_own(given) for given in spec.collision_shapes)
    match spec.model.collisions:
        case "ignored":
            return own
        case "other_links":
            return _of_model(model, {shape.frame for shape in own}) + own
        case "read":
            return _of_model(model, ()) + own


def shape_of(table: ObjectShape) -> Shape:
    """Return the shape of a table in a scene or robot file."""
    match table:
        case BoxShape(size=size):
            return Shape("box", size)
        case SphereShape(radius=radius):
            return Shape("sphere", (radius,))
        case MeshShape(scale=scale, file=file, thickness=thickness):
            return Shape("mesh", scale, file, thickness)
        case HeightFieldShape(size=(x, y), height=height, file=file):
            return Shape("heightfield", (x, y, height), file)
        case _:
            return Shape(table.type, (table.radius, table.length))


def _own(given: CollisionShapeSpec) -> PlacedShape:
    return PlacedShape(
        given.frame,
        Pose.from_rpy(given.position, given.orientation),
        shape_of(given.shape),
        given.shape.use if isinstance(given.shape, MeshShape) else "hull",
        given.friction,
        given.restitution,
    )


def _of_model(model: Urdf | ModelDescription, without: Collection[str]) -> tuple[PlacedShape, ...]:
    if isinstance(model, ModelDescription):
        return model.shapes(without)
    return tuple(
        PlacedShape(link.name, collision.origin, collision.shape)
        for link in model.links.values()
        for collision in link.collisions
        if link.name not in without
    )


MANY = 200_000
"""Number of triangles above which the time and memory that they need are reported."""
SECONDS, BYTES = 1.2e-5, 550
"""Time [s] and memory [B] that a triangle needs until the first step (measured with 4e5)."""
MeshUse = Literal["hull", "triangles"]
"""Use of a mesh file: its convex hull, or its triangles as they are."""


def geometry_of(shape: Shape, where: str, meshes: MeshUse = "hull") -> Geometry:
    """Return the geometry of a shape; warn if the convex hull of a mesh differs from the mesh.

    Args:
        shape: a box, sphere, cylinder, capsule, mesh or heightfield.
        where: ``body/link`` of the shape, for errors.
        meshes: use of a mesh.

    Raises:
        RobotError: if it is of another kind, its size is not positive, or its mesh cannot be read.
    """
    try:
        match shape.kind, shape.size:
            case "box", (x, y, z):
                return Box((x, y, z))
            case "sphere", (radius,):
                return Sphere(radius)
            case "cylinder", (radius, length):
                return Cylinder(radius, length)
            case "capsule", (radius, length):
                return Capsule(radius, length)
            case "mesh", scale if shape.mesh is not None:
                return _hull(shape.mesh, scale) if meshes == "hull" else _surface(shape)
            case "heightfield", (x, y, height) if shape.mesh is not None:
                return height_field(shape.mesh, (x, y), height)
    except RobotError as error:
        raise RobotError(f"{where}: {error}") from error
    raise RobotError(f"{where}: no collision geometry for a {shape.kind}")


def height_field(file: str, size: tuple[float, float], height: float) -> HeightField:
    """Return the height field of a file, centred on the origin.

    Args:
        file: path of the heights.
        size: lengths along x and y, [m].
        height: factor of the file's numbers, [m].

    Raises:
        RobotError: if the file cannot be read or is not a grid of finite numbers.
    """
    try:
        heights = height * read_heights(file)
    except SettingError as error:
        raise RobotError(error.reason) from error
    x, y = (
        np.linspace(-0.5 * length, 0.5 * length, n)
        for length, n in zip(size, heights.shape, strict=True)
    )
    return HeightField(x, y, heights)


def triangles_of(shape: Shape) -> TriangleMesh:
    """Return the triangles of a mesh, scaled, and with the thickness of a sheet.

    Raises:
        RobotError: if its file cannot be read or holds no triangles with an area, or it cannot have
            the thickness.
    """
    mesh = _mesh(str(shape.mesh), shape.size)
    return thick(mesh, shape.thickness, str(shape.mesh)) if shape.thickness > 0.0 else mesh


def _surface(shape: Shape) -> TriangleMesh:
    """Return the triangles of a mesh that others touch."""
    mesh, name = triangles_of(shape), str(shape.mesh)
    if is_closed(mesh) and volume(mesh) <= 0.0:
        raise RobotError(f"{name}: mesh is inside out: its volume is {volume(mesh):.3g} m^3")
    if len(mesh.triangles) > MANY:
        warnings.warn(
            f"{name}: {len(mesh.triangles)} triangles take about "
            f"{len(mesh.triangles) * SECONDS:.0f} s and {len(mesh.triangles) * BYTES / 1e9:.1f} GB "
            "to prepare for contacts: use a coarser mesh",
            RobotWarning,
            stacklevel=2,
        )
    return mesh


def drawn_triangles(shape: Shape) -> Floats:
    """Return the triangles of a drawn mesh, hull or height field, shape (n, 3, 3), [m].

    The triangles of a mesh are those of its file, in its order, scaled but not cleaned.

    Raises:
        RobotError: if the file cannot be read, or holds no triangles.
    """
    file = str(shape.mesh)
    if shape.kind == "heightfield":
        drawn = height_field(file, (shape.size[0], shape.size[1]), shape.size[2]).mesh()
        return drawn.vertices[drawn.triangles]
    corners = read_triangles(file).astype(np.float64)
    if shape.kind == "hull":
        drawn = surface(convex_hull(corners, file))
        corners = drawn.vertices[drawn.triangles]
    scaled: Floats = corners * np.array(shape.size)
    return scaled


@lru_cache(maxsize=256)
def _mesh(path: str, scale: tuple[float, ...]) -> TriangleMesh:
    corners = read_triangles(path).astype(np.float64) * np.array(scale)
    inside_out: npt.NDArray[np.float64] = corners[:, ::-1]
    return clean(inside_out if np.prod(scale) < 0.0 else corners, path)


@lru_cache(maxsize=256)
def _known_hull(path: str, scale: tuple[float, ...]) -> tuple[Convex, str]:
    mesh = _mesh(path, scale)
    hull = convex_hull(mesh.vertices, path)
    return hull, fault_of(mesh, hull)


def _hull(path: str, scale: tuple[float, ...]) -> Convex:
    hull, fault = _known_hull(path, scale)
    tell_of_hull(path, fault)  # also if the hull is cached
    return hull
