"""Which pairs of a scene's shapes are tested: what its file, its robots' files and SRDFs say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from footfall.assembly.body_shapes import BodyShape
from footfall.assembly.ground_shapes import held_by_points
from footfall.errors import RobotError, nearest
from footfall.formats.mjcf import Mjcf
from footfall.formats.mjcf_shapes import read_excluded
from footfall.model.robot import Robot
from footfall.scene.models import TERRAIN
from footfall.scene.scene import Scene
from footfall.world.body import Body

if TYPE_CHECKING:
    from footfall.collision.filters import PairFilter


def pair_filter(
    scene: Scene,
    bodies: Sequence[Body],
    robots: Mapping[str, Robot],
    shapes: Mapping[str, BodyShape],
) -> PairFilter:
    """Return what may touch what, before shapes that overlap at the start are left out.

    Args:
        scene: the scene.
        bodies: in the world's order.
        robots: by body name.
        shapes: by their names, ``body/link/shape``.

    Raises:
        SceneError: if an SRDF is given for what is no body, or has no effect; if a pair is with
            the ground, which has no shapes.
        RobotError: if an SRDF cannot be read, or names a link that there is not.
    """
    from footfall.collision.filters import PairFilter

    table = scene.collisions
    _check_srdf(scene)
    _check_ground(scene)
    disabled = list(table.ignore)
    if table.ground == "shapes":
        disabled += held_by_points(bodies, shapes.items())
    for body in bodies:
        if body.name in table.self_collision:
            disabled += _of_files(scene, body, robots[body.name], shapes)
    return PairFilter(table.self_collision, disabled, table.keep, neighbours(bodies))


def _check_ground(scene: Scene) -> None:
    if scene.collisions.ground == "shapes":
        return
    for key in ("ignore", "keep"):
        for k, pair in enumerate(getattr(scene.collisions, key)):
            if any(name.split("/")[0] == TERRAIN for name in pair):
                raise scene.error(
                    f'"{TERRAIN}" has no shapes: bodies touch it with declared points '
                    '(collisions.ground = "shapes" would let shapes touch it)',
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
    """Yield the pairs that an SRDF or an MJCF switches off, of one body."""
    from footfall.formats.srdf import read_srdf

    own = {name: shape for name, shape in shapes.items() if shape.body == body.name}
    shaped = {shape.placed.frame for shape in own.values()}
    given = scene.collisions.srdf.get(body.name)
    path = robot.srdf if given is None else Path(given)
    if path is not None:
        yield from read_srdf(path, body.name, body.model.frames, shaped)
    if isinstance(robot.model, Mjcf):
        for pair in read_excluded(robot.model.path):
            _check_excluded(robot.model, body, pair)
            if shaped.issuperset(pair):
                yield f"{body.name}/{pair[0]}", f"{body.name}/{pair[1]}"
        for (one, a), (two, b) in combinations(own.items(), 2):
            if not a.placed.may_touch(b.placed):
                yield one, two


def _check_excluded(mjcf: Mjcf, body: Body, pair: tuple[str, str]) -> None:
    for name in pair:
        if name not in ("world", *body.model.frames):
            offer = nearest(name, body.model.frames)
            raise RobotError(f"{mjcf.path}: <exclude>: no body {name!r}{offer}")


def neighbours(bodies: Sequence[Body]) -> set[tuple[int, int]]:
    """Return the pairs of global links that a joint connects."""
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
