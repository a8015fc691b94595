"""A hand for the users of a viewer, in scenes that give none."""

from __future__ import annotations

from dataclasses import replace

from footfall.api.input_device import LiveDevice
from footfall.api.integrator import Continuous
from footfall.api.plugin import Registry
from footfall.api.visualizer import InteractiveVisualizer
from footfall.scene import choose as slots
from footfall.scene.choose import Chooser
from footfall.scene.scene import Hand, Scene

MOUSE = "mouse"
"""Name of the hand and of its device."""


def with_mouse(scene: Scene, registry: Registry) -> Scene:
    """Return the scene with ``[hands.mouse]`` if its viewer's users could use one and have none.

    That is nobody's where time is continuous, since no hand acts there.
    """
    viewer = registry.visualizer[scene.visualizer.plugin].load()
    if not issubclass(viewer, InteractiveVisualizer) or MOUSE in scene.hands:
        return scene
    devices = [registry.input_device[h.device.plugin].load() for h in scene.hands.values()]
    if any(issubclass(device, LiveDevice) for device in devices):
        return scene
    if issubclass(registry.integrator[scene.integrator.plugin].load(), Continuous):
        return scene
    chooser = Chooser(registry, scene.where)
    device = chooser.choose(slots.DEVICE, {"plugin": MOUSE}, path=("hands", MOUSE, "device"))
    return replace(scene, hands={**scene.hands, MOUSE: Hand(name=MOUSE, device=device)})
