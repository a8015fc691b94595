"""Push links and joints from Python, for the step that comes next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.config.numbers import sized
from footfall.devices.find_pushed import find_body, find_joint, find_link
from footfall.devices.pushes import FrameName, Pushes
from footfall.errors import SettingError, SimulationError
from footfall.world.world import World


def push_link(
    pushes: Pushes, world: World, path: str, numbers: Sequence[Any], frame: FrameName
) -> None:
    """Let a wrench act on a link over the next step.

    Args:
        pushes: to which it is added.
        world: whose link it is.
        path: ``link`` or ``body/link``.
        numbers: force [N], moment [N m] and point [m, the link's frame], three each.
        frame: along whose axes force and moment are given.

    Raises:
        SimulationError: if there is no such link, or the numbers are not finite.
    """
    force, moment, point = (
        sized(values, 3, f"push: {name}")
        for name, values in zip(("force", "moment", "point"), numbers, strict=True)
    )
    body, name = _split(path)
    try:
        link, pose = find_link(world, find_body(world, body), name)
    except SettingError as error:
        raise SimulationError(f"push {path!r}: {error.reason}") from error
    if frame == "link":
        force, moment = pose.rotation @ force, pose.rotation @ moment
    pushes.add(link, pose.apply(point), np.concatenate([force, moment]), frame)


def push_joint(pushes: Pushes, world: World, path: str, effort: float) -> None:
    """Let an effort [N m or N] act on a joint, ``joint`` or ``body/joint``, over the next step.

    Raises:
        SimulationError: if there is no such joint, or the effort is not finite.
    """
    body, name = _split(path)
    try:
        dof = find_joint(world, find_body(world, body), name)
    except SettingError as error:
        raise SimulationError(f"push_joint {path!r}: {error.reason}") from error
    pushes.add_effort(dof, float(sized([effort], 1, "push_joint: effort")[0]))


def _split(path: str) -> tuple[str | None, str]:
    """Return the body's name, None if none is given, and what of it is meant."""
    body, slash, name = path.partition("/")
    return (body, name) if slash else (None, path)
