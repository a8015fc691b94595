"""``footfall pose`` and ``footfall.pose``: inverse kinematics for the frames of a robot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _command() -> Callable[..., Any]:
    from footfall_pose.command import pose

    return pose


def _function() -> Callable[..., Any]:
    from footfall_pose.posing import pose

    return pose


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command and the function ``pose``."""
    registry.command.add(
        "pose",
        _command,
        summary="Find joint positions in which frames are where they shall be.",
    )
    registry.function.add(
        "pose", _function, summary="joint positions in which frames are where they shall be"
    )
