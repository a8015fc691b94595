"""Parts of a body in a scene: controller, actuators and sensors, with their plugins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from pydantic import BaseModel

from footfall.config.fields import match_joints
from footfall.config.toml import KeyPath, Where, read_toml
from footfall.errors import RobotError
from footfall.interfaces.engine import TreeModel
from footfall.model.devices import ActuatorSpec, SensorSpec, Transmission
from footfall.model.robot import Robot
from footfall.registry.registry import Registry
from footfall.scene.choose import Chooser
from footfall.scene.scene import CONTROLLER, Choice, Scene
from footfall.scene.schema import Pace
from footfall.scene.units import Units
from footfall.typing import Floats

S = TypeVar("S", bound=BaseModel)
Placed = tuple[S, Where, KeyPath]
"""A table with its origin and path, for errors."""


def tables_of(
    scene: Scene, body: str, robot: Robot, key: str, given: Sequence[S] | None, own: Sequence[S]
) -> list[Placed[S]]:
    """Return a body's tables of one kind: the scene's, or else the robot's own.

    Args:
        scene: the scene.
        body: name of the body.
        robot: robot of the body.
        key: key of the tables, e.g. ``actuators``.
        given: tables of the scene, None if it has none.
        own: tables of the robot.
    """
    if given is not None:
        return [(spec, scene.where, ("bodies", body, key, i)) for i, spec in enumerate(given)]
    if not own:
        return []
    toml = read_toml(robot.file)
    return [(spec, Where(toml.file, toml.lines), (key, i)) for i, spec in enumerate(own)]


WORST_CONDITION = 1e10
"""Condition number from which a coupling matrix counts as singular."""


@dataclass(frozen=True, slots=True)
class Group:
    """The joints of one ``[[actuators]]`` table.

    Attributes:
        choice: the actuator plugin.
        joints: names, in the order of the transmission.
        transmission: transmission from motors to joints.
        limit: shape (n,), greatest torque behind the gear, infinite if not limited, [N m or N].
        speed: shape (n,), no-load speed, infinite if not limited, [rad/s or m/s].
        where: its file, for later errors.
        path: key of the table.
    """

    choice: Choice
    joints: tuple[str, ...]
    transmission: Transmission
    limit: Floats
    speed: Floats
    where: Where
    path: KeyPath


def actuators_of(
    scene: Scene, body: str, robot: Robot, model: TreeModel, registry: Registry
) -> tuple[Group, ...]:
    """Return a body's groups of drives: the scene's, or else the robot's own.

    Raises:
        SceneError: if a joint, a plugin or one of its keys does not exist, a joint has two drives,
            or a coupling is singular; names file, line and key.
    """
    given, own = scene.bodies[body].actuators, robot.spec.actuators
    groups = [
        _group(spec, where, path, robot, model, registry, scene.units)
        for spec, where, path in tables_of(scene, body, robot, "actuators", given, own)
    ]
    _check_once(groups)
    return tuple(group for group in groups if group.joints)


def _group(
    spec: ActuatorSpec,
    where: Where,
    path: KeyPath,
    robot: Robot,
    model: TreeModel,
    registry: Registry,
    units: Units,
) -> Group:
    joints = _joints(spec, where, path, robot, model)
    places = np.array([model.joint_names.index(name) for name in joints], np.int64)
    n = len(joints)
    choice = Chooser(registry, where, units).part("actuator", spec, path)
    transmission = Transmission(
        joints=places,
        inertia=np.full(n, spec.gear_ratio) ** 2 * np.full(n, spec.rotor_inertia),
        damping=np.full(n, spec.viscous_friction),
        friction=np.full(n, spec.coulomb_friction),
        coupling=_coupling(spec, where, path),
    )
    limit = _limit(spec.torque_limit, model.effort_limit[places])
    speed = _limit(spec.speed_limit, model.velocity_limit[places])
    for key, values in (("torque_limit", limit), ("speed_limit", speed)):
        if getattr(spec, key) == "model" and not (np.isfinite(values) & (values > 0.0)).all():
            bad = joints[int(np.argmin(np.isfinite(values) & (values > 0.0)))]
            raise where.error(f"the model file gives no limit for {bad}", (*path, key))
    return Group(choice, joints, transmission, limit, speed, where, path)


def _limit(given: float | tuple[float, ...] | str | None, of_model: Floats) -> Floats:
    if given == "model":
        return np.array(of_model, float)
    return np.full(len(of_model), np.inf if given is None else given, float)


def _joints(
    spec: ActuatorSpec, where: Where, path: KeyPath, robot: Robot, model: TreeModel
) -> tuple[str, ...]:
    """Return a table's joints; locked ones are left out."""
    movable = robot.movable
    found: list[str] = []
    for pattern in spec.joints:
        try:
            names = match_joints(pattern, movable, "joints")
        except RobotError as error:
            raise where.error(str(error).removeprefix("joints: "), (*path, "joints")) from error
        if spec.ordered and names != [pattern]:
            message = f"values for each joint need their names in order, got {pattern!r}"
            raise where.error(message, (*path, "joints"))
        found += [name for name in names if name not in found]
    kept = tuple(name for name in found if name in model.joint_names)
    if spec.ordered and 0 < len(kept) < len(found):
        locked = next(name for name in found if name not in kept)
        raise where.error(f"joint {locked!r} is locked, the others are not", (*path, "joints"))
    if spec.ordered and kept and len(found) != len(spec.joints):
        raise where.error("a joint is named twice", (*path, "joints"))
    return kept


