"""MuJoCo's convex contact model as a contact law."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry
    from footfall_mujoco_soft.contact import MuJoCoSoft


def _mujoco_soft() -> type[MuJoCoSoft]:
    from footfall_mujoco_soft.contact import MuJoCoSoft

    return MuJoCoSoft


def _inverse_weights() -> Callable[..., Any]:
    from footfall_mujoco_soft.weights import inverse_weights

    return inverse_weights


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the contact law ``mujoco_soft`` and the function ``inverse_weights``."""
    registry.contact.add(
        "mujoco_soft",
        _mujoco_soft,
        summary="MuJoCo's convex soft contacts: solref, solimp, regularised cone; creeps, lifts",
    )
    registry.function.add(
        "inverse_weights",
        _inverse_weights,
        summary="what MuJoCo's body_invweight0 is of a simulator's contacts",
    )
