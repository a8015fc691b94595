"""The ground as shapes, and which links touch it with their shapes instead of declared points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from footfall.assembly.body_shapes import FIXED, BodyShape
from footfall.interfaces.engine import TreeModel
from footfall.interfaces.terrain import Terrain, TerrainSolid
from footfall.model.feature import ContactFeature
from footfall.model.robot import Robot
from footfall.scene.models import TERRAIN
from footfall.scene.scene import Body as SceneBody
from footfall.scene.scene import Scene
from footfall.world.body import Body

GROUND = f"{TERRAIN}/ground"
"""What shapes of the ground are called, with their numbers behind it."""


def ground_shapes(scene: Scene, terrain: Terrain) -> tuple[TerrainSolid, ...]:
    """Return the ground's shapes if shapes are to touch it.

    Raises:
        SceneError: if the ground has none.
    """
    if scene.collisions.ground == "points":
        return ()
    solids = terrain.solids()
    if not solids:
        raise scene.error(
            f'"shapes" cannot be: the ground {scene.world.terrain.plugin} has none here (it moves, '
            'or has patches): choose "points"',
            *("collisions", "ground"),
        )
    return solids


def declared_features(
    scene: Scene, scene_body: SceneBody, robot: Robot, model: TreeModel
) -> tuple[ContactFeature, ...]:
    """Return the contact features with which a body touches the ground.

    Those that follow from an object's shape are left out where the shape itself touches it.
    """
    if scene.collisions.ground == "shapes" and scene_body.shape is not None:
        return ()
    return robot.features(model)


def held_by_points(
    bodies: Sequence[Body], shapes: Iterable[tuple[str, BodyShape]]
) -> Iterator[tuple[str, str]]:
    """Yield pairs of the ground and a shape on a link that declares contact features.

    So no link touches the ground twice.

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
