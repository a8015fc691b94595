"""The hands of a scene: which interaction and which device each table chooses."""

from __future__ import annotations

from collections.abc import Mapping

from footfall.interfaces.integrator import Continuous
from footfall.scene import scene as slots
from footfall.scene.choose import PLUGIN, Chooser
from footfall.scene.scene import Choice, Hand
from footfall.scene.schema import HandTable


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
        how = chooser.choose(slots.HAND, fields, path=path)
        for other, hand in hands.items():
            if hand.interaction.plugin != how.plugin:
                raise chooser.where.error(
                    f'is "{how.plugin}", and that of hands.{other} is "{hand.interaction.plugin}": '
                    "all hands of a scene need the same",
                    (*path, PLUGIN),
                )
        device = chooser.choose(slots.DEVICE, table.device, path=(*path, "device"))
        hands[name] = Hand(how, device)
    return hands
