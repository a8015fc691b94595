"""Places of sensors on a body and in the simulation's row; errors suggest the nearest name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from footfall.api.device import SensorBody, names_matching
from footfall.api.engine import LinkFrame
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Floats, Ints, PluginError, RobotError, nearest
from footfall_sensors.kernels import measurement

XYZ, XYZW = ("x", "y", "z"), ("x", "y", "z", "w")
"""Labels of vectors and of quaternions."""
NO_ROW = np.zeros(1)
"""Example of a row, for its type."""


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


def copied(places: Ints, out: Floats) -> Callable[[Floats], None]:
    """Return a function that copies entries of a row."""
    table = table_of(measurement.CopyArrays(places.astype(np.int64), out))
    return bind(measurement.copy, table, like=(NO_ROW,))
