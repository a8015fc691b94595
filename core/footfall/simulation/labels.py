"""Names along the dimensions of a world's recording."""

from __future__ import annotations

from footfall.devices.pushes import Pushes
from footfall.recording.variables import Labels
from footfall.world.world import World


def labels(world: World, pushes: Pushes) -> Labels:
    """Return the names along a recording's dimensions; one body's joints carry their own names."""
    several = len(world.bodies) > 1
    position: list[str] = []
    velocity: list[str] = []
    joints: list[str] = []
    for body in world.bodies:
        names = [f"{body.name}/{n}" if several else n for n in body.model.joint_names]
        if body.model.base == "floating":
            position += [f"{body.name}/{c}" for c in ("x", "y", "z", "qx", "qy", "qz", "qw")]
            velocity += [f"{body.name}/{c}" for c in ("vx", "vy", "vz", "wx", "wy", "wz")]
        position += names
        velocity += names
        joints += names
    return Labels(
        tuple(position),
        tuple(velocity),
        tuple(joints),
        world.contact_names,
        tuple(body.name for body in world.bodies),
        world.foot_names,
        world.loop_names,
        pushes.names if pushes.scheduled else None,
        world.joint_row_names,
        world.collider is not None,
    )