def _coupling(spec: ActuatorSpec, where: Where, path: KeyPath) -> Floats | None:
    if spec.coupling is None:
        return None
    matrix = np.array(spec.coupling, float)
    condition = np.linalg.cond(matrix)
    if not condition < WORST_CONDITION:
        raise where.error(
            f"is singular (condition number {condition:.1e}), must be invertible",
            (*path, "coupling"),
        )
    return matrix


def _check_once(groups: list[Group]) -> None:
    """Reject a joint with two drives."""
    seen: set[str] = set()
    for group in groups:
        for name in group.joints:
            if name in seen:
                message = f"joint {name!r} has a drive already"
                raise group.where.error(message, (*group.path, "joints"))
            seen.add(name)


@dataclass(frozen=True, slots=True)
class ChosenSensor:
    """The sensor of one ``[[sensors]]`` table.

    Attributes:
        choice: the plugin.
        spec: the table.
        where: its file, for later errors.
        path: key of the table.
    """

    choice: Choice
    spec: SensorSpec
    where: Where
    path: KeyPath


def sensors_of(
    scene: Scene, body: str, robot: Robot, registry: Registry
) -> tuple[ChosenSensor, ...]:
    """Return a body's sensors: the scene's, or else the robot's own.

    Raises:
        SceneError: if a plugin or one of its keys does not exist, or a name is taken; names file,
            line and key.
    """
    found: list[ChosenSensor] = []
    names: set[str] = set()
    given, own = scene.bodies[body].sensors, robot.spec.sensors
    for spec, where, path in tables_of(scene, body, robot, "sensors", given, own):
        if spec.name in names:
            raise where.error(f"a sensor has the name {spec.name!r} already", (*path, "name"))
        names.add(spec.name)
        choice = Chooser(registry, where, scene.units).part("sensor", spec, path)
        found.append(ChosenSensor(choice, spec, where, path))
    return tuple(found)


def choose_controller(body: str, table: Mapping[str, Any], chooser: Chooser) -> tuple[Choice, Pace]:
    """Return the controller of a body, and its pace.

    Raises:
        SceneError: if there is no such plugin, or a key or value is not allowed.
        PluginError: if the plugin cannot be loaded; gives the reason.
    """
    path, common = ("bodies", body, "controller"), Pace.model_fields
    own = {key: value for key, value in table.items() if key not in common}
    choice = chooser.choose(CONTROLLER, own, path=path)
    pace = chooser.validated(Pace, {k: v for k, v in table.items() if k in common}, path)
    return choice, pace
