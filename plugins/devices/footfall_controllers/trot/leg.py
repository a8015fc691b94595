"""A leg: three joints between the trunk and a foot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.api.engine import TreeModel
from footfall.api.plugin import Floats, SettingError, nearest
from footfall_controllers.trot.settings import LegConfig

BASE = 6
"""Number of velocities of a floating base."""
JOINTS = 3
"""Number of joints of a leg: one per coordinate of the foot's position."""


@dataclass(frozen=True, slots=True, eq=False)
class Leg:
    """A leg.

    Attributes:
        foot: name of the foot's frame.
        phase: start of its step within the cycle, from 0 to 1.
        place: shape (2,), standing position from the trunk's origin, along the heading, [m].
        dofs: indices of its joints in the body's velocities.
        joints: indices of its joints in the body's joints.
    """

    foot: str
    phase: float
    place: Floats
    dofs: slice
    joints: slice


def find_leg(model: TreeModel, config: LegConfig, number: int) -> Leg:
    """Find the joints between the trunk and a foot.

    Args:
        model: model of the body.
        config: settings of the leg.
        number: number of the leg in the settings, for errors.

    Raises:
        SettingError: if the base does not float, or the foot does not exist or is not at the end of
            three joints.
    """
    where = ("legs", number, "foot")
    if model.base != "floating":
        raise SettingError("a body with a fixed base does not trot", *where)
    if config.foot not in model.frames:
        raise SettingError(f"no frame {config.foot!r}{nearest(config.foot, model.frames)}", *where)
    dof, chain = int(model.link_dof[model.frames[config.foot].link]), []
    while dof >= BASE:
        chain.append(dof)
        dof = int(model.dof_parent[dof])
    if len(chain) != JOINTS:
        raise SettingError(
            f"{config.foot!r} is at the end of {len(chain)} joints, not of {JOINTS}", *where
        )
    first, end = chain[-1], chain[0] + 1
    place = np.array(config.place)
    return Leg(config.foot, config.phase, place, slice(first, end), slice(first - BASE, end - BASE))
