"""Filters of shape pairs: neighbours and disabled pairs are not tested."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from footfall.errors import SceneError, nearest
from footfall.typing import Ints
from footfall_stepper.collision.shape import FIXED, CollisionShape

MOST = 12
"""Largest number of names listed in an error."""


@dataclass(frozen=True, slots=True)
class PairFilter:
    """Selection of the pairs that may touch.

    Shapes of the same link, and shapes that nothing pushes, never touch each other. A name is that
    of a body, ``body/link`` or ``body/link/shape``, each with wildcards (``*``, ``?``, ``[...]``).
    Enabled pairs take precedence over disabled ones.

    Attributes:
        self_collision: names of bodies whose own links may touch each other.
        disabled: pairs of names that are never tested.
        enabled: pairs of names that are tested in spite of ``disabled`` and ``neighbours``.
        neighbours: pairs of global links connected by a joint, never tested.
        prescribed: global links with a prescribed motion.
    """

    self_collision: Collection[str] = ()
    disabled: Sequence[tuple[str, str]] = ()
    enabled: Sequence[tuple[str, str]] = ()
    neighbours: Collection[tuple[int, int]] = ()
    prescribed: Collection[int] = ()


def groups(shapes: Sequence[CollisionShape], filters: PairFilter) -> Ints:
    """Return a number for each shape: shapes with the same number never touch; -1: may touch any.

    Raises:
        SceneError: if ``self_collision`` names a body that has no shapes.
    """
    held = {FIXED, *filters.prescribed}
    names = list(dict.fromkeys(shape.body for shape in shapes if shape.link not in held))
    for name in filters.self_collision:
        if name not in names:
            known = ", ".join(names) or "none"
            raise SceneError(
                f"self_collision: no body {name!r} with collision shapes{nearest(name, names)} "
                f"(bodies: {known})"
            )
    number = {name: k for k, name in enumerate(names) if name not in filters.self_collision}
    return np.array(
        [number.get(s.body, -1) if s.link not in held else len(names) for s in shapes], np.int64
    )


def excluded_codes(shapes: Sequence[CollisionShape], filters: PairFilter) -> Ints:
    """Return the codes ``a n + b``, a < b, of pairs that are never tested, ascending.

    Raises:
        SceneError: if a pattern matches no shape; suggests the nearest name.
    """
    n, taken = len(shapes), set[int]()
    for one, two in filters.disabled:
        taken |= _codes(select(shapes, one), select(shapes, two), n)
    by_link: dict[int, list[int]] = {}
    for k, shape in enumerate(shapes):
        by_link.setdefault(shape.link, []).append(k)
    for first, second in filters.neighbours:
        taken |= _codes(by_link.get(first, []), by_link.get(second, []), n)
    for one, two in filters.enabled:
        taken -= _codes(select(shapes, one), select(shapes, two), n)
    return np.array(sorted(taken), np.int64)


def select(shapes: Sequence[CollisionShape], pattern: str) -> list[int]:
    """Return the indices of the shapes that match a name or pattern.

    Raises:
        SceneError: if there are none; suggests the nearest name.
    """
    depth = pattern.count("/") + 1
    heads = ["/".join(shape.name.split("/")[:depth]) for shape in shapes]
    found = [k for k, head in enumerate(heads) if fnmatchcase(head, pattern)]
    if not found:
        offer = nearest(pattern, dict.fromkeys(heads))
        bodies = list(dict.fromkeys(shape.body for shape in shapes))
        more = f", and {len(bodies) - MOST} more" if len(bodies) > MOST else ""
        raise SceneError(
            f"pair filter: no collision shape {pattern!r}{offer} "
            f"(bodies with shapes: {', '.join(bodies[:MOST])}{more})"
        )
    return found


def _codes(ones: Sequence[int], twos: Sequence[int], n: int) -> set[int]:
    return {min(i, j) * n + max(i, j) for i in ones for j in twos if i != j}
