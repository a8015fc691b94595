"""Motions of a reference in changed scenes that should not change them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import degrees, inf, isnan, pi
from typing import TypeVar

import numpy as np
from pydantic import BaseModel

from footfall import Scene, load_robot
from footfall.api.plugin import Floats, Registry, SceneError
from footfall_compare.trajectory import LEAST, Difference, Trajectory

FACTOR = 2.0
"""Multiple of the reference's own difference up to which a difference says nothing of a law: the
error of a step of first order is twice its change at half the step."""
DEPARTED = 0.01, 0.087, 0.1
"""Own differences from which later motions are not compared: [m], [rad] (5 degrees), [rad or m]."""
JOINT_CONTROLLERS = ("zero", "posture", "torque_table", "trajectory")
"""Controllers that do not depend on the directions of the world's axes."""
TURNED, LISTED, HALVED = "turned by a quarter", "with bodies listed in reverse", "at half the step"
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Own:
    """Motions of the reference in changed scenes that should not change its motion.

    Attributes:
        reference: its motion.
        ways: by change of its scene, the motion in the reference's frame and order.
        missing: changes that were not possible, with reasons.
    """

    reference: Trajectory
    ways: dict[str, Trajectory]
    missing: tuple[str, ...] = ()

    def differences(self) -> dict[str, Difference]:
        """Return the difference from the reference at the end, by change of the scene."""
        found = {way: motion.difference(self.reference) for way, motion in self.ways.items()}
        return {way: off for way, off in found.items() if off is not None}

    @property
    def horizon(self) -> float:
        """Time from which the reference departs from itself, [s]; infinite if it does not."""
        times = [inf]
        for motion in self.ways.values():
            rows = self.reference.time[self.reference.time <= motion.time[-1]]
            gone = (motion.differences(self.reference, rows) > DEPARTED).any(axis=1)
            times += [float(rows[gone][0])] if gone.any() else []
        return min(times)

    def judge(self, motion: Trajectory, name: str) -> tuple[bool, str] | None:
        """Return whether a motion differs beyond the reference's uncertainty, and the text.

        It must do so at the end and at the horizon. None if nothing counts or nothing is known.

        Args:
            motion: motion of another law or setting.
            name: the reference's, for the text.
        """
        if not self.ways or not motion.is_like(self.reference):
            return None
        every, found = (motion, self.reference, *self.ways.values()), None
        end = float(min(one.time[-1] for one in every))
        for time in dict.fromkeys((end, min(end, self.horizon))):
            at = np.array([time])
            own = [m.differences(self.reference, at)[0] for m in self.ways.values()]
            off, most = motion.differences(self.reference, at)[0], np.max(own, axis=0)
            k = int(np.nanargmax(off / np.maximum(FACTOR * most, LEAST)))
            if found is None and off[k] <= LEAST:
                return None
            way = [*self.ways][int(np.argmax([one[k] for one in own]))]
            differs, moves = f"{_shown(off[k], k)} at {time:g} s", f"{_shown(most[k], k)} {way}"
            if off[k] <= FACTOR * most[k]:
                text = f"({differs}; {name} itself changes by {moves})"
                return False, f"within the uncertainty of {name} {text}"
            found = True, f"differs from {name} by {differs}; {name} itself changes by {moves}"
        return found


def _shown(value: float, quantity: int) -> str:
    factor, unit = ((1e3, "mm"), (degrees(1.0), "deg"), (1.0, "rad or m"))[quantity]
    return f"{factor * value:.3g} {unit}"


def own_text(off: Difference) -> str:
    """Return a difference as text."""
    each = enumerate((off.position, off.angle, off.joints))
    return ", ".join(_shown(value, k) for k, value in each if not isnan(value))


def changed_scenes(scene: Scene, registry: Registry) -> tuple[dict[str, Scene], tuple[str, ...]]:
    """Return scenes with the same motion, by change, and why the scene cannot be turned."""
    found, missing = dict[str, Scene](), tuple[str, ...]()
    try:
        found[TURNED] = turned(scene, registry)
    except SceneError as error:
        missing = (f"{TURNED}: {error}",)
        if len(scene.bodies) > 1:
            found[LISTED] = replace(scene, bodies=dict(list(scene.bodies.items())[::-1]))
    step = {"time_step": 0.5 * scene.simulation.time_step}
    rows = {"interval": 2 * scene.recorder.interval}
    found[HALVED] = replace(
        scene,
        simulation=scene.simulation.model_copy(update=step),
        recorder=scene.recorder.model_copy(update=rows),
    )
    return found, missing


def turned(scene: Scene, registry: Registry) -> Scene:
    """Return a scene turned by a quarter about the world's z axis: x becomes y, y becomes -x.

    Raises:
        SceneError: if a part depends on the world's axes, or may do so; names it.
    """
    ground, bodies = scene.world.terrain, {}
    parts = {
        "the ground": ground.plugin != "plane" or getattr(ground.config, "patches", False),
        "a hand": bool(scene.hands),
        "a push": any((p.file or p.function) and p.frame == "world" for p in scene.pushes),
    }
    for name, body in scene.bodies.items():
        folder = scene.folder if scene.file else None
        robot = load_robot(body.robot, folder, registry) if body.robot else None
        start = robot.spec if robot else body
        motion = body.motion and _turned(body.motion, "velocity", "angular_velocity")
        parts[name] = (
            body.controller.plugin not in JOINT_CONTROLLERS
            or (body.base or (robot and robot.base)) == "planar"
            or bool(motion and (motion.has_rows or motion.function))
        )
        roll, pitch, yaw = body.base_orientation or start.base_orientation or (0.0, 0.0, 0.0)
        pose = {
            "base_position": body.base_position or start.base_position,
            "base_orientation": (roll, pitch, yaw + 0.5 * pi),
            "motion": motion,
        }
        keys = "base_position", "base_linear_velocity", "base_angular_velocity"
        bodies[name] = _turned(body.model_copy(update=pose), *keys)
    for part, depends in parts.items():
        if depends:
            raise SceneError(f"{part} may depend on the world's axes")
    pushes = (p if p.frame == "link" else _turned(p, "force", "moment") for p in scene.pushes)
    ground = replace(ground, config=_turned(ground.config, "normal"))
    world = replace(scene.world, gravity=_quarter(scene.world.gravity), terrain=ground)
    return replace(scene, bodies=bodies, pushes=tuple(pushes), world=world)


def _turned(table: Model, *keys: str) -> Model:
    given = {key: getattr(table, key) for key in keys}
    return table.model_copy(update={k: _quarter(v) for k, v in given.items() if v is not None})


def _quarter(vector: Sequence[float]) -> tuple[float, float, float]:
    return -vector[1], vector[0], vector[2]


def seen_from(motion: Trajectory, other: Trajectory, way: str) -> Trajectory:
    """Return a motion of a changed scene in the frame and order of bodies of another motion."""
    order = [motion.names.index(name) for name in other.names]
    q: Floats = motion.q[:, order]
    for base in other.bases if way == TURNED else ():
        x, y, z, i, j, k, w = q[:, base : base + 7].T
        back = np.sqrt(0.5) * np.array([i + j, j - i, k - w, w + k])
        q[:, base : base + 7] = np.column_stack([y, -x, z, *back])
    return replace(motion, q=q, names=other.names, bases=other.bases)
