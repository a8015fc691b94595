"""The collision detector: contacts of shapes that touch or nearly touch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.collision.coal_pairs import CoalPairs
from footfall.collision.filters import PairFilter, excluded_codes, groups
from footfall.collision.kernels.arrays import (
    CONTACTS,
    CORNERS,
    HALF_SPACE,
    SLOW_PAIRS,
    Broad,
    FoundArrays,
    Geometries,
    Work,
)
from footfall.collision.kernels.meshes import mesh_pair
from footfall.collision.kernels.narrow import convex_pair, detect
from footfall.collision.shape import CollisionShape, geometries
from footfall.errors import RobotError, SimulationError
from footfall.jit.compiling import bind
from footfall.jit.tables import allocated, table_of
from footfall.typing import Floats

MOST_POINTS = 8
"""Points of a pair unless told otherwise: what two boxes have at most."""
_ROOM = 256
"""Points of one pair before they are thinned out; contacts and pairs there is room for at first."""


class Found:
    """The contacts of the last detection, ascending by key; keys are unique.

    The arrays are longer than there are contacts: rows from ``n`` on mean nothing. They are
    replaced when they have to grow.

    Attributes:
        arrays: the whole arrays, for kernels.
        n: number of contacts.
        version: goes up by one whenever the arrays are replaced.
        key: identity of each contact, shape (n,), see ``footfall.world.collision_arrays``.
        geometry_a: shape (n,), number of the first shape: the environment's if one is.
        geometry_b: shape (n,), of the second.
        link_a: shape (n,), link of the first shape, -1: the environment.
        link_b: shape (n,), of the second.
        shape_a: shape (n,), index of the first shape in ``Detector.shapes``.
        shape_b: shape (n,), of the second.
        position: shape (n, 3), middle between the two surfaces, world, [m].
        normal: shape (n, 3), unit, from the first shape to the second, world.
        gap: shape (n,), distance along the normal, [m]; negative where they penetrate.
    """

    __slots__ = ("arrays", "n", "version")

    def __init__(self, capacity: int) -> None:
        self.arrays = allocated(FoundArrays, capacity)
        self.n = 0
        self.version = 0

    def grow(self, capacity: int) -> None:
        """Replace the arrays by longer ones; contacts so far are kept."""
        old, self.arrays = self.arrays, allocated(FoundArrays, capacity)
        for before, after in zip(old, self.arrays, strict=True):
            after[: len(before)] = before
        self.version += 1

    @property
    def capacity(self) -> int:
        """Number of contacts that there is room for."""
        return len(self.arrays.key)

    def __getattr__(self, name: str) -> Any:
        """Return the first n rows of one of the arrays by its name."""
        if name in FoundArrays._fields:
            return getattr(self.arrays, name)[: self.n]
        raise AttributeError(name)


class Detector:
    """Collision detection: a function of the links' poses alone, bit for bit.

    Attributes:
        shapes: by ascending number.
        margin: greatest gap of a contact, [m].
        found: what the last call found.
        excluded: pairs that are not tested, each the place of one shape times their number plus the
            place of the other.

    Args:
        shapes: what can touch, in any order.
        filters: which pairs are tested.
        margin: greatest gap of a contact, [m].
        max_points_per_pair: of more points those are kept that are spread widest, with the deepest.

    Raises:
        RobotError: if two shapes have one number, or the margin is negative or not finite.
        SceneError: if a filter names what does not exist.
    """

    def __init__(
        self,
        shapes: Sequence[CollisionShape],
        filters: PairFilter | None = None,
        margin: float = 0.0,
        max_points_per_pair: int = MOST_POINTS,
    ) -> None:
        filters = filters or PairFilter()
        self.shapes = tuple(sorted(shapes, key=lambda shape: shape.number))
        self.margin = float(margin)
        _check(self.shapes, self.margin, max_points_per_pair)
        self._geometries = geometries(self.shapes, groups(self.shapes, filters))
        self._work = _work(self._geometries, self.margin, max_points_per_pair)
        self.excluded = excluded_codes(self.shapes, filters)
        self._broad = _broad(self._geometries, self.excluded, _ROOM)
        self.found = Found(_ROOM)
        self._coal = CoalPairs(self.shapes, self._geometries, self.margin)
        self._bind()

    def detect(self, poses: Floats) -> Found:
        """Return all contacts with a gap up to the margin.

        Args:
            poses: shape (links, 12), placements of the links in the world: rotation column-major,
                translation [m].

        Raises:
            SimulationError: if a pose is not finite; names the shape.
        """
        self._detect(poses)
        count = self._work.counts
        while self._too_small():
            self._detect(poses)
        if count[SLOW_PAIRS]:
            self._ask_coal(poses)
        self.found.n = int(count[CONTACTS])
        if count[SLOW_PAIRS]:
            self._sort()
        return self.found

    def _bind(self) -> None:
        """Make the kernels' table anew: arrays have moved."""
        table = table_of(self._geometries, self._broad, self._work, self.found.arrays)
        like = np.zeros((1, 12))
        self._detect: Any = bind(detect, table, like=(like,))
        self._slow_kernels: dict[Any, Any] = {}
        self._table = table

    def _too_small(self) -> bool:
        """Make more room where the last call ran out of it, and say whether it did."""
        contacts, pairs, _, _, bad, _, _ = self._work.counts.tolist()
        if bad >= 0:
            raise SimulationError(f"collision shape {self.shapes[bad].name}: pose is not finite")
        if pairs > len(self._broad.pair):
            self._broad = _broad(self._geometries, self.excluded, 2 * pairs)
            self._work = self._work._replace(slow=np.zeros((2 * pairs, 2), np.int64))
        elif contacts > self.found.capacity:
            self.found.grow(2 * contacts)
        else:
            return False
        self._bind()
        return True

    def _ask_coal(self, poses: Floats) -> None:
        count, slow = self._work.counts, self._work.slow
        for k in range(int(count[SLOW_PAIRS])):
            before = int(count[CONTACTS])
            i, j = int(slow[k, 0]), int(slow[k, 1])
            self._coal.find(i, j, self._convex_pair, self._mesh_pair)
            if count[CONTACTS] > self.found.capacity:
                self.found.grow(2 * int(count[CONTACTS]))
                count[CONTACTS] = before
                self._bind()
                self._coal.find(i, j, self._convex_pair, self._mesh_pair)

    def _convex_pair(self) -> Any:
        return self._slow(convex_pair, 0, 0, np.zeros(7))

    def _mesh_pair(self) -> Any:
        return self._slow(mesh_pair, 0, 0, np.zeros((1, 12)), 0)

    def _slow(self, function: Any, *like: Any) -> Any:
        """Return a kernel that only pairs without a closed form need, compiled when needed."""
        bound = self._slow_kernels.get(function)
        if bound is None:
            bound = self._slow_kernels[function] = bind(function, self._table, like=like)
        return bound

    def _sort(self) -> None:
        """Sort the contacts by key: Coal's come behind the others."""
        order = np.argsort(self.found.key)
        for array in self.found.arrays:
            array[: self.found.n] = array[order]


