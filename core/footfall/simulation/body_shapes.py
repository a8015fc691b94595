"""The collision shapes of a scene's bodies, placed on the links of its world, and drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from footfall.errors import RobotError
from footfall.robot.placed_shape import PlacedShape
from footfall.robot.pose import Pose
from footfall.robot.robot import Robot
from footfall.roles.engine import TreeModel
from footfall.roles.visualizer import Node, Shape
from footfall.scene.object_table import MeshShape
from footfall.scene.scene import Scene
from footfall.simulation.fixed_object import FixedObject
from footfall.world.body import Body

FIXED = -1
"""Link of what never moves."""
COLOR = (0.95, 0.45, 0.1, 0.4)
"""What collision shapes are drawn in: red, green, blue, opacity."""


@dataclass(frozen=True, slots=True, eq=False)
class BodyShape:
    """A shape of a body of a scene.

    Attributes:
        body: name of the body.
        frame: name of the link that the model gives the shape to.
        link: among all links of the world; ``FIXED`` for what never moves.
        pose: of the shape in the link; in the world for what never moves.
        shape: what it is.
        meshes: what touches others of a mesh: its convex hull, or its triangles.
    """

    body: str
    frame: str
    link: int
    pose: Pose
    shape: Shape
    meshes: Literal["hull", "triangles"] = "hull"


def body_shapes(
    scene: Scene,
    bodies: Sequence[Body],
    robots: Mapping[str, Robot],
    fixed: Sequence[FixedObject],
) -> Iterator[BodyShape]:
    """Yield all shapes: of the bodies in the world's order, then of what is fixed.

    Raises:
        RobotError: if a shape's link does not exist, or the model file cannot be read.
    """
    first = 0
    for body in bodies:
        for placed in robots[body.name].shapes():
            link, on_link = _frame(robots[body.name], body.model, placed)
            pose = on_link @ placed.origin
            meshes = _meshes(scene, body.name)
            yield BodyShape(body.name, placed.frame, first + link, pose, placed.shape, meshes)
        first += body.model.n_links
    for thing in fixed:
        for placed in thing.robot.shapes():
            at, meshes = thing.pose @ placed.origin, _meshes(scene, thing.name)
            yield BodyShape(thing.name, placed.frame, FIXED, at, placed.shape, meshes)


def _meshes(scene: Scene, body: str) -> Literal["hull", "triangles"]:
    table = scene.bodies[body].shape
    return table.use if isinstance(table, MeshShape) else "hull"


def _frame(robot: Robot, model: TreeModel, placed: PlacedShape) -> tuple[int, Pose]:
    frame = model.frames.get(placed.frame)
    if frame is None:
        raise RobotError(
            f'{robot.file}: link "{placed.frame}": the engine gives no frame for its shapes'
        )
    return frame.link, Pose(frame.rotation, frame.translation)


def shape_nodes(shapes: Iterable[BodyShape], still: int, *, touch: bool) -> Iterator[Node]:
    """Yield what a visualizer draws of collision shapes; names are ``body/link/collision/number``.

    Args:
        shapes: of ``body_shapes``.
        still: row of the pose array that never moves.
        touch: whether anything touches them: meshes are then drawn as the hulls that they are.
    """
    count: dict[tuple[str, str], int] = {}
    for item in shapes:
        k = count[item.body, item.frame] = count.get((item.body, item.frame), -1) + 1
        shape = item.shape
        if touch and shape.kind == "mesh" and item.meshes == "hull":
            shape = replace(shape, kind="hull")
        yield Node(
            f"{item.body}/{item.frame}/collision/{k}",
            still if item.link == FIXED else item.link,
            shape,
            item.pose.rotation,
            item.pose.translation,
            COLOR,
            "collision",
        )
