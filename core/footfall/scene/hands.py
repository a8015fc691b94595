"""The hands of a scene, with their interactions and devices."""

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
        SceneError: if an interaction or a device does not exist, one of its keys is wrong, two
            hands choose different interactions, or the integrator is continuous; names the key.
    """
    hands: dict[str, Hand] = {}
    for name, table in tables.items():
        path = ("hands", name)
        cls = chooser.registry.integrator[integrator.plugin].load()
        if issubclass(cls, Continuous):
            raise chooser.where.error(
                f'needs time stepping: integrator "{integrator.plugin}" is continuous, and hands '
                "act only in time steps",
                path,
            )
        fields = table.model_extra or {}
        how = chooser.choose(slots.HAND, fields, path=path)
        for other, hand in hands.items():
            if hand.interaction.plugin != how.plugin:
                raise chooser.where.error(
                    f'is "{how.plugin}", must be the same for all hands: hands.{other} has '
                    f'"{hand.interaction.plugin}"',
                    (*path, PLUGIN),
                )
        device = chooser.choose(slots.DEVICE, table.device, path=(*path, "device"))
        hands[name] = Hand(how, device)
    return hands