def _check(shapes: Sequence[CollisionShape], margin: float, most: int) -> None:
    for shape, other in pairwise(shapes):
        if shape.number == other.number:
            raise RobotError(f"{shape.name} and {other.name} both have number {other.number}")
    if not (np.isfinite(margin) and margin >= 0.0):
        raise RobotError(f"collision margin must not be negative: {margin:g} m")
    if most < 1:
        raise RobotError(f"max_points_per_pair must be at least 1, not {most}")


def _broad(geometries: Geometries, excluded: npt.NDArray[np.int64], room: int) -> Broad:
    planes = geometries.kind == HALF_SPACE
    others = np.flatnonzero(~planes)
    return Broad(
        planes=np.flatnonzero(planes),
        order=np.tile(others, (3, 1)),
        sorted=np.zeros((len(others), 6)),
        excluded=excluded,
        pair=np.zeros((room, 2), np.int64),
        unsorted=np.zeros((room, 2), np.int64),
        bucket=np.zeros(len(geometries.kind) + 1, np.int64),
    )


def _work(geometries: Geometries, margin: float, most: int) -> Work:
    corners = max(2 * CORNERS, int(np.diff(geometries.corner_start).max(initial=0)))
    points = max(_ROOM, 4 * corners, most)
    return allocated(
        Work,
        corners,
        margin=np.array([margin]),
        most=np.array([most], np.int64),
        counts=7,
        slow=(_ROOM, 2),
        point=(points, 7),
        feature=points,
        chosen=points,
        distance=points,
        matrix=(8, 3),
    )
