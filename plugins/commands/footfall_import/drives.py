"""Proposed actuators: gears, rotors and torque limits that the files give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from footfall.api.advanced import ModelCoupling
from footfall.api.plugin import Floats
from footfall_import.checks import PLACEHOLDER, Finding, takes_effort
from footfall_import.model import Model
from footfall_import.proposal import DriveGroup
from footfall_import.stance import Stance

Drive = tuple[float, float, float | Literal["model"] | None, tuple[float, float] | None]
"""Gear ratio, rotor inertia, torque limit and spring of a joint."""
ENOUGH = 1.0
"""Greatest ratio of holding torque to torque limit at which a joint's limit is used."""


def reflected(model: Model, names: Sequence[str]) -> Floats:
    """Return the reflected inertia of each joint, shape (joints,), [kg m^2 or kg]."""
    rotors = [model.rotors.get(name) for name in names]
    turning = [r.inertia * r.gear_ratio**2 if r else 0.0 for r in rotors]
    own = [model.armature.get(name, 0.0) for name in names]
    total: Floats = np.array(turning, float) + np.array(own, float)
    return total


def spring_torques(model: Model, stance: Stance) -> Floats:
    """Return the spring torques in the stance's posture, shape (joints,), [N m or N]."""
    at = zip(stance.model.joint_names, stance.joints, strict=True)
    springs = [(*model.springs.get(name, (0.0, 0.0)), float(s)) for name, s in at]
    found = np.array([stiffness * (rest - s) for stiffness, rest, s in springs], float)
    for drive in model.tendons:
        at_joints = [stance.model.joint_names.index(joint) for joint in drive.joints]
        lengths = drive.rows @ stance.joints[at_joints]
        found[at_joints] += drive.rows.T @ (drive.stiffness * (drive.rest - lengths))
    return found


def propose_drives(
    model: Model, stance: Stance, holding: Floats
) -> tuple[tuple[DriveGroup, ...], list[Finding]]:
    """Return groups of joints with equal drives, and warnings of limits too low to stand.

    A joint is driven if it has a transmission, a rotor or an effort limit, unless it follows
    another joint. A joint with a spring also gets a group. A torque limit that does not hold the
    posture is left out, with a warning.

    Args:
        model: the model.
        stance: the robot in its posture.
        holding: shape (joints,), torques that hold the posture, [N m or N].
    """
    spanned = {joint for drive in model.tendons for joint in drive.joints}
    following = {loop.joint for loop in model.loops if isinstance(loop, ModelCoupling)}
    groups: dict[Drive, list[str]] = {}
    findings = []
    for name, torque in zip(stance.model.joint_names, holding, strict=True):
        limit, greatest = _limit(model, name)
        if greatest < ENOUGH * abs(torque):
            text = f"torque limit {greatest:g} does not hold the posture ({abs(torque):.3g} needed)"
            findings.append(Finding("warning", f'joint "{name}"', f"{text}: not used"))
            limit = None
        rotor = model.rotors.get(name)
        gear = rotor.gear_ratio if rotor else model.gears.get(name, 1.0)
        driven = limit is not None or rotor is not None or name in model.gears
        spring = model.springs.get(name)
        if name in following:
            driven, gear, rotor, limit = False, 1.0, None, None
        if (driven or spring) and name not in spanned:
            key: Drive = (gear, rotor.inertia if rotor else 0.0, limit, spring)
            groups.setdefault(key, []).append(name)
    return tuple(DriveGroup(tuple(joints), *key) for key, joints in groups.items()), findings


def known_efforts(model: Model, needed: float) -> dict[str, float]:
    """Return the torque limits that the files give, by joint, without placeholders.

    Args:
        model: the model.
        needed: torque that would hold the whole robot at arm's length, [N m].
    """
    limits = {name: _limit(model, name)[1] for name in model.urdf.movable}
    return {name: limit for name, limit in limits.items() if limit <= PLACEHOLDER * needed}


def busiest(model: Model, stance: Stance, holding: Floats) -> tuple[str, float]:
    """Return the joint with the largest ratio of holding torque to torque limit, and the ratio."""
    parts = {
        name: abs(float(torque)) / _limit(model, name)[1]
        for name, torque in zip(stance.model.joint_names, holding, strict=True)
    }
    name = max(parts, key=lambda joint: parts[joint], default="")
    return (name, parts[name]) if name and parts[name] > 0.0 else ("", 0.0)


def _limit(model: Model, name: str) -> tuple[float | Literal["model"] | None, float]:
    """Return the torque limit as written in robot.toml, and as a number."""
    if name in model.torque_limits:
        return model.torque_limits[name], model.torque_limits[name]
    joint = model.urdf.joints[name]
    return ("model", joint.limits.effort) if takes_effort(joint) else (None, np.inf)
