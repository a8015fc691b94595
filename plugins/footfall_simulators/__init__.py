"""Other simulators as backends: MuJoCo or Drake makes the steps of a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.backend import Backend
    from footfall.api.plugin import Registry


def _mujoco() -> type[Backend]:
    from footfall_simulators.mujoco.backend import Mujoco

    return Mujoco


def _drake() -> type[Backend]:
    from footfall_simulators.drake.backend import Drake

    return Drake


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the backends ``mujoco`` and ``drake``."""
    registry.backend.add(
        "mujoco",
        _mujoco,
        summary="MuJoCo's mj_step on the same bodies, joints, contacts and drives",
        requires=("mujoco",),
        extra="mujoco",
    )
    registry.backend.add(
        "drake",
        _drake,
        summary="a discrete MultibodyPlant of Drake with the same bodies, contacts and drives",
        requires=("pydrake",),
        extra="drake",
    )
