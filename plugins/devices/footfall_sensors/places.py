"""Places of sensors on a body; errors suggest the nearest name."""

from __future__ import annotations

from collections.abc import Sequence

from footfall.api.controller import select
from footfall.api.engine import Placement
from footfall.api.errors import PluginError, RobotError, nearest
from footfall.api.sensor import Body


def frame_of(body: Body, frame: str) -> Placement:
    """Return the placement of a link's or a fixed joint's frame.

    Raises:
        PluginError: if there is no such frame.
    """
    found = body.model.frames.get(frame)
    if found is None:
        hint = nearest(frame, body.model.frames, "frames")
        raise PluginError(f"frame: no link or frame {frame!r}{hint}")
    return found


def foot_of(body: Body, foot: str) -> str:
    """Return a foot by name.

    Raises:
        PluginError: if no contact feature has a frame of that name.
    """
    if foot not in body.feet:
        feet = ", ".join(body.feet) or "none"
        raise PluginError(f"foot: no foot {foot!r}{nearest(foot, body.feet)} (feet: {feet})")
    return foot


def joints_of(body: Body, patterns: Sequence[str]) -> tuple[str, ...]:
    """Return joints by names or patterns, in the body's order.

    Raises:
        PluginError: if a pattern matches no joint.
    """
    try:
        return select(patterns, body.model.joint_names, "joints")
    except RobotError as error:
        raise PluginError(str(error)) from error
