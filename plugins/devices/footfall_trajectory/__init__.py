"""Joint trajectories from a file, played back and tracked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.controller import Controller
    from footfall.api.plugin import Registry


def _trajectory() -> type[Controller]:
    from footfall_trajectory.controller import Trajectory

    return Trajectory


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the controller."""
    registry.controller.add(
        "trajectory", _trajectory, summary="tracks joint trajectories from a file or recording"
    )
