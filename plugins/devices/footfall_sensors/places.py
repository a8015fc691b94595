"""Places of sensors on a body; errors suggest the nearest name."""

from __future__ import annotations

from collections.abc import Sequence

from footfall.api.device import SensorBody, names_matching
from footfall.api.engine import LinkFrame
from footfall.api.plugin import PluginError, RobotError, nearest


def frame_of(body: SensorBody, frame: str) -> LinkFrame:
    """Return the placement of a link's or a fixed joint's frame.

    Raises:
        PluginError: if there is no such frame.
    """
    found = body.model.frames.get(frame)
    if found is None:
        hint = nearest(frame, body.model.frames, "frames")
        raise PluginError(f"frame: no link or frame {frame!r}{hint}")
    return found


def foot_of(body: SensorBody, foot: str) -> str:
    """Return a foot by name.

    Raises:
        PluginError: if no contact feature has a frame of that name.
    """
    if foot not in body.feet:
        feet = ", ".join(body.feet) or "none"
        raise PluginError(f"foot: no foot {foot!r}{nearest(foot, body.feet)} (feet: {feet})")
    return foot


def joints_of(body: SensorBody, patterns: Sequence[str]) -> tuple[str, ...]:
    """Return joints by names or patterns, in the body's order.

    Raises:
        PluginError: if a pattern matches no joint.
    """
    try:
        return names_matching(patterns, body.model.joint_names, "joints")
    except RobotError as error:
        raise PluginError(str(error)) from error
