"""Limits and Coulomb friction of joints: what of them a scene's contact law takes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from footfall.problem.blocks import BlockKind
from footfall.registry.registry import Registry
from footfall.robot.joint_patterns import assign
from footfall.robot.mesh import RobotWarning
from footfall.robot.robot import Robot
from footfall.roles.engine import TreeModel
from footfall.scene.needs import Need
from footfall.scene.scene import Body as SceneBody
from footfall.scene.scene import Scene

Floats = npt.NDArray[np.float64]
ROUNDING = 1e-9
"""By which a joint may start outside a limit, [rad or m]."""


def stops(
    scene: Scene, scene_body: SceneBody, robot: Robot, model: TreeModel, posture: Floats
) -> Floats:
    """Return the limits that hold, shape (n_joints, 2), [rad or m].

    Raises:
        SceneError: if a joint starts outside its own.
        RobotError: if a pattern of the robot file matches no joint.
    """
    limits = robot.position_limits(model)
    outside = (posture < limits[:, 0] - ROUNDING) | (posture > limits[:, 1] + ROUNDING)
    for i in np.flatnonzero(outside):
        lower, upper = limits[i]
        raise scene.error(
            f"joint {model.joint_names[i]!r} starts at {posture[i]:g}, outside its limits "
            f"{lower:g} to {upper:g}",
            *("bodies", scene_body.name, "joint_positions"),
        )
    return limits


def friction_of(
    scene: Scene,
    name: str,
    robot: Robot,
    model: TreeModel,
    friction: Floats,
    registry: Registry,
) -> Floats:
    """Return the joints' Coulomb friction, or none if the law takes none.

    A model file's is then left out with a warning; what a robot file asks for is a need.
    """
    law = registry.contact[scene.contact.plugin].load()
    if BlockKind.BOX in law.blocks or not friction.any():
        return friction
    if any(values.friction for values in robot.spec.joint_dynamics.values()):
        return np.zeros(len(friction))
    rubbing = [joint for joint, value in zip(model.joint_names, friction, strict=True) if value]
    warnings.warn(
        f'{name}: contact "{scene.contact.plugin}" does not take Coulomb friction of joints, which '
        f"is left out: {', '.join(rubbing)}",
        RobotWarning,
        stacklevel=2,
    )
    return np.zeros(len(friction))


def joint_needs(robots: Mapping[str, Robot]) -> Iterator[Need]:
    """Yield what limits and friction that robot files ask for need of the contact law."""
    for name, robot in robots.items():
        asked = assign(robot.spec.joint_dynamics, robot.movable, f"{robot.file}: joint_dynamics")
        if any(values.limits is not None for values in asked.values()):
            yield Need(BlockKind.UNILATERAL, "contact", f"joints of {name} have limits")
        if any(values.friction for values in asked.values()):
            yield Need(BlockKind.BOX, "contact", f"joints of {name} have Coulomb friction")
