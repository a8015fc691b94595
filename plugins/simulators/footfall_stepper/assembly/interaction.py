"""Construction of a simulation's interaction from the hands of a scene."""

from __future__ import annotations

from footfall.errors import SettingError
from footfall.interfaces.input_device import InputDevice
from footfall.interfaces.interaction import HandPlan, Interaction
from footfall.registry.registry import Registry
from footfall.scene.choose import constructed, make
from footfall.scene.scene import Scene
from footfall_stepper.devices.external_forces import find_frame
from footfall_stepper.world.world import World


def interaction_of(scene: Scene, world: World, registry: Registry) -> Interaction | None:
    """Return the interaction of a scene with its hands, None if there are none.

    Raises:
        SceneError: if a device rejects its settings, or picks a link that does not exist.
        PluginError: if a device or the interaction cannot be built.
    """
    plans = [
        HandPlan(name, _device(scene, name, world, registry), hand.interaction.config)
        for name, hand in scene.hands.items()
    ]
    if not plans:
        return None
    choice = scene.hands[plans[0].name].interaction
    interaction: Interaction = constructed(choice, registry, plans)
    return interaction


def _device(scene: Scene, name: str, world: World, registry: Registry) -> InputDevice:
    """Build the device of a hand; the links it may pick must exist."""
    path = ("hands", name, "device")
    try:
        device: InputDevice = make(scene.hands[name].device, registry)
        for link in device.links:
            try:
                find_frame(world, link)
            except SettingError as error:
                raise SettingError(error.reason, "link") from error
    except SettingError as error:
        raise scene.error(error.reason, *path, *error.path) from error
    return device
