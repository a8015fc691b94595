"""Tell of what an MJCF says and nothing here reads."""

from __future__ import annotations

import warnings

from footfall.formats.mesh_paths import RobotWarning
from footfall.formats.mjcf import Mjcf
from footfall.model.spec import RobotSpec


def tell_of_unread(mjcf: Mjcf, spec: RobotSpec) -> None:
    """Warn, in one line, of sections whose subject robot.toml says nothing of either."""
    unread = {
        "actuator": not spec.actuators,
        "contact": not spec.contact_features,
        "keyframe": not spec.posture,
        "sensor": not spec.sensors,
        "equality": spec.model.loops == "ignored",
    }
    found = [f"<{tag}>" for tag, silent in unread.items() if silent and tag in mjcf.sections]
    if found:
        warnings.warn(
            f"{mjcf.path}: not read: {', '.join(found)}; say in robot.toml what is to hold of it",
            RobotWarning,
            stacklevel=2,
        )
