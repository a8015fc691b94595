"""The hands of a scene: which interaction and which device each table chooses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from footfall.interfaces.input_device import LiveDevice
from footfall.interfaces.integrator import Continuous
from footfall.interfaces.interactive_visualizer import InteractiveVisualizer
from footfall.registry.registry import Registry
from footfall.scene import choose as slots
from footfall.scene.choose import Chooser
from footfall.scene.scene import Choice, Hand, Scene
from footfall.scene.schema import HandTable

MOUSE = "mouse"
"""Name of the hand of a viewer's users, and of its device."""


def choose_hands(
    tables: Mapping[str, HandTable], integrator: Choice, chooser: Chooser
) -> dict[str, Hand]:
    """Return the hands by name.

    Raises:
        SceneError: if an interaction or a device does not exist, a key of one is wrong, two hands
            choose different interactions, or the integrator makes no steps that a hand could act
            in; names the key.
    """
    hands: dict[str, Hand] = {}
    for name, table in tables.items():
        path = ("hands", name)
        cls = chooser.registry.integrator[integrator.plugin].load()
        if issubclass(cls, Continuous):
            raise chooser.where.error(
                f'needs time stepping: integrator "{integrator.plugin}" makes no steps that a '
                "hand could act in",
                path,
            )
        fields = table.model_extra or {}
        how = chooser.choose(slots.HAND, fields, path=path, common=("device",))
        for other, hand in hands.items():
            if hand.interaction.plugin != how.plugin:
                raise chooser.where.error(
                    f'is "{how.plugin}", and that of hands.{other} is "{hand.interaction.plugin}": '
                    "all hands of a scene need the same",
                    (*path, slots.PLUGIN),
                )
        device = chooser.choose(slots.DEVICE, table.device, path=(*path, "device"))
        hands[name] = Hand(how, device)
    return hands


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
    others = [hand.interaction.plugin for hand in scene.hands.values()]
    plugin = others[0] if others else slots.HAND.default
    table = {slots.PLUGIN: plugin, "device": {slots.PLUGIN: MOUSE}}
    hands = {MOUSE: HandTable.model_validate(table)}
    mouse = choose_hands(hands, scene.integrator, Chooser(registry, scene.where))
    return replace(scene, hands={**scene.hands, **mouse})
