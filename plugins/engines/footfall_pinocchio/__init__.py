"""Dynamics engine on Pinocchio's recursive algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.engine import Engine
    from footfall.api.plugin import Registry


def _pinocchio() -> type[Engine]:
    from footfall_pinocchio.engine import Pinocchio

    return Pinocchio


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the engine ``pinocchio``."""
    registry.engine.add(
        "pinocchio",
        _pinocchio,
        summary="recursive rigid-body algorithms in C++, read without copies; URDF and MJCF",
        requires=("pinocchio",),
    )
