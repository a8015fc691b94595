"""Collision shapes of a scene: the tested pairs, their friction, their detector.

Bodies' shapes are collected and placed. The filters of the scene, the robots and the SRDF files
exclude pairs. Links of one body that overlap from the start are excluded too, as models often
have such links. Each pair that can touch needs a coefficient of friction. The needs of contacts
between bodies are checked like all needs. Meshes used as their convex hulls are reported in one
line.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt

from footfall.config.friction import direction_row, first_given, largest
from footfall.errors import RobotError, RobotWarning, SceneError, nearest
from footfall.geometry.shapes import TriangleMesh
from footfall.interfaces.plugin import Capability
from footfall.interfaces.terrain import TerrainSolid
from footfall.model.description import ModelDescription
from footfall.model.robot import Robot
from footfall.registry.registry import Registry
from footfall.scene.needs import Need, contact_needs, restitution_need
from footfall.scene.scene import Scene
from footfall.scene.schema import TERRAIN
from footfall.typing import Floats
from footfall_stepper.assembly.ground import GROUND, held_by_points
from footfall_stepper.assembly.shapes import BodyShape
from footfall_stepper.assembly.surfaces import given_by, lengths_of, side_of
from footfall_stepper.collision.coal_pairs import crossings
from footfall_stepper.collision.detector import Detector
from footfall_stepper.collision.filters import PairFilter
from footfall_stepper.collision.hulls import hulls_told_together
from footfall_stepper.collision.shape import FIXED, CollisionShape
from footfall_stepper.world.body import Body
from footfall_stepper.world.collider import Collider
from footfall_stepper.world.world import in_order


def pair_filter(
    scene: Scene,
    bodies: Sequence[Body],
    robots: Mapping[str, Robot],
    shapes: Mapping[str, BodyShape],
    shaped: Collection[str],
) -> PairFilter:
    """Return the allowed pairs, before shapes that overlap at the start are excluded.

    Args:
        scene: the scene.
        bodies: in the world's order.
        robots: by body name.
        shapes: by their names, ``body/link/shape``.
        shaped: names of the bodies that touch the ground with shapes.

    Raises:
        SceneError: if an SRDF is given for a name that is not a body, or has no effect; if a pair
            includes the ground, which has no shapes.
        RobotError: if an SRDF cannot be read, or names a link that does not exist.
    """
    table = scene.collisions
    _check_srdf(scene)
    _check_ground(scene, shaped)
    disabled = list(table.ignore)
    if shaped:
        disabled += held_by_points(bodies, shapes.items(), shaped)
    for body in bodies:
        if body.name in table.self_collision:
            disabled += _of_files(scene, body, robots[body.name], shapes)
    held = [k for k, body in enumerate(links_of(bodies)) if body.prescribed]
    return PairFilter(table.self_collision, disabled, table.keep, neighbours(bodies), held)


def links_of(bodies: Sequence[Body]) -> list[Body]:
    """Return the body of each global link."""
    return [body for body in bodies for _ in body.model.link_names]


def _check_ground(scene: Scene, shaped: Collection[str]) -> None:
    for key in ("ignore", "keep"):
        for k, pair in enumerate(getattr(scene.collisions, key)):
            heads = [name.split("/")[0] for name in pair]
            one = heads[heads[0] == TERRAIN]
            if TERRAIN in heads and not any(fnmatchcase(name, one) for name in shaped):
                raise scene.error(
                    f'no shape of "{one}" touches "{TERRAIN}": bodies touch it with declared '
                    'points (collisions.ground = "shapes" would let shapes touch it)',
                    *("collisions", key, k),
                )


def _check_srdf(scene: Scene) -> None:
    for name in scene.collisions.srdf:
        if name not in scene.bodies:
            raise scene.error(
                f"no body {name!r}{nearest(name, scene.bodies)}", "collisions", "srdf", name
            )
        if name not in scene.collisions.self_collision:
            raise scene.error(
                f"has no effect: the links of {name} do not touch each other (self_collision)",
                *("collisions", "srdf", name),
            )


def _of_files(
    scene: Scene, body: Body, robot: Robot, shapes: Mapping[str, BodyShape]
) -> Iterator[tuple[str, str]]:
    """Yield the pairs of one body that an SRDF or the model file disables."""
    from footfall_stepper.assembly.srdf import read_srdf

    own = {name: shape for name, shape in shapes.items() if shape.body == body.name}
    shaped = {shape.placed.frame for shape in own.values()}
    given = scene.collisions.srdf.get(body.name)
    path = robot.srdf if given is None else Path(given)
    if path is not None:
        yield from read_srdf(path, body.name, body.model.frames, shaped)
    if isinstance(robot.model, ModelDescription):
        for pair in robot.model.excluded():
            _check_excluded(robot.model, body, pair)
            if shaped.issuperset(pair):
                yield f"{body.name}/{pair[0]}", f"{body.name}/{pair[1]}"
        for (one, a), (two, b) in combinations(own.items(), 2):
            if not a.placed.may_touch(b.placed):
                yield one, two


def _check_excluded(model: ModelDescription, body: Body, pair: tuple[str, str]) -> None:
    for name in pair:
        if name not in ("world", *body.model.frames):
            offer = nearest(name, body.model.frames)
            raise RobotError(f"{model.path}: <exclude>: no body {name!r}{offer}")


def neighbours(bodies: Sequence[Body]) -> set[tuple[int, int]]:
    """Return the pairs of global links connected by a joint."""
    pairs, first = set(), 0
    for body in bodies:
        model = body.model
        carried = {int(dof): link for link, dof in enumerate(model.link_dof)}
        for link, dof in enumerate(model.link_dof):
            parent = int(model.dof_parent[dof]) if dof >= 0 else -1
            if parent in carried and carried[parent] != link:
                pairs.add((first + carried[parent], first + link))
        first += model.n_links
    return pairs


def collider_of(
    scene: Scene,
    bodies: Sequence[Body],
    robots: Mapping[str, Robot],
    placed: Sequence[BodyShape],
    ground: Sequence[TerrainSolid] = (),
    shaped: Collection[str] = (),
) -> Collider | None:
    """Return the collider for contacts between bodies, None if the scene does not request it.

    Args:
        scene: the scene.
        bodies: moving bodies.
        robots: by body name.
        placed: the shapes of all bodies.
        ground: the shapes of the ground, if shapes touch it.
        shaped: names of the bodies that touch the ground with shapes.

    Raises:
        SceneError: if a filter names something that does not exist, or a pair has no coefficient
            of friction.
        RobotError: if a shape cannot touch others, or an SRDF names something that does not exist.
    """
    if not scene.detects:
        return None

    table, ordered = scene.collisions, in_order(bodies)
    with hulls_told_together():
        found = list(_shapes(scene, ordered, robots, placed))
    shapes = [shape for shape, _ in found]
    directions = {shape.number: row for shape, row in found if row[0] >= 0.0}
    named = {shape.name: item for shape, item in zip(shapes, placed, strict=True)}
    first = 1 + max((s.number for s in shapes), default=_first(ordered))
    shapes += _of_ground(ground, first, lengths_of(given_by(scene.world.terrain.config)))
    filters = pair_filter(scene, ordered, robots, named, shaped)
    try:
        filters = without_start_overlaps(shapes, filters, _poses(ordered))
        metre = scene.units.of(1.0, "m")
        detector = Detector(shapes, filters, table.margin, table.max_points, metre)
    except SceneError as error:
        raise scene.error(str(error), "collisions") from error
    pairs = {}
    for names, pair in scene.pairs.items():
        friction, lengths = largest(first_given(pair.friction)), lengths_of(given_by(pair))
        pairs[names] = friction, first_given(pair.restitution), *lengths
    return Collider(detector, shapes, pairs, directions, dict(_of_pairs(scene, placed)))


def _of_pairs(
    scene: Scene, placed: Sequence[BodyShape]
) -> Iterator[tuple[tuple[str, str], tuple[Floats, str]]]:
    """Yield friction by direction of pairs, and the body of its axis, by the pair's names."""
    for names, pair in scene.pairs.items():
        carrier = pair.axis_of or next(name for name in names if name != TERRAIN)
        fixed = (_rotation(s) for s in placed if (s.body, s.link) == (carrier, FIXED))
        row = direction_row(first_given(pair.friction), next(fixed, np.eye(3)))
        if row[0] >= 0.0:
            yield names, (row, carrier)


