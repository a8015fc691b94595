"""Choices before anything is measured, by the user or the model's files: base and posture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.api.errors import RobotError, nearest
from footfall.api.formats import ModelCoupling
from footfall.api.plugin import Floats
from footfall_import.model import Model
from footfall_import.posture import within_limits
from footfall_import.proposal import Base
from footfall_import.stance import Stance
from footfall_import.standing.gait import Gait
from footfall_import.urdf.srdf import NamedPosture, best_posture


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user decides.

    Attributes:
        name: of the robot, None for the model's.
        base: how the root is held, None: as the file or its geometry says.
        feet: links or fixed joints that it stands on, empty: those that are found.
        posture: name of a posture of the SRDF or MJCF, None: the first that suits.
        gait: what a second scene shows, None: there is none.
    """

    name: str | None = None
    base: Base | None = None
    feet: tuple[str, ...] = ()
    posture: str | None = None
    gait: Gait | None = None


def said_base(model: Model, wishes: Wishes) -> tuple[Base, str]:
    """Return the base that the user or the file chooses, and who does; floating if nobody does."""
    if wishes.base:
        return wishes.base, "as asked for"
    if model.base:
        return model.base, "as the model says"
    root = model.urdf.links[model.urdf.root]
    if root.name == "world" and root.inertial is None:
        return "fixed", 'the root link is "world"'
    return "floating", "" if model.urdf.movable else "a body without joints"


def named_posture(model: Model, wanted: str | None) -> NamedPosture | None:
    """Return the posture of the model's files to start from, None if they have none.

    Raises:
        RobotError: if the one that is asked for does not exist; offers the nearest.
    """
    if wanted is None:
        return best_posture(model.postures, model.urdf.movable)
    names = [posture.name for posture in model.postures]
    if wanted not in names:
        hint = nearest(wanted, names) or f" (postures: {', '.join(names) or 'none'})"
        raise RobotError(f'the model has no posture "{wanted}"{hint}')
    return model.postures[names.index(wanted)]


def reference(model: Model, stance: Stance, named: NamedPosture | None) -> Floats:
    """Return positions (joints,) [rad or m]: the posture's, zero for others, within the limits.

    Joints that follow others are where those put them.
    """
    positions = dict(named.positions) if named else {}
    names = stance.model.joint_names
    given = within_limits(stance, np.array([positions.get(name, 0.0) for name in names]))
    for loop in model.loops:
        if isinstance(loop, ModelCoupling) and {loop.joint, loop.of} <= set(names):
            leader = given[names.index(loop.of)]
            given[names.index(loop.joint)] = loop.ratio * leader + loop.offset
    return given
