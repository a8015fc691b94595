"""How far a reference moves by itself: turned or listed otherwise, and at half the step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import degrees, inf, isnan, pi
from typing import Any

import numpy as np

from footfall import Scene, load_robot
from footfall.api.plugin import Floats, Registry
from footfall_compare.trajectory import LEAST, Difference, Trajectory

FACTOR = 2.0
"""Multiple of the reference's own difference up to which a difference says nothing of a law: the
error of a step of first order is twice its change at half the step."""
DEPARTED = 0.01, 0.087, 0.1
"""Own differences from which later motions are not compared: [m], [rad] (5 degrees), [rad or m]."""
UNITS = "mm", "deg", "rad or m"
TURNED = "turned by a quarter"
JOINT_CONTROLLERS = ("zero", "posture", "torque_table", "trajectory")
"""Controllers that do not know where the world's axes point."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A difference beside the reference's own at the same time, of the quantity that differs most.

    Attributes:
        beyond: True if it is larger than ``FACTOR`` times the reference's own.
        time: [s]; before the reference departs from itself.
        off: the difference; own: that of the reference; both [m], [rad], or [rad or m] of joints.
        unit: unit in texts: mm, deg, or rad or m.
        way: change of the reference's scene that moves it by ``own``.
    """

    beyond: bool
    time: float
    off: float
    own: float
    unit: str
    way: str

    def text(self, name: str) -> str:
        """Return the judgement as text; ``name`` is the reference's."""
        off, own = (shown(value, self.unit) for value in (self.off, self.own))
        if self.beyond:
            differs = f"differs from {name} by {off} {self.unit} at {self.time:g} s"
            return f"{differs}, which moves by {own} itself {self.way}"
        differs = f"{off} {self.unit} at {self.time:g} s"
        within = f"within what {name} itself does not determine"
        return f"{within} ({differs}: it moves by {own} itself {self.way})"


@dataclass(frozen=True, slots=True)
class Own:
    """Motions of the reference in changed scenes that should not change them.

    Attributes:
        reference: its motion.
        ways: changes of its scene, with the motion in the reference's frame and order.
        missing: reasons why a change was not made.
    """

    reference: Trajectory
    ways: tuple[tuple[str, Trajectory], ...]
    missing: tuple[str, ...] = ()

    def differences(self) -> dict[str, Difference]:
        """Return the difference from the reference at the end, by change of the scene."""
        found = {way: motion.difference(self.reference) for way, motion in self.ways}
        return {way: off for way, off in found.items() if off is not None}

    @property
    def horizon(self) -> float:
        """Time from which the reference departs from itself, [s]; infinite if it does not."""
        times = [inf]
        for _, motion in self.ways:
            rows = self.reference.time[self.reference.time <= motion.time[-1]]
            gone = (motion.differences(self.reference, rows) > DEPARTED).any(axis=1)
            times += [float(rows[gone][0])] if gone.any() else []
        return min(times)

    def judge(self, motion: Trajectory, horizon: float) -> Judgement | None:
        """Return the judgement of a motion; None if nothing differs or nothing is known."""
        if not self.ways or not motion.is_like(self.reference):
            return None
        end = min(motion.time[-1], self.reference.time[-1], *(m.time[-1] for _, m in self.ways))
        for time in dict.fromkeys((end, min(end, horizon))):  # a difference is beyond at both
            found = self._judged(motion, float(time))
            if found is None or not found.beyond:
                return found
        return found

    def _judged(self, motion: Trajectory, time: float) -> Judgement | None:
        at = np.array([time])
        own = np.array([m.differences(self.reference, at)[0] for _, m in self.ways])
        off, most = motion.differences(self.reference, at)[0], own.max(axis=0)
        k = int(np.nanargmax(off / np.maximum(FACTOR * most, LEAST)))
        if off[k] <= LEAST:
            return None
        way = self.ways[int(own[:, k].argmax())][0]
        beyond = bool(off[k] > FACTOR * most[k])
        return Judgement(beyond, time, float(off[k]), float(most[k]), UNITS[k], way)


def shown(value: float, unit: str) -> str:
    """Return a difference in a unit of texts."""
    value = {"mm": 1e3 * value, "deg": degrees(value)}.get(unit, value)
    return f"{value:.3g}"


