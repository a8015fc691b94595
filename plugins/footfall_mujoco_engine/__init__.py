"""Dynamics engine on MuJoCo's routines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.engine import Engine
    from footfall.api.plugin import Registry


def _mujoco() -> type[Engine]:
    from footfall_mujoco_engine.engine import MuJoCo

    return MuJoCo


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the engine ``mujoco``."""
    registry.engine.add(
        "mujoco",
        _mujoco,
        summary="M, h and kinematics by MuJoCo's routines, base velocity turned; URDF and MJCF",
        requires=("mujoco",),
        extra="mujoco",
    )
