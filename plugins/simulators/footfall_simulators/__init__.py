"""Other simulators: MuJoCo or Drake makes the steps of a scene; scenes as MJCF and URDF."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the simulators ``mujoco`` and ``drake``, and the exporters ``mjcf`` and ``urdf``."""
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
    registry.exporter.add(
        "mjcf",
        "footfall_simulators.exporters.mjcf:export_mjcf",
        summary="bodies, ground and contacts of a scene or of a recording",
    )
    registry.exporter.add(
        "urdf",
        "footfall_simulators.exporters.urdf:export_urdf",
        summary="the robot of a scene or of a recording with one robot",
    )
