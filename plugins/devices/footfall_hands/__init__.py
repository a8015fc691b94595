"""Hands in a running simulation: grips, dragging, touching, input devices, live runs."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the interaction ``hands``, its devices, ``demo``, and functions that change a run."""
    registry.interaction.add(
        "hands", "footfall_hands.interaction:Hands", summary="hands that drag and touch; live runs"
    )
    registry.function.add(
        "Springs", "footfall_hands.grip:Springs", summary="gains of a grip of `Simulator.grab`"
    )
    registry.function.add(
        "with_gravity",
        "footfall_hands.objects:with_gravity",
        summary="continue with another gravity",
    )
    registry.function.add(
        "with_law", "footfall_hands.objects:with_law", summary="continue with another contact law"
    )
    registry.command.add(
        "demo",
        "footfall_hands.command:demo",
        summary="Show a humanoid that walks, is pushed, and continues under another contact law.",
    )
    registry.function.add(
        "with_object", "footfall_hands.objects:with_object", summary="continue with one more body"
    )
    registry.function.add(
        "without_object",
        "footfall_hands.objects:without_object",
        summary="continue without an object",
    )
    registry.input_device.add(
        "scripted",
        "footfall_hands.devices.input_device:Scripted",
        summary="a hand that follows a file or waypoints",
    )
    registry.input_device.add(
        "network",
        "footfall_hands.devices.network:Network",
        summary="a hand that other programs move over a WebSocket",
    )
