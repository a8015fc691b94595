"""Which impact model goes with which contact law."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from footfall.registry.registry import Registry

if TYPE_CHECKING:
    from footfall.scene.scene import Choice, Scene


def default_impact(contact: Choice, registry: Registry) -> str:
    """Return the impact model that suits a chosen contact law."""
    return suiting_impact(contact.plugin, registry)


def suiting_impact(contact: str, registry: Registry) -> str:
    """Return the impact model that suits a contact law, by name.

    Raises:
        PluginError: if the law does not exist or cannot be loaded.
    """
    return "none" if registry.contact[contact].load().absorbs_impacts else "inelastic"


def impacts_act(scene: Scene, registry: Registry) -> bool:
    """Whether the scene's impact model does anything."""
    return registry.impact[scene.impact.plugin].load().acts


def check_impact_order(scene: Scene, registry: Registry) -> None:
    """Refuse an order of impacts that would have no effect.

    Raises:
        SceneError: if impacts are to come after contact forces, but no impact model acts.
    """
    if scene.simulation.impact_order == "after_contact" and not impacts_act(scene, registry):
        raise scene.error(
            f'has no effect: impact "{scene.impact.plugin}" does nothing; '
            'choose another impact model or impact_order = "before_contact"',
            *("simulation", "impact_order"),
        )


def impact_notes(scene: Scene, registry: Registry) -> Iterator[str]:
    """Yield a note if both the impact model and the contact law stop approaching points."""
    absorbs = registry.contact[scene.contact.plugin].load().absorbs_impacts
    if absorbs and impacts_act(scene, registry):
        yield (
            f'impact "{scene.impact.plugin}" acts as well as contact "{scene.contact.plugin}", '
            "which absorbs impacts by itself"
        )