def _rotation(item: BodyShape) -> Floats:
    """Return the rotation of the frame that carries a shape, in its link or in the world."""
    return item.pose.rotation @ item.placed.origin.rotation.T


def _poses(bodies: Sequence[Body]) -> npt.NDArray[np.float64]:
    """Return the links' poses at the start, shape (links, 12).

    Bodies without joints are at the origin: only links of one body are compared.
    """
    poses = []
    for body in bodies:
        if body.tree is None:
            poses.append(np.tile([*np.eye(3).ravel(), 0.0, 0.0, 0.0], (body.model.n_links, 1)))
        else:
            body.tree.evaluate(body.q, body.v)
            poses.append(body.tree.pose.copy())
    return np.concatenate(poses)


def _shapes(
    scene: Scene,
    bodies: Sequence[Body],
    robots: Mapping[str, Robot],
    placed: Sequence[BodyShape],
) -> Iterator[tuple[CollisionShape, Floats]]:
    """Yield all shapes with their numbers and coefficients, and their friction by direction."""
    from footfall.model.collision_shapes import geometry_of

    for number, item in enumerate(placed, _first(bodies)):
        where, given = f"{item.body}/{item.placed.frame}", item.placed
        own, side = robots[item.body].spec.contact, side_of(scene.bodies[item.body], [given.frame])
        friction = first_given(side.get("friction"), given.friction, own.friction)
        geometry = geometry_of(given.shape, where, given.meshes)
        if isinstance(geometry, TriangleMesh) and (count := crossings(geometry)):
            warnings.warn(
                f"{where}: {given.shape.mesh} crosses itself in {count} pairs of triangles: "
                'contacts there push the wrong way; mend it, or take its hull (use = "hull")',
                RobotWarning,
                stacklevel=2,
            )
        shape = CollisionShape(
            geometry,
            item.pose,
            item.link,
            number,
            f"{where}/{given.shape.kind}{number}",
            largest(friction),
            first_given(side.get("restitution"), given.restitution, own.restitution),
            lengths_of(side),
        )
        yield shape, direction_row(friction, _rotation(item))


