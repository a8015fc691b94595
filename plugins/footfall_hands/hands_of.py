"""From the hands of a scene to those of a simulation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from footfall.devices.find_pushed import find_body, find_link
from footfall.errors import SettingError
from footfall.registry.registry import Registry
from footfall.scene.scene import Choice, Scene
from footfall.world.world import World
from footfall_hands.hand_plan import HandPlan


def hands_of(
    scene: Scene, world: World, registry: Registry, make: Callable[[Choice, Registry], Any]
) -> tuple[HandPlan, ...]:
    """Return the hands of a scene.

    Args:
        scene: the scene.
        world: its bodies.
        registry: the installed plugins.
        make: makes a chosen plugin.

    Raises:
        SceneError: if a device refuses its settings, or picks a link that does not exist.
        PluginError: if a device cannot be made.
    """
    return tuple(
        HandPlan(name, _device(scene, name, world, registry, make), hand)
        for name, hand in scene.hands.items()
    )


def _device(
    scene: Scene,
    name: str,
    world: World,
    registry: Registry,
    make: Callable[[Choice, Registry], Any],
) -> Any:
    path = ("hands", name, "device")
    try:
        device = make(scene.hands[name].device, registry)
        for link in device.links:
            check_link(world, link)
    except SettingError as error:
        raise scene.error(error.reason, *path, *error.path) from error
    return device


def check_link(world: World, path: str) -> None:
    """Refuse the name of a link, ``link`` or ``body/link``, that does not exist.

    Raises:
        SettingError: if there is none; offers the nearest.
    """
    body, slash, name = path.partition("/")
    try:
        find_link(world, find_body(world, body if slash else None), name if slash else path)
    except SettingError as error:
        raise SettingError(error.reason, "link") from error
