"""The robots and objects that the bodies of a scene are."""

from __future__ import annotations

from footfall.errors import RobotError
from footfall.robot.object import make_object
from footfall.robot.robot import Robot, load_robot
from footfall.roles.visualizer import Shape
from footfall.scene.object_table import BoxShape, MeshShape, SphereShape
from footfall.scene.scene import Body, Scene


def robots_of(scene: Scene) -> dict[str, Robot]:
    """Return the robot of every body by the body's name; a file is read once for all its copies.

    Raises:
        RobotError: if a robot cannot be loaded.
        SceneError: if ``npoly`` has no effect on a robot.
    """
    loaded: dict[str, Robot] = {}
    robots = {}
    for name, body in scene.bodies.items():
        if body.shape is not None:
            robots[name] = _object(body)
            continue
        assert body.robot is not None
        if body.robot not in loaded:
            loaded[body.robot] = _robot(scene, body, body.robot)
        robots[name] = _with_npoly(scene, body, loaded[body.robot])
    return robots


def _robot(scene: Scene, body: Body, reference: str) -> Robot:
    try:
        return load_robot(reference, scene.folder if scene.file else None)
    except RobotError as error:
        where = scene.error(str(error), "bodies", body.name, "robot")
        raise RobotError(str(where)) from error


def _with_npoly(scene: Scene, body: Body, robot: Robot) -> Robot:
    try:
        return robot if body.npoly is None else robot.with_npoly(body.npoly)
    except RobotError as error:
        raise scene.error(f"has no effect: {error}", "bodies", body.name, "npoly") from error


def _object(body: Body) -> Robot:
    """Return the object that a body is by its shape."""
    table = body.shape
    assert table is not None
    if isinstance(table, BoxShape):
        size: tuple[float, ...] = table.size
    elif isinstance(table, SphereShape):
        size = (table.radius,)
    elif isinstance(table, MeshShape):
        size = table.scale
    else:
        size = table.radius, table.length
    color = None if body.color is None else (*body.color, 1.0)
    shape = Shape(table.type, size, table.file if isinstance(table, MeshShape) else None)
    return make_object(shape, mass=body.mass, density=body.density, color=color)
