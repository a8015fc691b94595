"""Trial of a proposed robot: a run of its scene, and a check that the robot stays in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import footfall
from footfall.api.plugin import Floats, FootfallError
from footfall_import.checks import Finding
from footfall_import.mjcf.planar import ROOT_JOINTS
from footfall_import.proposal import Base
from footfall_import.wheels import Roll

DURATION = 5.0
"""Duration of the trial, [s]."""
SINKS, TILTS, YIELDS = 2e-3, float(np.radians(1.0)), 0.05
"""Allowed motion [m] and tilt [rad] of the base, and allowed motion of a held joint [rad or m]."""
FALLS = 0.05
"""Motion of the base from which the robot counts as fallen, [m]."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a trial.

    Attributes:
        base: base type of the root.
        moves: largest distance of the base from its start, [m]; zero for a fixed base.
        tilts: largest angle of the base from its start, [rad]; zero for a fixed base.
        yields: largest motion of a joint, [rad or m].
        problem: error that prevents a run, else empty.
        ends: distance of a floating base from its start at the end, [m].
    """

    base: Base
    moves: float = 0.0
    tilts: float = 0.0
    yields: float = 0.0
    problem: str = ""
    ends: float = 0.0

    @property
    def passed(self) -> bool:
        """True if the robot stands or, with a fixed base, holds its posture."""
        held = self.base != "fixed" or self.yields <= YIELDS
        return not self.problem and held and self.moves <= SINKS and self.tilts <= TILTS

    @property
    def verdict(self) -> str:
        """The result in words."""
        if self.problem:
            return f"cannot run: {self.problem}"
        if self.base == "fixed":
            does = "holds its posture" if self.passed else "does not hold its posture"
            return f"{does}: joints move by at most {self.yields:.2g}"
        far = (
            f"its base moves by {1e3 * self.moves:.3g} mm and {np.degrees(self.tilts):.2g} degrees"
        )
        if self.passed:
            return f"stands: {far} at most"
        return f"{'falls' if self.moves > FALLS else 'does not stay'}: {far}"


def try_scene(scene: Path, base: Base, name: str = "") -> Trial:
    """Run a proposed scene and return the result.

    Args:
        scene: the scene's file.
        base: base type of the robot's root.
        name: name of the robot in a scene with several bodies.
    """
    try:
        run = footfall.load(str(scene)).run(duration=DURATION)
    except FootfallError as error:
        return Trial(base, problem=str(error))
    joints = _joints(run, name)
    moved = {joint: np.abs(values - values[0]) for joint, values in joints.items()}
    yields = max((float(values.max()) for values in moved.values()), default=0.0)
    if base == "fixed":
        return Trial(base, yields=yields)
    if base == "planar":
        x, z, pitch = (moved[joint] for joint in ROOT_JOINTS)
        return Trial(base, float(np.hypot(x, z).max()), float(pitch.max()), yields)
    at = list(run.body.values).index(name) if name in run.body.values else 0
    position = run.base_position.values.reshape(len(run.time), -1, 3)[:, at]
    quaternion = run.base_quaternion.values.reshape(len(run.time), -1, 4)[:, at]
    cosine = np.abs(quaternion @ quaternion[0]).clip(0.0, 1.0)
    away = np.linalg.norm(position - position[0], axis=1)
    tilts = float(2.0 * np.arccos(cosine).max())
    return Trial(base, float(away.max()), tilts, yields, ends=float(away[-1]))


ROLLS = 2.0
"""Duration of the trial of wheels, [s]."""
SLIPS, BRAKED = 0.05, 0.1
"""Largest difference of way and turned wheels, and least way that counts as rolling, relative to
the way without resistance."""


def try_roll(scene: Path, roll: Roll) -> Finding:
    """Roll a robot that nothing drives, and compare its way with its wheels' turns."""
    try:
        run = footfall.load(str(scene)).run(duration=ROLLS)
    except FootfallError as error:
        return Finding("warning", "wheels", f"cannot run: {error}")
    speed = float(np.linalg.norm(roll.velocity))
    moved = run.base_position.values.reshape(len(run.time), -1, 3)[:, 0]
    moved = moved - moved[0]
    turned = _joints(run, "")
    turns = [
        float(turned[name][-1] - turned[name][0]) * roll.radius[name] * np.sign(rate)
        for name, rate in roll.rates.items()
    ]
    return roll_finding(float(moved[-1] @ roll.velocity) / speed, turns, moved[:, 2], speed)


