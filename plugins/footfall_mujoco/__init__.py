"""MuJoCo as a backend: it makes the steps of a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.backend import Backend
    from footfall.api.plugin import Registry


def _mujoco() -> type[Backend]:
    from footfall_mujoco.backend import Mujoco

    return Mujoco


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the backend ``mujoco``."""
    registry.backend.add(
        "mujoco",
        _mujoco,
        summary="MuJoCo's mj_step on the same bodies, joints, contacts and drives",
        requires=("mujoco",),
        extra="mujoco",
    )
