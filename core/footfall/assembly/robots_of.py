"""The robots and objects that the bodies of a scene are."""

from __future__ import annotations

from footfall.errors import RobotError
from footfall.model.object import make_object
from footfall.model.own_shapes import shape_of
from footfall.model.robot import Robot, load_robot
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
    color = None if body.color is None else (*body.color, 1.0)
    shape = shape_of(table)
    return make_object(shape, mass=body.mass, density=body.density, color=color)
