"""The collision shapes of a robot: those of its model file, and those of its robot.toml."""

from __future__ import annotations

from collections.abc import Collection

from footfall.formats.mjcf import Mjcf
from footfall.formats.mjcf_shapes import read_shapes
from footfall.formats.urdf import Urdf
from footfall.interfaces.visualizer import Shape
from footfall.model.placed_shape import PlacedShape
from footfall.model.shape_spec import CollisionShapeSpec
from footfall.model.spec import RobotSpec
from footfall.scene.object_table import (
    BoxShape,
    HeightFieldShape,
    MeshShape,
    ObjectShape,
    SphereShape,
)
from footfall.spatial.pose import Pose


def collision_shapes(model: Urdf | Mjcf, spec: RobotSpec) -> tuple[PlacedShape, ...]:
    """Return what of a robot can touch others: of the model file, then of the robot file.

    Raises:
        RobotError: if an MJCF cannot be read, or has a shape that cannot touch others.
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
    """Return the shape that a table of a scene or of a robot file gives."""
    match table:
        case BoxShape(size=size):
            return Shape("box", size)
        case SphereShape(radius=radius):
            return Shape("sphere", (radius,))
        case MeshShape(scale=scale, file=file):
            return Shape("mesh", scale, file)
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


def _of_model(model: Urdf | Mjcf, without: Collection[str]) -> tuple[PlacedShape, ...]:
    if isinstance(model, Mjcf):
        return read_shapes(model.path, without)
    return tuple(
        PlacedShape(link.name, collision.origin, collision.shape)
        for link in model.links.values()
        for collision in link.collisions
        if link.name not in without
    )