def own_text(off: Difference) -> str:
    """Return a difference as text."""
    each = zip((off.position, off.angle, off.joints), UNITS, strict=True)
    return ", ".join(f"{shown(value, unit)} {unit}" for value, unit in each if not isnan(value))


def changed_scenes(scene: Scene, registry: Registry) -> Iterator[tuple[str, Scene | str]]:
    """Yield the changes of a scene that should not change its motion, or why one is not made."""
    fixed = why_not_turned(scene)
    if not fixed:
        yield TURNED, turned(scene, registry)
    elif len(scene.bodies) > 1:
        order = dict(list(scene.bodies.items())[::-1])
        yield "with its bodies listed in reverse", replace(scene, bodies=order)
    else:
        yield TURNED, fixed
    step, rows = scene.simulation, scene.recorder
    yield (
        "at half the step",
        replace(
            scene,
            simulation=step.model_copy(update={"time_step": 0.5 * step.time_step}),
            recorder=rows.model_copy(update={"interval": 2 * rows.interval}),
        ),
    )


def why_not_turned(scene: Scene) -> str:
    """Return why a scene cannot be turned about the vertical; empty if it can."""
    ground = scene.world.terrain
    if ground.plugin != "plane" or getattr(ground.config, "patches", False):
        return "the ground is no plain plane"
    if scene.hands or any(push.frame == "world" and not _constant(push) for push in scene.pushes):
        return "hands, files or functions act along the world's axes"
    for name, body in scene.bodies.items():
        if body.controller.plugin not in JOINT_CONTROLLERS:
            return f"the controller {body.controller.plugin} of {name} may know the world's axes"
        if body.base == "planar" or (
            body.motion and (body.motion.has_rows or body.motion.function)
        ):
            return f"{name} moves along the world's axes"
    return ""


def _constant(push: Any) -> bool:
    return push.joint is not None or (push.file is None and push.function is None)


def turned(scene: Scene, registry: Registry) -> Scene:
    """Return a scene turned by a quarter about the world's z axis: x becomes y, y becomes -x."""
    bodies = {}
    for name, body in scene.bodies.items():
        spec = None
        if body.robot and (body.base_position is None or body.base_orientation is None):
            spec = load_robot(body.robot, scene.folder if scene.file else None, registry).spec
        place = body.base_position or (spec.base_position if spec else (0.0, 0.0, 0.0))
        roll, pitch, yaw = body.base_orientation or (spec.base_orientation if spec else (0.0,) * 3)
        new: dict[str, Any] = {
            "base_position": _turned(place),
            "base_orientation": (roll, pitch, yaw + 0.5 * pi),
        }
        for key in ("base_linear_velocity", "base_angular_velocity"):
            new[key] = _turned(getattr(body, key))
        if body.motion:
            rates = {k: _turned(getattr(body.motion, k)) for k in ("velocity", "angular_velocity")}
            new["motion"] = body.motion.model_copy(update=rates)
        bodies[name] = body.model_copy(update=new)
    pushes = tuple(
        push if push.frame == "link"
        else push.model_copy(update={"force": _turned(push.force), "moment": _turned(push.moment)})
        for push in scene.pushes
    )  # fmt: skip
    ground = scene.world.terrain
    normal = {"normal": _turned(getattr(ground.config, "normal", None))}
    ground = replace(ground, config=ground.config.model_copy(update=normal))
    gravity = _turned(scene.world.gravity)
    world = replace(scene.world, gravity=gravity, terrain=ground)
    return replace(scene, bodies=bodies, pushes=pushes, world=world)


def _turned(vector: Sequence[float] | None) -> Any:
    return None if vector is None else (-vector[1], vector[0], vector[2])


def turned_back(motion: Trajectory) -> Trajectory:
    """Return a motion in the frame before ``turned``."""
    q: Floats = motion.q.copy()
    for base in motion.bases:
        x, y, _, i, j, k, w = motion.q[:, base : base + 7].T
        q[:, base], q[:, base + 1] = y, -x
        q[:, base + 3 : base + 7] = np.column_stack([i + j, j - i, k - w, w + k]) * np.sqrt(0.5)
    return replace(motion, q=q)


def listed_as(motion: Trajectory, other: Trajectory) -> Trajectory:
    """Return a motion with its bodies in the order of another."""
    order = [motion.names.index(name) for name in other.names]
    return replace(motion, q=motion.q[:, order], names=other.names, bases=other.bases)
