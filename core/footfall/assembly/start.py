"""Start positions and velocities of bodies, and bodies that start inside each other."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from footfall.interfaces.contact import ContactModel
from footfall.interfaces.engine import TreeModel
from footfall.model.joint_patterns import assign
from footfall.model.robot import Robot
from footfall.scene.scene import Body as SceneBody
from footfall.scene.scene import Scene
from footfall.simulation.simulator import Simulator
from footfall.spatial.pose import Pose
from footfall.stepping.impacts import is_compliant
from footfall.typing import Floats


def start(
    scene: Scene, scene_body: SceneBody, robot: Robot, model: TreeModel, placement: Pose
) -> tuple[Floats, Floats, Floats]:
    """Return the positions, the velocities and the joint positions that a body starts with."""
    s = robot.posture(model)
    s_dot = np.zeros(len(s))
    for key, values, out in (
        ("joint_positions", scene_body.joint_positions, s),
        ("joint_velocities", scene_body.joint_velocities, s_dot),
    ):
        _assign(scene, scene_body, key, values, model.joint_names, out)
    if model.base == "floating":
        rotation = placement.rotation
        q = np.concatenate([placement.translation, _quaternion(rotation), s])
        return q, np.concatenate([_base_twist(scene_body, rotation), s_dot]), s
    if scene_body.base_linear_velocity or scene_body.base_angular_velocity:
        raise scene.error(
            "a body whose base is not floating takes no base velocity",
            *("bodies", scene_body.name, "base_linear_velocity"),
        )
    return s, s_dot, s


def _assign(
    scene: Scene,
    body: SceneBody,
    key: str,
    values: Any,
    names: tuple[str, ...],
    out: Floats,
) -> None:
    try:
        chosen = assign(values, names, f"bodies.{body.name}.{key}")
    except Exception as error:
        message = str(error).removeprefix(f"bodies.{body.name}.{key}: ")
        raise scene.error(message, "bodies", body.name, key) from error
    for name, value in chosen.items():
        out[names.index(name)] = value


def _quaternion(R: Floats) -> Floats:
    """Return the unit quaternion x, y, z, w of a rotation."""
    from footfall.kernels.dynamics.frames import link_poses

    pose, out = np.zeros((1, 12)), np.zeros((1, 7))
    pose[0, :9] = R.T.ravel()
    link_poses(pose, out)
    return out[0, 3:]


def _base_twist(body: SceneBody, R: Floats) -> Floats:
    """Return the base velocity in the base's own frame from world-aligned components."""
    linear = np.array(body.base_linear_velocity or (0.0, 0.0, 0.0))
    angular = np.array(body.base_angular_velocity or (0.0, 0.0, 0.0))
    return np.concatenate([R.T @ linear, R.T @ angular])


DEEP = 1e-3
"""Depth from which a start is told, [m]."""
MOST = 5
"""Pairs that are named."""


class DeepStartWarning(UserWarning):
    """Bodies start inside each other or inside the ground."""


def deep_starts(sim: Simulator, depth: float = DEEP) -> list[tuple[str, str, float]]:
    """Return the pairs of shapes that are deeper in each other than ``depth``, deepest first.

    Args:
        sim: at its start.
        depth: [m].

    Returns:
        Names of both shapes, and the depth, [m].
    """
    found: dict[tuple[str, str], float] = {}
    collisions, collider = sim.stepper.collisions, sim.world.collider
    if collisions is None or collider is None:
        return []
    gaps, keys = sim.world.detected.gap[: collisions.count], collisions.keys
    for k in np.flatnonzero(gaps < -depth):
        pair = collider.touching(int(keys[k]))
        found[pair] = max(found.get(pair, 0.0), -float(gaps[k]))
    return sorted(((a, b, deep) for (a, b), deep in found.items()), key=lambda row: -row[2])


def sunk_starts(sim: Simulator, law: ContactModel, depth: float = DEEP) -> list[tuple[str, float]]:
    """Return the bodies that start deeper in the ground than ``depth``, deepest first.

    Under laws that give way points may start where the weight presses them to: nothing is returned
    for those.

    Args:
        sim: at its start.
        law: its contact law.
        depth: [m].

    Returns:
        Name of each body's deepest contact point, and the depth, [m].
    """
    if is_compliant(law):
        return []
    deepest: dict[str, tuple[str, float]] = {}
    for name, gap in zip(sim.world.contact_names, sim.world.candidates.gap, strict=True):
        body = name.split("/")[0]
        if -gap > max(depth, deepest.get(body, ("", 0.0))[1]):
            deepest[body] = name, -float(gap)
    return sorted(deepest.values(), key=lambda row: -row[1])


def tell_deep_starts(sim: Simulator, law: ContactModel) -> None:
    """Warn of bodies that start inside each other or inside the ground, with names and depth."""
    sunk = sunk_starts(sim, law)
    if sunk:
        told = ", ".join(f"{name} by {1e3 * deep:.3g} mm" for name, deep in sunk[:MOST])
        more = f" and points of {len(sunk) - MOST} more bodies" if len(sunk) > MOST else ""
        warnings.warn(
            f"contact points start inside the ground: {told}{more}; "
            "they are brought out slowly: start higher (base_position)",
            DeepStartWarning,
            stacklevel=2,
        )
    found = deep_starts(sim)
    if not found:
        return
    told = ", ".join(f"{a} and {b} by {1e3 * deep:.3g} mm" for a, b, deep in found[:MOST])
    more = f" and {len(found) - MOST} more pairs" if len(found) > MOST else ""
    warnings.warn(
        f"bodies start inside each other: {told}{more}; they are brought apart slowly",
        DeepStartWarning,
        stacklevel=2,
    )
