"""The ground of a scene: its needs, its shapes, and the links in contact with its shapes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from footfall.interfaces.engine import TreeModel
from footfall.interfaces.plugin import Capability
from footfall.interfaces.terrain import Terrain, TerrainSolid
from footfall.model.contact_features import ContactFeature
from footfall.model.robot import Robot
from footfall.registry.registry import Registry
from footfall.scene.needs import Need, contact_needs, restitution_need
from footfall.scene.scene import Body as SceneBody
from footfall.scene.scene import Scene
from footfall.scene.schema import TERRAIN
from footfall_stepper.assembly.shapes import BodyShape
from footfall_stepper.collision.shape import FIXED
from footfall_stepper.world.body import Body
from footfall_stepper.world.world import World


def ground_needs(
    scene: Scene, registry: Registry, terrain: Terrain, world: World
) -> Iterator[Need]:
    """Yield the ground's needs for the contact law, and for the impact model if it acts."""
    ground = f"the ground {scene.world.terrain.plugin}"
    normal, what = world.sample.normal, terrain.capabilities
    curved, moving = Capability.CURVED_TERRAIN in what, Capability.MOVING_GROUND in what
    level = np.allclose(normal, [0.0, 0.0, 1.0], atol=1e-12)
    if len(normal) and (curved or not level):
        because = f"{ground} is {'curved' if curved else 'tilted'}"
        yield from contact_needs(scene, registry, Capability.TILTED_TERRAIN, because)
    if moving:
        yield from contact_needs(scene, registry, Capability.MOVING_GROUND, f"{ground} moves")
    for side, coefficients in (
        ("a body's", world.candidates.restitution),
        ("the ground's", np.append(world.sample.restitution, terrain.greatest_restitution)),
    ):
        if (coefficients > 0.0).any():
            because = f"{side} restitution is {np.nanmax(coefficients):g}"
            yield restitution_need(scene, registry, because)


GROUND = f"{TERRAIN}/ground"
"""Name of the ground's shapes, followed by their numbers."""


def ground_shapes(scene: Scene, terrain: Terrain) -> tuple[TerrainSolid, ...]:
    """Return the ground's shapes if bodies touch it with shapes.

    Raises:
        SceneError: if the ground has no shapes.
    """
    if scene.collisions.ground == "points":
        return ()
    solids = terrain.solids()
    if not solids:
        raise scene.error(
            f'"shapes" cannot be used: the ground {scene.world.terrain.plugin} has none here (it '
            'moves, or has patches): choose "points"',
            *("collisions", "ground"),
        )
    return solids


def declared_features(
    scene: Scene, scene_body: SceneBody, robot: Robot, model: TreeModel
) -> tuple[ContactFeature, ...]:
    """Return the contact features with which a body touches the ground.

    Features derived from an object's shape are left out if the shape itself touches the ground.
    """
    shapes = scene.collisions.ground == "shapes" and scene_body.shape is not None
    if shapes or scene_body.motion is not None:
        return ()
    return robot.features(model)


def held_by_points(
    bodies: Sequence[Body], shapes: Iterable[tuple[str, BodyShape]]
) -> Iterator[tuple[str, str]]:
    """Yield pairs of the ground and a shape on a link that declares contact features.

    With these pairs excluded, no link touches the ground twice.

    Args:
        bodies: in the world's order.
        shapes: with their names.
    """
    links, first = set(), 0
    for body in bodies:
        links |= {first + feature.link for feature in body.features}
        first += body.model.n_links
    for name, shape in shapes:
        if shape.link != FIXED and shape.link in links:
            yield TERRAIN, name
