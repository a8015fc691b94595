"""Limits, backlash and Coulomb friction of joints, as requested by the scene and supported."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator

import numpy as np

from footfall.config.fields import values_by_name
from footfall.errors import RobotError, RobotWarning
from footfall.interfaces.engine import TreeModel
from footfall.interfaces.integrator import Continuous
from footfall.interfaces.plugin import Capability
from footfall.model.loops import JointCoupling, Loop
from footfall.model.robot import Robot
from footfall.problem.arrays import BlockKind
from footfall.registry.registry import Registry
from footfall.scene.needs import Need, contact_needs
from footfall.scene.scene import Body as SceneBody
from footfall.scene.scene import Scene
from footfall.typing import Floats
from footfall_stepper.world.world import World

ROUNDING = 1e-9
"""Distance by which a joint may start outside a limit, [rad or m]."""


def stops(
    scene: Scene, scene_body: SceneBody, robot: Robot, model: TreeModel, posture: Floats
) -> Floats:
    """Return the active limits, shape (n_joints, 2), [rad or m].

    Raises:
        SceneError: if a joint starts outside its limits by the scene's joint_positions.
        RobotError: if it does by the robot file's posture, or a pattern there matches no joint.
    """
    limits = robot.position_limits(model)
    outside = (posture < limits[:, 0] - ROUNDING) | (posture > limits[:, 1] + ROUNDING)
    for i in np.flatnonzero(outside):
        (lower, upper), name = limits[i], model.joint_names[i]
        told = f"joint {name!r} starts at {posture[i]:g}, outside its limits {lower:g} to {upper:g}"
        if name not in values_by_name(
            scene_body.joint_positions, model.joint_names, "joint_positions"
        ):
            raise RobotError(f"{robot.file}: posture: {told}")
        raise scene.error(told, "bodies", scene_body.name, "joint_positions")
    return limits


def backlash_of(
    found: Iterable[Loop | JointCoupling], body: str, posture: Floats
) -> tuple[JointCoupling, ...]:
    """Return the couplings with backlash.

    Raises:
        RobotError: if the posture is outside of it.
    """
    couplings = tuple(c for c in found if isinstance(c, JointCoupling) and c.backlash > 0.0)
    for c in couplings:
        off = abs(posture[c.joint] - c.ratio * posture[c.of] - c.offset)
        if off > 0.5 * c.backlash + ROUNDING:
            raise RobotError(
                f'{c.where}: "{c.name}" of {body} starts {off:g} rad or m from the middle of its '
                f"backlash, which allows {0.5 * c.backlash:g}: change the posture"
            )
    return couplings


def friction_of(
    scene: Scene, name: str, robot: Robot, model: TreeModel, friction: Floats, registry: Registry
) -> Floats:
    """Return the joints' Coulomb friction, or none if the integrator does not support it.

    Friction of a model file is then left out with a warning; friction requested by a robot file
    is rejected later.
    """
    integrator = scene.integrator.plugin
    asked = any(values.friction for values in robot.spec.joint_dynamics.values())
    continuous = issubclass(registry.integrator[integrator].load(), Continuous)
    if asked or not continuous or not friction.any():
        return friction
    rubbing = [joint for joint, value in zip(model.joint_names, friction, strict=True) if value]
    warnings.warn(
        f'{name}: integrator "{integrator}" has no place for Coulomb friction of joints, which is '
        f"left out: {', '.join(rubbing)}",
        RobotWarning,
        stacklevel=2,
    )
    return np.zeros(len(friction))


def joint_needs(scene: Scene, registry: Registry, world: World) -> Iterator[Need]:
    """Yield the needs for a law that takes rows of several joints, and stops that restitute."""
    for body in world.bodies:
        if body.motor_friction:
            because = f"coupled motors of {body.name} have Coulomb friction"
            yield Need(BlockKind.BOX, "contact", because)
        if body.rubbing:
            because = f"the drive of {body.rubbing} of {body.name} sets its friction in each step"
            yield Need(BlockKind.BOX, "contact", because)
        if body.backlash:
            because = f"couplings of {body.name} have backlash"
            yield Need(BlockKind.UNILATERAL, "contact", because)
    bouncing = np.flatnonzero(world.joint_rows.restitution)
    if len(bouncing):
        why = f"the stop {world.joint_row_names[bouncing[0]]} has restitution"
        yield from contact_needs(scene, registry, BlockKind.UNILATERAL, why)
        yield Need(Capability.RESTITUTION, "contact", why)
