"""What contacts between bodies need of the laws of a scene."""

from __future__ import annotations

from collections.abc import Iterator

from footfall.interfaces.contact import Need as Quantity
from footfall.interfaces.integrator import Continuous
from footfall.interfaces.plugin import Capability
from footfall.registry.registry import Registry
from footfall.scene.needs import Need, contact_needs, restitution_need
from footfall.scene.scene import Scene
from footfall.world.collider import Collider


def collision_needs(scene: Scene, registry: Registry, collider: Collider | None) -> Iterator[Need]:
    """Yield what contacts between bodies need of the laws.

    Raises:
        SceneError: for a law that is stated with accelerations, or an integrator of continuous
            time; names those that could.
    """
    if collider is None:
        return
    because = "bodies touch each other"
    for what in (Capability.SEVERAL_BODIES, Capability.TILTED_TERRAIN):
        yield from contact_needs(scene, registry, what, because)
    for shape in collider.shapes:
        if shape.restitution > 0.0:
            why = f"the restitution of {shape.name.split('/')[0]} is {shape.restitution:g}"
            yield restitution_need(scene, registry, why)
            break
    law = registry.contact[scene.contact.plugin].load()
    if Quantity.JDOT_V in law.needs:
        able = [n for n, cls in registry.contact.loadable() if Quantity.JDOT_V not in cls.needs]
        raise scene.error(
            f'contact "{scene.contact.plugin}" is stated with accelerations, for which it would '
            "need the curvature of bodies that touch each other (contact plugins that do without: "
            f"{', '.join(able)})",
            *("contact", "plugin"),
        )
    if issubclass(registry.integrator[scene.integrator.plugin].load(), Continuous):
        steps = [n for n, cls in registry.integrator.loadable() if not issubclass(cls, Continuous)]
        raise scene.error(
            f'integrator "{scene.integrator.plugin}" knows no contacts between bodies '
            f"(integrators that do: {', '.join(steps)})",
            *("integrator", "plugin"),
        )
