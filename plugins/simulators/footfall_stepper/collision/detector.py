"""The collision detector: contacts of shapes that touch or nearly touch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.errors import RobotError, SimulationError
from footfall.geometry.shapes import HeightField
from footfall.jit.compiling import bind
from footfall.jit.tables import Table, allocated, point_at, read_only, table_of
from footfall.typing import Floats, Ints
from footfall_stepper.collision.coal_pairs import CoalPairs
from footfall_stepper.collision.filters import PairFilter, excluded_codes, groups
from footfall_stepper.collision.height_fields import plane_above
from footfall_stepper.collision.kernels.arrays import (
    CORNERS,
    Broad,
    FoundArrays,
    Geometries,
    ShapeKind,
    Work,
    WorkCount,
)
from footfall_stepper.collision.kernels.fast_pairs import fast_pairs
from footfall_stepper.collision.kernels.meshes.pair import mesh_pair, shorter_way
from footfall_stepper.collision.kernels.narrow import (
    below_field,
    convex_pair,
    detect,
    find_pair,
)
from footfall_stepper.collision.shape import CollisionShape, geometries
from footfall_stepper.collision.swept import Sweep

MOST_POINTS = 8
"""Default number of points per pair: the largest number for two boxes."""
_ROOM = 256
"""Points of one pair before thinning; initial room for contacts and pairs."""


class Found:
    """The contacts of the last detection, ascending by key; keys are unique.

    The arrays are longer than there are contacts: rows from ``n`` on are meaningless. They are
    replaced when they have to grow.

    Attributes:
        arrays: the whole arrays, for kernels.
        n: number of contacts.
        version: increases by one whenever the arrays are replaced.
        key: identity of each contact, shape (n,), see ``footfall_stepper.world.collision_arrays``.
        geometry_a: shape (n,), number of the first shape: the environment's if there is one.
        geometry_b: shape (n,), of the second.
        link_a: shape (n,), link of the first shape, -1: the environment.
        link_b: shape (n,), of the second.
        shape_a: shape (n,), index of the first shape in ``Detector.shapes``.
        shape_b: shape (n,), of the second.
        position: shape (n, 3), middle between the two surfaces, world, [m].
        normal: shape (n, 3), unit, from the first shape to the second, world.
        gap: shape (n,), distance along the normal, [m]; negative for penetration.
    """

    __slots__ = ("_counts", "arrays", "version")

    def __init__(self, capacity: int, counts: Ints) -> None:
        self.arrays = allocated(FoundArrays, capacity)
        self.version = 0
        self._counts = counts

    def grow(self, capacity: int) -> None:
        """Replace the arrays with longer ones; present contacts are kept."""
        old, self.arrays = self.arrays, allocated(FoundArrays, capacity)
        for before, after in zip(old, self.arrays, strict=True):
            after[: len(before)] = before
        self.version += 1

    @property
    def n(self) -> int:
        """Number of contacts."""
        return int(self._counts[WorkCount.CONTACTS])

    @property
    def capacity(self) -> int:
        """Number of contacts for which there is room."""
        return len(self.arrays.key)

    def __getattr__(self, name: str) -> Any:
        """Return the first n rows of one of the arrays by its name, read-only."""
        if name in FoundArrays._fields:
            return read_only(getattr(self.arrays, name)[: self.n])
        raise AttributeError(name)


class Detector:
    """Collision detection: a function of the links' poses alone, identical bit for bit.

    Attributes:
        shapes: by ascending number.
        margin: largest gap of a contact, [m].
        found: the contacts of the last call.
        groups: shape (shapes,), shapes with the same number never touch; -1: may touch any.
        excluded: pairs that are not tested, each as the index of one shape times the number of
            shapes plus the index of the other.

    Args:
        shapes: shapes that can touch, in any order.
        filters: selection of the tested pairs.
        margin: largest gap of a contact, [m].
        max_points_per_pair: if there are more points, the most widely spread are kept, with the
            deepest.
        metre: length of a metre in the scene's units, for tolerances.

    Raises:
        RobotError: if two shapes have the same number, or the margin is negative or not finite.
        SceneError: if a filter names something that does not exist.
    """

    def __init__(
        self,
        shapes: Sequence[CollisionShape],
        filters: PairFilter | None = None,
        margin: float = 0.0,
        max_points_per_pair: int = MOST_POINTS,
        metre: float = 1.0,
    ) -> None:
        filters = filters or PairFilter()
        self.shapes = tuple(sorted(shapes, key=lambda shape: shape.number))
        self.margin = float(margin)
        _check(self.shapes, self.margin, max_points_per_pair)
        self.groups = read_only(groups(self.shapes, filters))
        self._geometries = geometries(self.shapes, self.groups)
        self._work = _work(self._geometries, self.margin, max_points_per_pair, metre)
        self.excluded = read_only(excluded_codes(self.shapes, filters))
        self._broad = _broad(self._geometries, self.excluded, _ROOM)
        self.found = Found(_ROOM, self._work.counts)
        self._coal = CoalPairs(self.shapes, self._geometries, self.margin, metre)
        self._table = self._new_table()
        self._slow_kernels: dict[Any, Any] = {}

    @property
    def sizes(self) -> Floats:
        """Sizes of the shapes, see ``Geometries``; ``moved`` uses what is written here."""
        return self._geometries.size

    @property
    def measures(self) -> Floats:
        """Places in their links and vertices of all shapes, one after another, [m]."""
        return np.concatenate(
            [a.ravel() for a in (self._geometries.local, self._geometries.vertex)]
        )

    def closed(self, i: int, j: int) -> bool:
        """Return whether the contacts of two shapes, by index, need no library."""
        return _has_closed_form(int(self._geometries.kind[i]), int(self._geometries.kind[j]))

    def bound(self, poses: Floats) -> Callable[[], int] | None:
        """Return a kernel that finds the contacts for poses at a fixed address.

        It returns their number, or -1 if ``detect`` must be called. None if some pairs of these
        shapes have no closed form.
        """
        kinds = Counter(self._geometries.kind.tolist())
        pairs = [*combinations(kinds, 2), *((a, a) for a, n in kinds.items() if n > 1)]
        found: Callable[[], int] = bind(detect, self._table, poses)
        return found if all(_has_closed_form(*pair) for pair in pairs) else None

    def sweep(self, twist: Floats, free_twist: Floats) -> tuple[Sweep, Callable[[float], int]]:
        """Return a finder of times of impact, and the kernel that finds the pairs for it.

        Args:
            twist: shape (links, 6), at a fixed address, see ``fast_pairs``.
            free_twist: likewise.
        """
        made = Sweep(self.shapes, self._geometries, float(self._work.metre[0]), self._placed)
        fixed = self._table, made.table, twist, free_twist
        return made, bind(fast_pairs, *fixed, like=(0.0,))

    def _placed(
        self, i: int, j: int, poses: Floats, moved: Floats
    ) -> Iterator[tuple[float, Floats, Floats]]:
        """Return the contacts of two shapes placed elsewhere; those that were found stay.

        Bounding boxes move, but do not turn.
        """
        geo, count, arrays, both = self._geometries, self._work.counts, self.found.arrays, [i, j]
        most, before = int(self._work.most[0]), (geo.pose[both], geo.bounds[both], count.copy())
        kept = [array[:most].copy() for array in arrays]
        geo.pose[both], geo.bounds[both] = poses, before[1] + np.tile(moved, 2)
        count[WorkCount.CONTACTS] = 0
        self._find(i, j)
        n = min(self.found.n, most)
        found = arrays.gap[:n].tolist(), arrays.normal[:n].copy(), arrays.position[:n].copy()
        geo.pose[both], geo.bounds[both], count[:] = before
        for array, rows in zip(arrays, kept, strict=True):
            array[:most] = rows
        return zip(*found, strict=True)

    def moved(self, i: int, j: int, motions: Floats) -> list[tuple[list[int], Floats]]:
        """Return the contacts of two shapes for small motions of one; those that were found stay.

        Args:
            i: index of the shape that stays.
            j: index of the other one, which goes from x to ``R x + t``.
            motions: shape (n, 3, 4), R and t of each.

        Returns:
            Keys, and rows of position, normal and gap, for each motion.
        """
        geo, count, arrays = self._geometries, self._work.counts, self.found.arrays
        most, start, before = int(self._work.most[0]), geo.pose[j].copy(), count.copy()
        kept, out = [array[:most].copy() for array in arrays], []
        find = self._slow(find_pair, 0, 0) if self.closed(i, j) else self._find
        axes = start.reshape(4, 3)
        for motion in motions:
            geo.pose[j] = (axes @ motion[:, :3].T).ravel()
            geo.pose[j, 9:] += motion[:, 3]
            count[WorkCount.CONTACTS] = 0
            find(i, j)
            n = min(self.found.n, most)
            found = np.hstack([arrays.position[:n], arrays.normal[:n], arrays.gap[:n, None]])
            out.append((arrays.key[:n].tolist(), found))
        geo.pose[j], count[:] = start, before
        for array, rows in zip(arrays, kept, strict=True):
            array[:most] = rows
        return out

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
        if count[WorkCount.SLOW_PAIRS]:
            self._ask_coal(poses)
        if count[WorkCount.SLOW_PAIRS]:
            self._sort()
        return self.found

    @cached_property
    def _detect(self) -> Callable[[Floats], int]:
        """The kernel, compiled when it is first called."""
        bound: Callable[[Floats], int] = bind(detect, self._table, like=(np.zeros((1, 12)),))
        return bound

    def _new_table(self) -> Table:
        return table_of(self._geometries, self._broad, self._work, self.found.arrays)

    def _renew(self) -> None:
        """Give the kernels the addresses of arrays that have moved."""
        point_at(self._table, self._new_table())

    def _too_small(self) -> bool:
        """Make more room if the last call ran out of it, and return whether it did."""
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
        self._renew()
        return True

    def _ask_coal(self, poses: Floats) -> None:
        count, slow = self._work.counts, self._work.slow
        for k in range(int(count[WorkCount.SLOW_PAIRS])):
            before = int(count[WorkCount.CONTACTS])
            i, j = int(slow[k, 0]), int(slow[k, 1])
            self._find(i, j)
            if count[WorkCount.CONTACTS] > self.found.capacity:
                self.found.grow(2 * int(count[WorkCount.CONTACTS]))
                count[WorkCount.CONTACTS] = before
                self._renew()
                self._find(i, j)

    def _find(self, i: int, j: int) -> None:
        """Write the contacts of two shapes without a closed form."""
        field, geo = self.shapes[i].geometry, self._geometries
        if isinstance(field, HeightField) and geo.kind[j] != ShapeKind.MESH:  # it may have a hole
            plane = plane_above(field, geo.pose[i], geo.bounds[j])
            if plane is not None:
                self._slow(below_field, 0, 0, plane)(i, j, plane)
                return
        self._coal.find(i, j, self._convex_pair, self._mesh_pair, self._shorter_way)

    def _convex_pair(self) -> Any:
        return self._slow(convex_pair, 0, 0, np.zeros(7))

    def _mesh_pair(self) -> Any:
        return self._slow(mesh_pair, 0, 0, np.zeros((1, 12)), 0)

    def _shorter_way(self) -> Any:
        return self._slow(shorter_way, 0, 0, np.zeros((1, 12)), 0, np.zeros(4), 0)

    def _slow(self, function: Any, *like: Any) -> Any:
        """Return a kernel needed only for pairs without a closed form, compiled when needed."""
        bound = self._slow_kernels.get(function)
        if bound is None:
            bound = self._slow_kernels[function] = bind(function, self._table, like=like)
        return bound

    def _sort(self) -> None:
        """Sort the contacts by key: Coal's come after the others."""
        order = np.argsort(self.found.key)
        for array in self.found.arrays:
            array[: self.found.n] = array[order]


