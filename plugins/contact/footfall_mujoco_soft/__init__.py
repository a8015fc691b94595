"""MuJoCo's convex contact model as a contact law."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the contact law ``mujoco_soft`` and the function ``inverse_weights``."""
    registry.contact.add(
        "mujoco_soft",
        "footfall_mujoco_soft.contact:MuJoCoSoft",
        summary="MuJoCo's convex soft contacts: solref, solimp, regularised cone; creeps, lifts",
    )
    registry.function.add(
        "inverse_weights",
        "footfall_mujoco_soft.weights:inverse_weights",
        summary="MuJoCo's body_invweight0 for a simulator's contacts",
    )
