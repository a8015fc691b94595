"""Start positions and velocities of bodies."""

from __future__ import annotations

import numpy as np

from footfall.config.fields import values_by_name
from footfall.errors import RobotError
from footfall.interfaces.engine import TreeModel
from footfall.model.robot import Robot
from footfall.scene.scene import Body as SceneBody
from footfall.scene.scene import Scene
from footfall.spatial.pose import Pose
from footfall.spatial.rotation import quaternion_of
from footfall.typing import Floats


def start(
    scene: Scene, scene_body: SceneBody, robot: Robot, model: TreeModel, placement: Pose
) -> tuple[Floats, Floats, Floats]:
    """Return the start positions, the start velocities and the joint positions of a body."""
    s = robot.posture(model)
    s_dot = np.zeros(len(s))
    for key, out in (("joint_positions", s), ("joint_velocities", s_dot)):
        try:
            chosen = values_by_name(getattr(scene_body, key), model.joint_names, key)
        except RobotError as error:
            message = str(error).removeprefix(f"{key}: ")
            raise scene.error(message, "bodies", scene_body.name, key) from error
        for name, value in chosen.items():
            out[model.joint_names.index(name)] = value
    if model.base == "floating":
        rotation = placement.rotation
        turned = quaternion_of.twin(*rotation.T.ravel())  # type: ignore[attr-defined]
        q = np.concatenate([placement.translation, turned, s])
        return q, np.concatenate([_base_twist(scene_body, rotation), s_dot]), s
    if scene_body.base_linear_velocity or scene_body.base_angular_velocity:
        raise scene.error(
            "a body whose base is not floating takes no base velocity",
            *("bodies", scene_body.name, "base_linear_velocity"),
        )
    return s, s_dot, s


def _base_twist(body: SceneBody, R: Floats) -> Floats:
    """Return the base velocity in the base's own frame from world-aligned components."""
    linear = np.array(body.base_linear_velocity or (0.0, 0.0, 0.0))
    angular = np.array(body.base_angular_velocity or (0.0, 0.0, 0.0))
    return np.concatenate([R.T @ linear, R.T @ angular])
