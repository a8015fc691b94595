"""Checks of a scene's bodies that need more than one table."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from footfall.config.friction import DirectionalFriction
from footfall.config.toml import KeyPath, Where
from footfall.errors import nearest
from footfall.scene.scene import PairKey, pair_key
from footfall.scene.schema import TERRAIN, BaseKind, BodyFields, BodyPair, BodyTable, SceneFile

MOST_BODIES = 5000
"""Most bodies of a scene, copies included."""


def check_bodies(tables: SceneFile, where: Where) -> None:
    """Reject reserved names, keys without effect, and too many bodies.

    Raises:
        SceneError: for the first fault.
    """
    count = sum(math.prod(body.copies or (1,)) for body in tables.bodies.values())
    if count > MOST_BODIES:
        raise where.error(f"must be at most {MOST_BODIES}, got {count}", ("bodies",))
    for name, body in tables.bodies.items():
        if name == TERRAIN:
            raise where.error("no body may have this name: it is the ground's", ("bodies", name))
        if body.base:
            check_base(name, body, body.base, where)
        if (body.copies is None) != (body.spacing is None):
            key = "copies" if body.spacing is None else "spacing"
            raise where.error("copies and spacing go together", ("bodies", name, key))
        for axis, copies, step in zip("xyz", body.copies or (), body.spacing or (), strict=False):
            if copies > 1 and step == 0.0:
                message = f"must not be 0 along {axis}, where there are {copies} copies"
                raise where.error(message, ("bodies", name, "spacing"))


def copies_of(name: str, table: BodyTable) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield names and fields of a table's bodies: one, or a grid of copies."""
    fields = {key: getattr(table, key) for key in BodyFields.model_fields}
    if table.copies is None or table.spacing is None:
        yield name, fields
        return
    nx, ny, nz = table.copies
    start = table.base_position or (0.0, 0.0, 0.0)
    for number in range(nx * ny * nz):
        place = number % nx, number // nx % ny, number // (nx * ny)
        position = tuple(s + k * d for s, k, d in zip(start, place, table.spacing, strict=True))
        yield f"{name}_{number}", {**fields, "base_position": position}


def check_base(name: str, body: BodyFields, base: BaseKind, where: Where) -> None:
    """Reject velocities of a base that is not floating.

    Called again when the robot's own base is known.

    Raises:
        SceneError: if such a velocity is given.
    """
    if base == "floating":
        return
    for key in ("base_linear_velocity", "base_angular_velocity"):
        if getattr(body, key) is not None:
            raise where.error(f"has no effect: the base is {base}", ("bodies", name, key))


def checked_pairs(
    tables: SceneFile, names: Collection[str], where: Where, *, detects: bool
) -> Mapping[PairKey, BodyPair]:
    """Return the pairs by their two names.

    Args:
        tables: tables of the scene.
        names: names of all bodies.
        where: origin of the tables.
        detects: whether contacts between bodies are detected.

    Raises:
        SceneError: if a key does not name two of the bodies and the ground, or a pair is given
            twice.
    """
    names = [*names, TERRAIN]
    pairs: dict[PairKey, BodyPair] = {}
    for key, pair in tables.pairs.items():
        path = ("pairs", key)
        sides = key.split("/")
        if len(sides) != 2 or sides[0] == sides[1]:
            raise where.error('must name two sides, e.g. "box/terrain"', path)
        for side in sides:
            if side not in names:
                offer = nearest(side, names)
                raise where.error(f"no body {side!r}{offer} (bodies: {', '.join(names)})", path)
        if TERRAIN not in sides and not detects:
            raise where.error(
                "has no effect: bodies touch only the terrain; [collisions] detect = true lets "
                "them touch each other",
                path,
            )
        if pair_key(*sides) in pairs:
            raise where.error("is given twice, once in the other order", path)
        _check_axis(pair, sides, (*path, "axis_of"), where)
        pairs[pair_key(*sides)] = pair
    return pairs


def _check_axis(pair: BodyPair, sides: list[str], path: KeyPath, where: Where) -> None:
    if not isinstance(pair.friction, DirectionalFriction):
        if pair.axis_of is not None:
            raise where.error("has no effect: the pair has no friction by direction", path)
        return
    carriers = [side for side in sides if side != TERRAIN]
    if pair.axis_of not in (carriers if len(carriers) == 2 else [*carriers, None]):
        raise where.error(f"must be {' or '.join(carriers)}: the axis turns with a body", path)
