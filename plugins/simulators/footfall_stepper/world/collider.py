"""The collider of a world: shapes on links, their pairs, and the detector of their contacts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, Protocol

import numpy as np

from footfall.config.friction import NO_DIRECTION, DirectionColumn
from footfall.geometry.shapes import Geometry
from footfall.spatial.pose import Pose
from footfall.terrain.pair_coefficients import pair_coefficient
from footfall.typing import Floats, Ints
from footfall_stepper.world.collision_arrays import (
    ENVIRONMENT,
    Coefficients,
    FoundRows,
    contact_key,
    unpack_key,
)


def found_rows(found: Any) -> FoundRows:
    """Return a detector's arrays in the form that kernels take."""
    return FoundRows(*(getattr(found.arrays, name) for name in FoundRows._fields))


class ContactDetector(Protocol):
    """A detector of contacts: a function of the links' poses alone.

    Attributes:
        found: contacts of the last call: ``n``, their number; ``arrays``, with the fields of
            ``FoundRows`` and at least as many rows, by key ascending; and ``version``, which
            changes when the arrays are replaced.
        groups: shape (shapes,), shapes with the same number never touch; -1: may touch any.
        excluded: pairs that are not tested, each as the index of one shape times the number of
            shapes plus the index of the other.
    """

    @property
    def found(self) -> Any: ...  # noqa: D102
    @property
    def groups(self) -> Ints: ...  # noqa: D102
    @property
    def excluded(self) -> Ints: ...  # noqa: D102
    def detect(self, poses: Floats) -> Any:
        """Return the contacts for poses of shape (links, 12)."""

    def bound(self, poses: Floats) -> Callable[[], int] | None:
        """Return a kernel that finds contacts for poses at a fixed address; None if there is none.

        It returns their number, or -1 if ``detect`` must be called.
        """


class Solid(Protocol):
    """The data that the world needs of a shape.

    Attributes:
        name: ``body/link/shape``.
        number: of the geometry in contact keys, unique.
        link: global link, -1 if fixed.
        friction: coefficient of this shape; NaN if not given.
        restitution: likewise.
        lengths: of torsional and rolling friction of this shape, [m]; NaN if not given.
        geometry: the shape, in its own frame.
        pose: of its frame in the link; in the world if it is fixed.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def number(self) -> int: ...  # noqa: D102
    @property
    def link(self) -> int: ...  # noqa: D102
    @property
    def friction(self) -> float: ...  # noqa: D102
    @property
    def restitution(self) -> float: ...  # noqa: D102
    @property
    def lengths(self) -> tuple[float, float]: ...  # noqa: D102
    @property
    def geometry(self) -> Geometry: ...  # noqa: D102
    @property
    def pose(self) -> Pose: ...  # noqa: D102


@dataclass(frozen=True)
class Collider:
    """Finds contacts between the bodies of a world, and holds the coefficients of each pair.

    Attributes:
        detector: finds the contacts.
        shapes: the shapes to test.
        pairs: friction, restitution and lengths of two bodies by their names, in alphabetical
            order, instead of the values of both sides; NaN: use the sides.
        directions: friction by direction of shapes that have one, a row of ``DirectionColumn`` by
            the shape's number.
        pair_directions: likewise of such pairs, and the body of the axis.
    """

    detector: ContactDetector
    shapes: Sequence[Solid]
    pairs: Mapping[tuple[str, str], tuple[float, float, float, float]] = field(default_factory=dict)
    directions: Mapping[int, Floats] = field(default_factory=dict)
    pair_directions: Mapping[tuple[str, str], tuple[Floats, str]] = field(default_factory=dict)
    key = staticmethod(contact_key)

    @property
    def directed(self) -> bool:
        """Whether friction depends on the direction anywhere."""
        return bool(self.directions or self.pair_directions)

    @property
    def links(self) -> list[int]:
        """Links that have shapes."""
        return sorted({shape.link for shape in self.shapes if shape.link >= 0})

    @cached_property
    def names(self) -> Mapping[int, str]:
        """Names of the shapes by number."""
        return {shape.number: shape.name for shape in self.shapes}

    def touching(self, key: int) -> tuple[str, str]:
        """Return the names of the two shapes of a contact's key."""
        a, b, _ = unpack_key(key)
        return self.names[a], self.names[b]

    def renumbered(self, keys: Ints, other: Collider) -> tuple[Ints, Ints]:
        """Return keys of contacts as another collider has them, and their rows in ``keys``.

        Shapes are the same if they belong to the same body and have the same index among its
        shapes. Contacts of shapes missing from the other collider are left out. Shapes keep their
        order, so the keys stay ascending.
        """
        there = {place: number for number, place in other._places().items()}
        number = {n: there[place] for n, place in self._places().items() if place in there}
        number[ENVIRONMENT] = ENVIRONMENT
        found, rows = [], []
        for row, key in enumerate(keys):
            a, b, feature = unpack_key(int(key))
            if a in number and b in number:
                found.append(contact_key(number[a], number[b], feature))
                rows.append(row)
        return np.array(found, np.int64), np.array(rows, np.int64)

    def _places(self) -> dict[int, tuple[str, int]]:
        """Return the body of each shape and its index among that body's shapes, by number."""
        seen: Counter[str] = Counter()
        places = {}
        for shape in self.shapes:
            body = shape.name.split("/")[0]
            places[shape.number] = body, seen[body]
            seen[body] += 1
        return places

    def tested(self) -> Iterator[tuple[Solid, Solid]]:
        """Yield the pairs of shapes that the detector tests."""
        excluded, group = set(self.detector.excluded.tolist()), self.detector.groups
        for i, j in combinations(range(len(self.shapes)), 2):
            one, other = self.shapes[i], self.shapes[j]
            same = group[i] == group[j] and group[i] >= 0
            if not (same or one.link == other.link or i * len(self.shapes) + j in excluded):
                yield one, other

    def friction(self, one: Solid, other: Solid) -> float:
        """Return the friction coefficient of two shapes."""
        a, b = sorted(shape.name.split("/")[0] for shape in (one, other))
        own, *_ = self.pairs.get((a, b), (np.nan,))
        return pair_coefficient(one.friction, other.friction, own)

    def coefficients(self) -> Coefficients:
        """Return friction, restitution and lengths of all shapes and pairs, for kernels."""
        numbers = 1 + max(self.names, default=-1)
        directions = np.tile(NO_DIRECTION, (numbers if self.directed else 0, 1))
        of_pairs = np.tile(NO_DIRECTION, (len(self.pairs) if self.directed else 0, 1))
        side, body = np.full((numbers, 4), np.nan), np.full(numbers, -1)
        bodies: dict[str, int] = {}
        for shape in self.shapes:
            side[shape.number] = shape.friction, shape.restitution, *shape.lengths
            name = shape.name.split("/")[0]
            body[shape.number] = bodies.setdefault(name, len(bodies))
        for number, row in self.directions.items():
            directions[number] = row
        for k, names in enumerate(self.pairs):
            if names in self.pair_directions:
                of_pairs[k], carrier = self.pair_directions[names]
                of_pairs[k, DirectionColumn.SIDE] = bodies.get(carrier, -2)
        pair = [(bodies.get(one, -2), bodies.get(other, -2)) for one, other in self.pairs]
        return Coefficients(
            side=side,
            body=body,
            pair=np.array(pair, np.int64).reshape(-1, 2),
            value=np.array(list(self.pairs.values()), float).reshape(-1, 4),
            directions=directions,
            pair_directions=of_pairs,
        )
