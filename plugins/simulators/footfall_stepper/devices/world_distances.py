"""Distances between named bodies and links of a world, and from points to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from footfall.errors import SettingError
from footfall.geometry.shapes import Sphere
from footfall.interfaces.terrain import Terrain
from footfall.interfaces.visualizer import Node
from footfall.model.collision_shapes import geometry_of
from footfall.scene.schema import TERRAIN
from footfall.simulator.simulator import Distance
from footfall.spatial.pose import Pose
from footfall.typing import Floats
from footfall_stepper.collision.distances import Distances
from footfall_stepper.collision.shape import FIXED, CollisionShape
from footfall_stepper.devices.part_names import full_name, geometries_by_name
from footfall_stepper.world.collider import Solid
from footfall_stepper.world.world import World

POINT, SMALL = "point", 1e-3
"""Name and radius [m] of the ball about a point."""


class WorldDistances:
    """Distances in a world; those of shapes that do not touch anything as well.

    Args:
        world: the world.
        terrain: its ground.
        nodes: all that is drawn, with the collision shapes.
    """

    def __init__(self, world: World, terrain: Terrain, nodes: Sequence[Node]) -> None:
        self._world = world
        first = 1 + sum(len(body.features) for body in world.bodies)
        solids = _collision_shapes(nodes, world.n_links, first) if world.collider is None else ()
        shapes: list[Solid] = [*(world.collider.shapes if world.collider else solids)]
        if not any(shape.name.startswith(f"{TERRAIN}/") for shape in shapes):
            number = 1 + max((shape.number for shape in shapes), default=first)
            for k, part in enumerate(terrain.solids()):
                name = f"{TERRAIN}/ground/{k}"
                shapes.append(CollisionShape(part.geometry, part.pose, FIXED, number + k, name))
        self._numbers = geometries_by_name(world, shapes)
        self._index = {shape.number: k for k, shape in enumerate(shapes)}
        number = 1 + max(self._index, default=0)
        point = CollisionShape(Sphere(SMALL), Pose.identity(), FIXED, number, POINT)
        self._found = Distances([*map(_copied, shapes), point])
        self._ground = bool(self._shapes(TERRAIN))

    def measure(self, one: str | Floats | Sequence[float], other: str | None) -> Distance:
        """Return the smallest distance; see ``Simulator.distance``.

        Raises:
            SettingError: if a name means nothing, or has no shapes.
        """
        found, is_point = self._found, not isinstance(one, str)
        ones = {len(self._index)} if is_point else self._named(str(one))
        if is_point:
            point = np.asarray(one, float)
            if point.shape != (3,) or not np.isfinite(point).all():
                raise SettingError(f"expected a name or three finite numbers, got {one!r}")
            found.set_pose(len(self._index), Pose(np.eye(3), point))
        own = {found.shapes[k].body for k in ones}
        others = (
            {k for k, s in enumerate(found.shapes[:-1]) if s.body not in own}
            if other is None
            else self._named(other)
        )
        if other is None and not self._ground and TERRAIN not in own:
            raise SettingError("the ground has no shapes here (it moves, or has patches): name one")
        if ones & others or not others:
            raise SettingError(f"{one!r} and {other!r} have a part in common, or there is no other")
        found.place(self._world.dynamics.pose)
        nearest = found.nearest(np.array(list(product(sorted(ones), sorted(others)))))
        if not is_point:
            return nearest
        gap, normal = nearest.distance + SMALL, nearest.normal
        return nearest._replace(distance=gap, point_a=nearest.point_b - gap * normal)

    def _named(self, path: str) -> set[int]:
        """Return the indices of the shapes of a body or link."""
        try:
            found = self._shapes(full_name(path, self._numbers, "body or link"))
        except SettingError as error:
            raise SettingError(f"{path!r}: {error.reason}") from error
        if not found:
            raise SettingError(f"{path!r} has no shapes")
        return found

    def _shapes(self, name: str) -> set[int]:
        return {self._index[n] for n in self._numbers[name] if n in self._index}


def _copied(shape: Solid) -> CollisionShape:
    return CollisionShape(shape.geometry, shape.pose, shape.link, shape.number, shape.name)


def _collision_shapes(nodes: Sequence[Node], links: int, first: int) -> Iterator[CollisionShape]:
    """Yield the collision shapes among drawn nodes, numbered from ``first``."""
    drawn = [node for node in nodes if node.layer == "collision"]
    for number, node in enumerate(drawn, first):
        body, frame, *_ = node.name.split("/")
        link = FIXED if node.link == links else node.link
        geometry = geometry_of(node.shape, node.name)
        pose, name = (
            Pose(node.rotation, node.translation),
            f"{body}/{frame}/{node.shape.kind}{number}",
        )
        yield CollisionShape(geometry, pose, link, number, name)