def _has_closed_form(a: int, b: int) -> bool:
    """Return whether pairs of these kinds of shapes need no library, see ``detect``."""
    if ShapeKind.HALF_SPACE in (a, b) or a == b == ShapeKind.BOX or a == b == ShapeKind.CAPSULE:
        return True
    return ShapeKind.SPHERE in (a, b) and max(a, b) <= ShapeKind.CYLINDER


def _check(shapes: Sequence[CollisionShape], margin: float, most: int) -> None:
    for shape, other in pairwise(shapes):
        if shape.number == other.number:
            raise RobotError(f"{shape.name} and {other.name} both have number {other.number}")
    if not (np.isfinite(margin) and margin >= 0.0):
        raise RobotError(f"collision margin must be finite and not negative, got {margin:g} m")
    if most < 1:
        raise RobotError(f"max_points_per_pair must be at least 1, not {most}")


def _broad(geometries: Geometries, excluded: npt.NDArray[np.int64], room: int) -> Broad:
    planes = geometries.kind == ShapeKind.HALF_SPACE
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


def _work(geometries: Geometries, margin: float, most: int, metre: float) -> Work:
    corners = max(2 * CORNERS, int(np.diff(geometries.corner_start).max(initial=0)))
    points = max(_ROOM, 4 * corners, most)
    return allocated(
        Work,
        corners,
        margin=np.array([margin]),
        metre=np.array([metre]),
        most=np.array([most], np.int64),
        counts=7,
        slow=(_ROOM, 2),
        point=(points, 7),
        feature=points,
        chosen=points,
        distance=points,
        matrix=(8, 3),
    )
