"""Trained networks as controllers, and commands that prepare and compare them."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the controller ``policy``, and the commands and the function of this name."""
    registry.controller.add(
        "policy",
        "footfall_policy.controller:PolicyController",
        summary="a trained network, from ONNX or NumPy's arrays",
    )
    registry.command.add(
        "policy",
        "footfall_policy.command:app",
        summary="Prepare a trained policy, and test it in several laws and simulators.",
    )
    registry.function.add(
        "run_policy",
        "footfall_policy.trial:run_policy",
        summary="try a trained policy in several laws and simulators",
    )
