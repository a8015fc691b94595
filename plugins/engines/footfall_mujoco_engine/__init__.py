"""Dynamics engine on MuJoCo's routines."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the engine ``mujoco``."""
    registry.engine.add(
        "mujoco",
        "footfall_mujoco_engine.engine:MuJoCo",
        summary="M, h and kinematics by MuJoCo's routines; URDF and MJCF",
        requires=("mujoco",),
        extra="mujoco",
    )
