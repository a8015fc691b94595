"""A leg: three joints between the trunk and a foot."""

from __future__ import annotations

from footfall.api.engine import TreeModel
from footfall.api.plugin import SettingError, nearest
from footfall_controllers.trot.kernels import BASE, JOINTS
from footfall_controllers.trot.settings import LegConfig


def first_dof(model: TreeModel, config: LegConfig, number: int) -> int:
    """Return the first of the velocities of the joints between the trunk and a foot.

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
    return chain[-1]
