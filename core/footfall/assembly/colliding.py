"""From a scene's bodies to the shapes that can touch each other, and their detector."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from footfall.assembly.body_shapes import FIXED, BodyShape
from footfall.assembly.ground_shapes import GROUND
from footfall.assembly.hull_notes import hulls_told_together
from footfall.assembly.pair_filter import pair_filter
from footfall.assembly.pair_friction import check_friction
from footfall.errors import SceneError
from footfall.formats.mesh_paths import RobotWarning
from footfall.interfaces.terrain import TerrainSolid
from footfall.model.robot import Robot
from footfall.scene.scene import Scene
from footfall.world.body import Body
from footfall.world.collider import Collider
from footfall.world.world import in_order

if TYPE_CHECKING:
    from footfall.collision.shape import CollisionShape


def collider_of(
    scene: Scene,
    bodies: Sequence[Body],
    robots: Mapping[str, Robot],
    placed: Sequence[BodyShape],
    ground: Sequence[TerrainSolid] = (),
) -> Collider | None:
    """Return what finds contacts between bodies, None if the scene does not want it.

    Args:
        scene: the scene.
        bodies: those that move.
        robots: by body name.
        placed: the shapes of all bodies.
        ground: the shapes of the ground, if shapes touch it.

    Raises:
        SceneError: if a filter names what is not there, or a pair has no coefficient of friction.
        RobotError: if a shape cannot touch others, or an SRDF names what is not there.
    """
    if not scene.detects:
        return None
    from footfall.collision.detector import Detector
    from footfall.collision.start_overlaps import without_start_overlaps

    table, ordered = scene.collisions, in_order(bodies)
    with hulls_told_together():
        shapes = list(_shapes(scene, ordered, robots, placed))
    named = {shape.name: item for shape, item in zip(shapes, placed, strict=True)}
    shapes += _of_ground(ground, 1 + max((s.number for s in shapes), default=_first(ordered)))
    _tell_of_triangles(shapes)
    filters = pair_filter(scene, ordered, robots, named)
    try:
        filters = without_start_overlaps(shapes, filters, _poses(ordered))
        detector = Detector(shapes, filters, table.margin, table.max_points)
    except SceneError as error:
        raise scene.error(str(error), "collisions") from error
    check_friction(scene, shapes, filters)
    pairs = {
        names: (_given(pair.friction), _given(pair.restitution))
        for names, pair in scene.pairs.items()
    }
    return Collider(detector, shapes, pairs)


def _poses(bodies: Sequence[Body]) -> npt.NDArray[np.float64]:
    """Return the links' placements at the start, shape (links, 12).

    Bodies without joints lie at the origin: only links of one body are compared.
    """
    poses = []
    for body in bodies:
        if body.tree is None:
            poses.append(np.tile([*np.eye(3).ravel(), 0.0, 0.0, 0.0], (body.model.n_links, 1)))
        else:
            body.tree.evaluate(body.q, body.v)
            poses.append(body.tree.pose.copy())
    return np.concatenate(poses)


def _given(*values: float | None) -> float:
    """Return the first value that is given, NaN if none is."""
    return next((value for value in values if value is not None), np.nan)


def _shapes(
    scene: Scene,
    bodies: Sequence[Body],
    robots: Mapping[str, Robot],
    placed: Sequence[BodyShape],
) -> Iterator[CollisionShape]:
    """Yield all shapes with their numbers and coefficients."""
    from footfall.collision.shape import CollisionShape
    from footfall.model.geometry_of import geometry_of

    for number, item in enumerate(placed, _first(bodies)):
        where, given = f"{item.body}/{item.placed.frame}", item.placed
        table, own = scene.bodies[item.body], robots[item.body].spec.contact
        yield CollisionShape(
            geometry_of(given.shape, where, given.meshes),
            item.pose,
            item.link,
            number,
            f"{where}/{given.shape.kind}{number}",
            _given(table.friction, given.friction, own.friction),
            _given(table.restitution, given.restitution, own.restitution),
        )


def _first(bodies: Sequence[Body]) -> int:
    """Return the number of the first shape: declared features have the first numbers."""
    return 1 + sum(len(body.features) for body in bodies)


def _of_ground(solids: Sequence[TerrainSolid], first: int) -> Iterator[CollisionShape]:
    """Yield the ground's shapes, numbered after the bodies'."""
    from footfall.collision.shape import CollisionShape

    for k, solid in enumerate(solids):
        yield CollisionShape(
            solid.geometry,
            solid.pose,
            FIXED,
            first + k,
            f"{GROUND}/{k}",
            _given(solid.friction),
            _given(solid.restitution),
        )


def _tell_of_triangles(shapes: Sequence[CollisionShape]) -> None:
    """Warn of two bodies that touch each other with triangles, which holds for shallow depths."""
    from footfall.geometry.shapes import HeightField, TriangleMesh

    hollow = [s for s in shapes if isinstance(s.geometry, TriangleMesh | HeightField)]
    bodies = dict.fromkeys(s.body for s in sorted(hollow, key=lambda s: s.link == FIXED))
    if len(bodies) > 1 and any(s.link != FIXED for s in hollow):
        one, other, *_ = bodies
        warnings.warn(
            f"{one} and {other} touch with triangles as they are: that holds while they are less "
            "deep in each other than their triangles are large "
            '(use = "hull", or convex parts, holds at any depth)',
            RobotWarning,
            stacklevel=2,
        )
