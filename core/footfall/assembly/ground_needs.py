"""What the ground of a scene needs of its laws, and of the bodies that touch it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall.interfaces.contact import Need as Quantity
from footfall.interfaces.plugin import Capability
from footfall.interfaces.terrain import Terrain
from footfall.registry.registry import Registry
from footfall.scene.needs import Need, contact_needs, restitution_need
from footfall.scene.scene import Scene
from footfall.world.world import World


def ground_needs(
    scene: Scene, registry: Registry, terrain: Terrain, world: World
) -> Iterator[Need]:
    """Yield what the ground needs of the contact law, and of the impact model if one acts.

    Raises:
        SceneError: if the ground is curved and the law is stated with accelerations.
    """
    ground = f"the ground {scene.world.terrain.plugin}"
    normal, what = world.sample.normal, terrain.capabilities
    curved, moving = Capability.CURVED_TERRAIN in what, Capability.MOVING_GROUND in what
    level = np.allclose(normal, [0.0, 0.0, 1.0], atol=1e-12)
    if len(normal) and (curved or not level):
        because = f"{ground} is {'curved' if curved else 'tilted'}"
        yield from contact_needs(scene, registry, Capability.TILTED_TERRAIN, because)
    if moving:
        yield from contact_needs(scene, registry, Capability.MOVING_GROUND, f"{ground} moves")
    if curved:
        _check_law(scene, registry, ground)
    for side, coefficients in (
        ("a body's", world.candidates.restitution),
        ("the ground's", np.append(world.sample.restitution, terrain.greatest_restitution)),
    ):
        if (coefficients > 0.0).any():
            because = f"{side} restitution is {np.nanmax(coefficients):g}"
            yield restitution_need(scene, registry, because)


def _check_law(scene: Scene, registry: Registry, ground: str) -> None:
    """Refuse a law that is stated with accelerations, which would need the ground's curvature."""
    law = registry.contact[scene.contact.plugin].load()
    if Quantity.JDOT_V not in law.needs:
        return
    others = [name for name, cls in registry.contact.loadable() if Quantity.JDOT_V not in cls.needs]
    raise scene.error(
        f'contact "{scene.contact.plugin}" is stated with accelerations, for which it would need '
        f"the curvature of {ground} (contact plugins that do without: {', '.join(others)})",
        *("contact", "plugin"),
    )


def check_kinds(scene: Scene, world: World, terrain: Terrain) -> None:
    """Refuse contact features of a kind that the ground cannot meet.

    Raises:
        SceneError: names the feature, and what the ground can meet.
    """
    for body in world.bodies:
        for feature in body.features:
            if feature.kind not in terrain.kinds:
                raise scene.error(
                    f"meets {' and '.join(sorted(terrain.kinds))} features alone: a {feature.kind} "
                    "takes the ground below it as one plane, and "
                    f"{body.name}/{feature.name} is one",
                    *("world", "terrain", "plugin"),
                )