def _first(bodies: Sequence[Body]) -> int:
    """Return the number of the first shape: declared features have the first numbers."""
    return 1 + sum(len(body.features) for body in bodies)


def _of_ground(
    solids: Sequence[TerrainSolid], first: int, lengths: tuple[float, float]
) -> Iterator[CollisionShape]:
    """Yield the ground's shapes, numbered after the bodies'."""
    for k, solid in enumerate(solids):
        yield CollisionShape(
            solid.geometry,
            solid.pose,
            FIXED,
            first + k,
            f"{GROUND}/{k}",
            first_given(solid.friction),
            first_given(solid.restitution),
            lengths,
        )


def collision_needs(scene: Scene, registry: Registry, collider: Collider | None) -> Iterator[Need]:
    """Yield the needs of contacts between bodies."""
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


def start_overlaps(
    shapes: Sequence[CollisionShape], filters: PairFilter, poses: Floats, depth: float = 0.0
) -> tuple[tuple[str, str], ...]:
    """Return the pairs of shapes of one body that overlap, as names for ``PairFilter.disabled``.

    Args:
        shapes: all shapes.
        filters: selection of the tested pairs.
        poses: shape (links, 12), placements of the links at the start.
        depth: penetration above which two shapes overlap, [m].

    Raises:
        SceneError: if a filter names something that does not exist.
    """
    detector = Detector(shapes, filters, margin=0.0, max_points_per_pair=1)
    found = detector.detect(poses)
    deep = found.gap < -depth
    pairs = np.unique(np.column_stack([found.shape_a[deep], found.shape_b[deep]]), axis=0)
    named = [(detector.shapes[a], detector.shapes[b]) for a, b in pairs]
    return tuple((a.name, b.name) for a, b in named if a.body == b.body)


def without_start_overlaps(
    shapes: Sequence[CollisionShape], filters: PairFilter, poses: Floats, depth: float = 0.0
) -> PairFilter:
    """Return the filter with the pairs of ``start_overlaps`` disabled, too."""
    if not filters.self_collision:
        return filters
    overlapping = start_overlaps(shapes, filters, poses, depth)
    return replace(filters, disabled=(*filters.disabled, *overlapping))
