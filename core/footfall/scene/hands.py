"""The hands of a scene, with the devices that they choose."""

from __future__ import annotations

from collections.abc import Mapping

from footfall.interfaces.integrator import Continuous
from footfall.scene import choose as slots
from footfall.scene.choose import Chooser
from footfall.scene.hand_table import HandTable
from footfall.scene.scene import Choice, Hand


def choose_hands(
    tables: Mapping[str, HandTable], integrator: Choice, chooser: Chooser
) -> dict[str, Hand]:
    """Return the hands by name.

    Raises:
        SceneError: if a device does not exist, a key of it is wrong, or the integrator makes no
            steps that a hand could act in; names the key.
    """
    hands = {}
    for name, table in tables.items():
        path = ("hands", name)
        cls = chooser.registry.integrator[integrator.plugin].load()
        if issubclass(cls, Continuous):
            raise chooser.where.error(
                f'needs time stepping: integrator "{integrator.plugin}" makes no steps that a '
                "hand could act in",
                path,
            )
        device = chooser.choose(slots.DEVICE, table.device, path=(*path, "device"))
        fields = {key: getattr(table, key) for key in table.model_fields_set - {"device"}}
        hands[name] = Hand(**fields, name=name, device=device)
    return hands
