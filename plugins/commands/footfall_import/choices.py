"""Base and starting posture, chosen by the user or the model's files before any measurement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.api.advanced import ModelCoupling, Urdf
from footfall.api.plugin import Floats, RobotError, nearest
from footfall_import.model import Model
from footfall_import.proposal import Base
from footfall_import.stance import Stance
from footfall_import.standing.gait import Gait
from footfall_import.standing.posture import within_limits
from footfall_import.urdf.srdf import NamedPosture, best_posture


@dataclass(frozen=True, slots=True)
class Wishes:
    """The options that the user gives.

    Attributes:
        name: name of the robot; None: the model's name.
        base: base type of the root; None: taken from the file or its geometry.
        feet: links or fixed joints that the robot stands on; empty: found by Footfall.
        posture: name of a posture of the SRDF or MJCF; None: the first suitable one.
        gait: gait of a second scene; None: no second scene.
    """

    name: str | None = None
    base: Base | None = None
    feet: tuple[str, ...] = ()
    posture: str | None = None
    gait: Gait | None = None


def said_base(model: Model, wishes: Wishes) -> tuple[Base, str]:
    """Return the base given by the user or the file, and the reason; floating by default.

    Raises:
        RobotError: if a base shall move that its one joint already moves.
    """
    lone = _lone_joint(model.urdf)
    if wishes.base and wishes.base != "fixed" and lone:
        raise RobotError(f"--base {wishes.base}: {lone}, so that it cannot move: use --base fixed")
    if wishes.base:
        return wishes.base, "as asked for"
    if model.base:
        return model.base, "as the model says"
    root = model.urdf.links[model.urdf.root]
    if root.name == "world":
        return "fixed", 'the root link is "world"'
    if lone:
        return "fixed", lone
    return "floating", "" if model.urdf.movable else "a body without joints"


def _lone_joint(urdf: Urdf) -> str:
    """Return that a root has no mass and carries one joint, which alone would move it, else ""."""
    body = {urdf.root}
    moving = []
    for joint in urdf.depth_first():
        if joint.parent in body and joint.type == "fixed":
            body.add(joint.child)
        elif joint.parent in body:
            moving.append(joint.name)
    if len(moving) != 1 or any(urdf.links[name].inertial for name in body):
        return ""
    return f'the root link "{urdf.root}" has no mass and carries one joint'


def named_posture(model: Model, wanted: str | None) -> NamedPosture | None:
    """Return the starting posture from the model's files, None if they have none.

    Raises:
        RobotError: if the wanted posture does not exist; suggests the nearest name.
    """
    if wanted is None:
        return best_posture(model.postures, model.urdf.movable)
    names = [posture.name for posture in model.postures]
    if wanted not in names:
        hint = nearest(wanted, names) or f" (postures: {', '.join(names) or 'none'})"
        raise RobotError(f'the model has no posture "{wanted}"{hint}')
    return model.postures[names.index(wanted)]


def reference(model: Model, stance: Stance, named: NamedPosture | None) -> Floats:
    """Return joint positions within limits, shape (joints,), [rad or m].

    Joints that the posture does not name are at zero. Coupled joints follow their leaders.
    """
    positions = dict(named.positions) if named else {}
    names = stance.model.joint_names
    given = within_limits(stance, np.array([positions.get(name, 0.0) for name in names]))
    for loop in model.loops:
        if isinstance(loop, ModelCoupling) and {loop.joint, loop.of} <= set(names):
            leader = given[names.index(loop.of)]
            given[names.index(loop.joint)] = loop.ratio * leader + loop.offset
    return given