def roll_finding(way: float, turns: Sequence[float], heights: Floats, speed: float) -> Finding:
    """Return a note if a robot has rolled on its wheels, else a warning.

    Args:
        way: distance covered in ``ROLLS`` seconds, [m].
        turns: angles of the wheels times their radii, [m].
        heights: shape (n,), height of the base over its start, [m].
        speed: speed at the start, [m/s].
    """
    sinks, slips = float(np.abs(heights).max()), float(np.abs(way - np.array(turns)).max())
    text = (
        f"{way:.3f} m in {ROLLS:g} s from {speed:.3g} m/s, wheels turn by {np.mean(turns):.3f} m, "
        f"the base's height changes by {1e3 * sinks:.2g} mm"
    )
    if sinks <= SINKS and slips <= SLIPS * speed * ROLLS:
        if way < BRAKED * speed * ROLLS:
            text += " (friction or damping of the joints brakes them: rolling is not tried)"
            return Finding("note", "wheels", f"stop: {text}")
        return Finding("note", "wheels", f"roll: {text}")
    way_out = "check their contact features in robot.toml, or name the links with --feet"
    return Finding("warning", "wheels", f"do not roll: {text} ({way_out})")


def _joints(run: Any, name: str) -> dict[str, Floats]:
    """Return a robot's joint positions over time by joint, shape (n,) each, [rad or m]."""
    before = f"{name}/" if len(run.body) > 1 else ""
    names = [str(joint) for joint in run.joint.values]
    columns = run.joint_position.values.reshape(len(run.time), len(names)).T
    return {
        joint.removeprefix(before): values
        for joint, values in zip(names, columns, strict=True)
        if joint.startswith(before)
    }


def advice(trial: Trial, *, has_feet: bool, on_points: bool = False) -> Finding:
    """Return a finding of a trial: a note if it passed, else a warning with advice.

    Args:
        trial: the result.
        has_feet: True if the robot has contact points.
        on_points: True if the contact points span no area.
    """
    if trial.passed:
        return Finding("note", f"tried for {DURATION:g} s", trial.verdict)
    if trial.problem or trial.base == "fixed":
        way = "edit the posture in robot.toml or the gains of the scene"
    elif has_feet and on_points:
        way = "its feet span no area: use a balancing controller or --base fixed"
    elif has_feet:
        way = "name its feet with --feet, choose another --posture, or use --base fixed"
    else:
        way = "it has no feet: name them with --feet, or use --base fixed"
    return Finding("warning", f"tried for {DURATION:g} s", f"{trial.verdict} ({way})")


DRIFTS, SWAYS = 0.1, np.radians(10.0)
"""Allowed distance from the start at the end of a gait on the spot [m], and base tilt [rad]."""


def gait_finding(trial: Trial, gait: str) -> Finding:
    """Return a finding of a gait's trial: a note if the robot keeps walking, else a warning."""
    if trial.problem:
        return Finding("warning", gait, f"cannot run: {trial.problem}")
    far = (
        f"its base ends {1e2 * trial.ends:.2g} cm from its start, and moves by "
        f"{1e2 * trial.moves:.2g} cm and {np.degrees(trial.tilts):.2g} degrees"
    )
    if trial.ends <= DRIFTS and trial.tilts <= SWAYS:
        return Finding("note", gait, f"goes on for {DURATION:g} s: {far} at most")
    way = "edit its settings in the scene, or choose another --posture"
    return Finding("warning", gait, f"does not go on: {far} ({way})")
