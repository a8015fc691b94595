"""Other simulators as guests of the stepper: MuJoCo or Drake makes the steps of a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the simulators ``mujoco`` and ``drake``."""
    registry.simulator.add(
        "mujoco",
        "footfall_simulators.mujoco.simulator:Mujoco",
        summary="MuJoCo's mj_step on the same bodies, joints, contacts and drives",
        requires=("mujoco",),
        extra="mujoco",
    )
    registry.simulator.add(
        "drake",
        "footfall_simulators.drake.simulator:Drake",
        summary="a discrete MultibodyPlant of Drake with the same bodies, contacts and drives",
        requires=("pydrake",),
        extra="drake",
    )
