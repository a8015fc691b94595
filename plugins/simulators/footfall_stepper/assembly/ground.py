"""The ground of a scene: its needs, its shapes, and the links in contact with its shapes."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from footfall.errors import RobotWarning
from footfall.geometry.shapes import HalfSpace
from footfall.interfaces.engine import TreeModel
from footfall.interfaces.plugin import Capability
from footfall.interfaces.terrain import Terrain
from footfall.model.collision_shapes import shape_of
from footfall.model.contact_features import ContactFeature
from footfall.model.object_schema import MeshShape
from footfall.model.objects import MOST_CORNERS, hull_corners
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


def touching_by_shapes(scene: Scene, terrain: Terrain) -> frozenset[str]:
    """Return the names of the bodies that touch the ground with their shapes, see ``ground``.

    Raises:
        SceneError: if they cannot, because the ground has no shapes.
    """
    way, moving = scene.collisions.ground, [b for b in scene.bodies.values() if not b.fixed]
    solids = terrain.solids() if way == "shapes" or (way == "auto" and scene.detects) else ()
    if way == "shapes":
        if not solids:
            raise scene.error(
                f'"shapes" cannot be used: the ground {scene.world.terrain.plugin} has none here '
                '(it moves, or has patches): choose "points"',
                *("collisions", "ground"),
            )
        return frozenset(body.name for body in moving)
    flat = all(isinstance(solid.geometry, HalfSpace) for solid in solids)
    missed = [body.name for body in moving if way == "auto" and _missed_by_points(body, flat)]
    if missed and flat and not solids:
        warnings.warn(
            f"{', '.join(missed)}: only {MOST_CORNERS} corners of a mesh touch the ground, others "
            "may sink in: the ground has no shapes here (it moves, or has patches), or "
            "collisions.detect is false",
            RobotWarning,
            stacklevel=2,
        )
    return frozenset(missed if solids else ())


def _missed_by_points(body: SceneBody, flat: bool) -> bool:
    """Return whether an object's contact points miss parts of a flat or other ground."""
    if body.shape is None or not flat:
        return body.shape is not None and body.shape.type != "sphere"
    if not isinstance(body.shape, MeshShape):
        return False
    return len(hull_corners(shape_of(body.shape))) > MOST_CORNERS


def declared_features(
    scene_body: SceneBody, robot: Robot, model: TreeModel, shaped: Collection[str]
) -> tuple[ContactFeature, ...]:
    """Return the contact features with which a body touches the ground.

    Features derived from an object's shape are left out if the shape itself touches the ground
    (``shaped``).
    """
    shapes = scene_body.name in shaped and scene_body.shape is not None
    if shapes or scene_body.motion is not None:
        return ()
    return robot.features(model)


def held_by_points(
    bodies: Sequence[Body], shapes: Iterable[tuple[str, BodyShape]], shaped: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield pairs of the ground and a shape that does not touch it.

    Shapes on links that declare contact features, so that no link touches the ground twice, and
    those of bodies that touch it with points only.

    Args:
        bodies: in the world's order.
        shapes: with their names.
        shaped: names of the bodies that touch the ground with shapes.
    """
    links, first = set(), 0
    for body in bodies:
        links |= {first + feature.link for feature in body.features}
        first += body.model.n_links
    for name, shape in shapes:
        if shape.link != FIXED and (shape.link in links or shape.body not in shaped):
            yield TERRAIN, name
