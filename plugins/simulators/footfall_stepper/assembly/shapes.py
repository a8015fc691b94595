"""Collision shapes of bodies on the links of a world, and of fixed objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from footfall.errors import RobotError, nearest
from footfall.formats.urdf import PlacedShape
from footfall.interfaces.engine import TreeModel
from footfall.interfaces.visualizer import Node
from footfall.model.object_schema import MeshShape
from footfall.model.robot import Robot
from footfall.model.visuals import visual_node
from footfall.scene.scene import Body as SceneBody
from footfall.scene.scene import Scene
from footfall.spatial.pose import Pose
from footfall_stepper.collision.shape import FIXED
from footfall_stepper.world.body import Body


@dataclass(frozen=True, slots=True, eq=False)
class FixedObject:
    """A fixed object of the environment.

    Attributes:
        name: in the scene.
        robot: its shape.
        pose: in the world.
    """

    name: str
    robot: Robot
    pose: Pose

    def nodes(self, row: int) -> tuple[Node, ...]:
        """Return its drawn nodes, placed in a row of poses that never moves."""
        urdf = self.robot.urdf
        assert urdf is not None
        nodes = []
        for link in urdf.links.values():
            for k, visual in enumerate(link.visuals):
                name = f"{self.name}/{link.name}/{k}"
                nodes.append(visual_node(name, row, visual, self.pose @ visual.origin))
        return tuple(nodes)


def split(
    scene: Scene, robots: Mapping[str, Robot], placed: Callable[[SceneBody, Robot], Pose]
) -> tuple[list[str], list[FixedObject]]:
    """Return the names of the moving bodies, prescribed ones included, and the fixed objects.

    Args:
        scene: the scene.
        robots: by body name.
        placed: returns the start pose of a body.

    Raises:
        SceneError: if nothing moves.
    """
    if all(body.fixed for body in scene.bodies.values()):
        raise scene.error("nothing moves: every body is fixed", "bodies")
    still = [name for name, body in scene.bodies.items() if body.fixed and body.motion is None]
    moving = [name for name in scene.bodies if name not in still]
    return moving, [
        FixedObject(name, robots[name], placed(scene.bodies[name], robots[name])) for name in still
    ]


COLOR = (0.95, 0.45, 0.1, 0.4)
"""Color of drawn collision shapes: red, green, blue, opacity."""


@dataclass(frozen=True, slots=True, eq=False)
class BodyShape:
    """A shape of a body of a scene.

    Attributes:
        body: name of the body.
        link: among all links of the world; ``FIXED`` for fixed shapes.
        pose: of the shape in the link; in the world for fixed shapes.
        placed: the shape as in the body's model.
    """

    body: str
    link: int
    pose: Pose
    placed: PlacedShape


def body_shapes(
    scene: Scene,
    bodies: Sequence[Body],
    robots: Mapping[str, Robot],
    fixed: Sequence[FixedObject],
) -> Iterator[BodyShape]:
    """Yield all shapes: of the bodies in the world's order, then the fixed ones.

    Raises:
        RobotError: if a shape's link does not exist, or the model file cannot be read.
    """
    known: dict[int, tuple[PlacedShape, ...]] = {}
    first = 0
    for body in bodies:
        robot = robots[body.name]
        if id(robot) not in known:
            known[id(robot)] = _shapes(scene, body.name, robot)
        for placed in known[id(robot)]:
            link, on_link = _frame(robot, body.model, placed)
            yield BodyShape(body.name, first + link, on_link @ placed.origin, placed)
        first += body.model.n_links
    for thing in fixed:
        for placed in _shapes(scene, thing.name, thing.robot):
            yield BodyShape(thing.name, FIXED, thing.pose @ placed.origin, placed)


def _shapes(scene: Scene, body: str, robot: Robot) -> tuple[PlacedShape, ...]:
    table = scene.bodies[body].shape
    try:
        shapes = robot.shapes()
    except RobotError:
        if scene.detects:
            raise
        return ()  # nothing could touch them
    if isinstance(table, MeshShape):
        return tuple(replace(shape, meshes=table.use) for shape in shapes)
    return shapes


def _frame(robot: Robot, model: TreeModel, placed: PlacedShape) -> tuple[int, Pose]:
    frame = model.frames.get(placed.frame)
    if frame is None:
        raise RobotError(
            f'{robot.file}: collision shape: no link or frame "{placed.frame}"'
            f"{nearest(placed.frame, model.frames)}"
        )
    return frame.link, Pose(frame.rotation, frame.translation)


def shape_nodes(shapes: Iterable[BodyShape], still: int, *, touch: bool) -> Iterator[Node]:
    """Yield the drawn nodes of collision shapes; names are ``body/link/collision/number``.

    Args:
        shapes: from ``body_shapes``.
        still: row of the pose array that never moves.
        touch: whether they are used for contacts; meshes are then drawn as their hulls.
    """
    count: dict[tuple[str, str], int] = {}
    for item in shapes:
        at = item.body, item.placed.frame
        k = count[at] = count.get(at, -1) + 1
        shape = item.placed.shape
        if touch and shape.kind == "mesh" and item.placed.meshes == "hull":
            shape = replace(shape, kind="hull")
        yield Node(
            f"{item.body}/{item.placed.frame}/collision/{k}",
            still if item.link == FIXED else item.link,
            shape,
            item.pose.rotation,
            item.pose.translation,
            COLOR,
            "collision",
        )
