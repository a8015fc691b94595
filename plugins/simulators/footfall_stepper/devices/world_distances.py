"""Distances between named bodies and links of a world, and from points to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from footfall.config.validate import sized
from footfall.errors import SettingError
from footfall.geometry.shapes import Geometry, Sphere
from footfall.interfaces.terrain import Terrain
from footfall.interfaces.visualizer import Node
from footfall.model.collision_shapes import geometry_of
from footfall.scene.schema import TERRAIN
from footfall.simulator.simulator import Distance
from footfall.spatial.pose import Pose
from footfall.typing import Floats
from footfall_stepper.collision.distances import Distances
from footfall_stepper.collision.hulls import hulls_told_together
from footfall_stepper.collision.shape import FIXED, CollisionShape
from footfall_stepper.devices.part_names import PartNames
from footfall_stepper.world.world import World

SMALL = 1e-3
"""Radius of the ball about a point, [m]."""
Placed = tuple[Geometry, Pose, int, str]


class WorldDistances:
    """Distances in a world; those of shapes that do not touch anything as well.

    Args:
        world: the world.
        terrain: its ground.
        nodes: all that is drawn, with the collision shapes.
    """

    def __init__(self, world: World, terrain: Terrain, nodes: Sequence[Node]) -> None:
        self._world, first = world, 1 + sum(len(body.features) for body in world.bodies)
        with hulls_told_together():
            placed = enumerate(list(_placed(world, terrain, nodes)), first)
        shapes = [CollisionShape(*at[:3], number, at[3]) for number, at in placed]
        self._first, self._names = first, PartNames(world, shapes[:-1])
        self._found, self._bodies = Distances(shapes), [shape.body for shape in shapes]

    def measure(self, one: str | Floats | Sequence[float], other: str | None) -> Distance:
        """Return the smallest distance; see ``Simulator.distance``.

        Raises:
            SettingError: if a name means nothing, or has no shapes.
        """
        n, bodies, fixed = len(self._bodies) - 1, self._bodies, {}
        if isinstance(one, str):
            ones = self._named(one)
        else:
            ones, fixed = {n}, {n: Pose(np.eye(3), sized(one, 3, "distance: point"))}
        if TERRAIN not in bodies and other in (None, TERRAIN) and one != TERRAIN:
            raise SettingError("the ground has no shapes here (it moves, or has patches)")
        own = {bodies[k] for k in ones}
        others = self._named(other) if other else {k for k in range(n) if bodies[k] not in own}
        if ones & others or not others:
            raise SettingError(f"{one!r} and {other!r} have a part in common, or nothing is left")
        self._found.place(self._world.dynamics.pose, fixed)
        found = self._found.nearest(np.array(list(product(sorted(ones), sorted(others)))))
        if not fixed:
            return found
        gap = found.distance + SMALL
        return found._replace(distance=gap, point_a=found.point_b - gap * found.normal)

    def _named(self, path: str) -> set[int]:
        """Return the indices of the shapes of a body or link."""
        found = {k - self._first for k in self._names.find(path) if k >= self._first}
        if not found:
            raise SettingError(f"{path!r} has no shapes")
        return found


def _placed(world: World, terrain: Terrain, nodes: Sequence[Node]) -> Iterator[Placed]:
    """Yield all shapes with their names: of bodies, of the ground, a ball about a point."""
    if world.collider is not None:
        for shape in world.collider.shapes:
            if not shape.name.startswith(f"{TERRAIN}/"):
                yield shape.geometry, shape.pose, shape.link, shape.name
    else:
        for node in (node for node in nodes if node.layer == "collision"):
            link = FIXED if node.link == world.n_links else node.link
            name = node.name.replace("/collision/", f"/{node.shape.kind}")
            pose = Pose(node.rotation, node.translation)
            yield geometry_of(node.shape, node.name), pose, link, name
    for k, solid in enumerate(terrain.solids()):
        yield solid.geometry, solid.pose, FIXED, f"{TERRAIN}/ground/{k}"
    yield Sphere(SMALL), Pose.identity(), FIXED, "point"
