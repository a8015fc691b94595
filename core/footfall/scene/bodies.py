"""Checks of the bodies of a scene that no single table can make."""

from __future__ import annotations

from collections.abc import Mapping

from footfall.errors import nearest
from footfall.scene.models import TERRAIN, BaseKind, BodyFields, Pair, SceneFile
from footfall.scene.scene import PairKey, pair_key
from footfall.scene.where import Where


def check_bodies(tables: SceneFile, where: Where) -> None:
    """Refuse names that are taken and keys that would have no effect.

    Raises:
        SceneError: for the first of them.
    """
    for name, body in tables.bodies.items():
        if name == TERRAIN:
            raise where.error("no body may have this name, which is the ground's", ("bodies", name))
        if body.base:
            check_base(name, body, body.base, where)


def check_base(name: str, body: BodyFields, base: BaseKind, where: Where) -> None:
    """Refuse velocities of a root that is held; called again when the robot's own base is known.

    Raises:
        SceneError: if such a velocity is given.
    """
    if base == "floating":
        return
    for key in ("base_linear_velocity", "base_angular_velocity"):
        if getattr(body, key) is not None:
            raise where.error(f"has no effect: the base is {base}", ("bodies", name, key))


def checked_pairs(tables: SceneFile, where: Where) -> Mapping[PairKey, Pair]:
    """Return the pairs by their two names.

    Raises:
        SceneError: if a key does not name two of the bodies and the ground, or a pair is given
            twice.
    """
    names = [*tables.bodies, TERRAIN]
    pairs: dict[PairKey, Pair] = {}
    for key, pair in tables.pairs.items():
        path = ("pairs", key)
        sides = key.split("/")
        if len(sides) != 2 or sides[0] == sides[1]:
            raise where.error('must name two sides, e.g. "box/terrain"', path)
        for side in sides:
            if side not in names:
                offer = nearest(side, names)
                raise where.error(f"no body {side!r}{offer} (bodies: {', '.join(names)})", path)
        if TERRAIN not in sides:
            raise where.error("has no effect: bodies touch only the terrain", path)
        if pair_key(*sides) in pairs:
            raise where.error("is given twice, once in the other order", path)
        pairs[pair_key(*sides)] = pair
    return pairs
