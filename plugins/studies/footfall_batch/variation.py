"""Numbers of a world that depend on a key of its scene, found by comparing two worlds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall.api.plugin import Floats, Ints, SimulationError
from footfall_stepper.api import StepperSimulator

MOST_LOADED = 256
"""Most distinct values for which worlds are loaded, if numbers follow from the key's value."""
ROUNDING = 4.0 * float(np.finfo(float).eps)
"""Relative error within which numbers count as proportional to a value, or as the same."""
SETTINGS = 64
"""Most entries of an array of settings; a longer array holds quantities of one kind."""
GOLDEN = 0.6180339887498949
"""Golden ratio; its multiples modulo 1 are spread evenly and differ from each other."""

Load = Callable[[dict[str, Any]], "StepperSimulator"]


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a scene: one number, an array, or a table of numbers by name.

    Attributes:
        name: dotted name.
        names: names of the table's entries; None for a number or an array.
        single: whether the key is one number.
    """

    name: str
    names: tuple[str, ...] | None
    single: bool

    def override(self, value: Floats) -> dict[str, Any]:
        """Return an override of the scene with one value, shape (columns,)."""
        plain = [int(x) if abs(x) < 2.0**53 and x == int(x) else x for x in value.tolist()]
        if self.names is not None:
            return {self.name: dict(zip(self.names, plain, strict=True))}
        return {self.name: plain[0] if self.single else plain}


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers of a world that depend on a key.

    Attributes:
        key: the key.
        array: shape (m,), index of the array in the program's data; place: shape (m,), index in it.
        column: shape (m,), entry of the key's value that each number follows; -1: no single one.
        factor: shape (m,), factor to that entry.
        low, high: shape (columns,), range in which the key allows all values.
        loaded: numbers of the last loaded worlds, by the bytes of their value.
    """

    key: Key
    array: Ints
    place: Ints
    column: Ints
    factor: Floats
    low: Floats
    high: Floats
    loaded: dict[bytes, Floats] = field(default_factory=dict)

    def covers(self, values: Floats) -> bool:
        """Return whether all values, shape (n, columns), lie in the range known to be allowed."""
        return bool((values >= self.low).all() and (values <= self.high).all())

    def at(self, values: Floats, load: Load) -> Floats:
        """Return the numbers, shape (n, m), for values of shape (n, columns).

        Raises:
            SimulationError: if too many worlds would have to be loaded.
            SceneError: if a value is not allowed.
        """
        if (self.column >= 0).all():
            return self.factor * values[:, self.column]
        distinct, which = np.unique(values, axis=0, return_inverse=True)
        if len(distinct) > MOST_LOADED:
            raise SimulationError(
                f"{self.key.name}: got {len(distinct)} different values, allowed are at most "
                f"{MOST_LOADED}, as a world is loaded for each"
            )
        new = [value for value in distinct if value.tobytes() not in self.loaded]
        if len(self.loaded) + len(new) > MOST_LOADED:
            self.loaded.clear()
            new = list(distinct)
        for value in new:
            world = load(self.key.override(value))
            self.loaded[value.tobytes()] = read(world, self.array, self.place)
        return np.stack([self.loaded[value.tobytes()] for value in distinct])[which.reshape(-1)]


def data_of(sim: StepperSimulator) -> list[Any]:
    """Return the arrays that a world's steps read and write, each once, without scratch arrays."""
    found = {array.ctypes.data: array for array in sim.stepper.program.data()}
    collisions = sim.stepper.collisions
    for array in () if collisions is None else collisions.scratch:
        found.pop(array.ctypes.data, None)
    return list(found.values())


def read(sim: StepperSimulator, array: Ints, place: Ints) -> Floats:
    """Return the numbers of a world at the places of ``Numbers``, shape (m,)."""
    data = data_of(sim)
    return np.array([data[a].reshape(-1)[i] for a, i in zip(array, place, strict=True)], float)


def find_numbers(key: Key, values: Floats, load: Load) -> Numbers:
    """Return the numbers that affect a step and depend on a key.

    Footfall loads two worlds with values between the least and the greatest and compares them.
    Numbers that a step writes do not count. A number that is an entry of the value, or proportional
    to the only one, is known for all values; otherwise a world is loaded for each value. Numbers
    that differ only by rounding count as the same (a centre of mass if all masses are scaled; an
    inertia that is zero except for rounding).

    Args:
        key: the key.
        values: shape (n, columns).
        load: function that loads the scene with overrides.

    Raises:
        SimulationError: if the key cannot differ between runs; the message gives the reason.
        SceneError: if the key does not exist or does not allow a value.
    """
    low, high = values.min(axis=0), values.max(axis=0)
    for end in (low, high):
        load(key.override(end))
    probes = _between(low, high)
    worlds = [load(key.override(probe)) for probe in probes]
    _require_alike(key.name, data_of(load({})), data_of(worlds[0]))
    array, place = _differences(key.name, *worlds)
    found = np.array([read(world, array, place) for world in worlds])
    column, factor = _followed(found, np.array(probes))
    scale = np.maximum(np.abs(found[0]), scale_of(data_of(worlds[0]), array))
    kept = (column >= 0) | ~(np.abs(found[1] - found[0]) <= ROUNDING * scale)
    where = array[kept], place[kept], column[kept], factor[kept]
    return Numbers(key, *where, low, high)


def scale_of(data: list[Any], array: Ints) -> Floats:
    """Return the greatest entry of a number's array; 0 for settings (unlike entries)."""
    return np.array([np.nanmax(np.abs(data[a])) if data[a].size > SETTINGS else 0.0 for a in array])


def _between(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return two values between the ends; their entries differ from each other if possible."""
    if (low == high).all():
        high = np.where(low == 0.0, 0.5, 0.5 * low)
    if len(low) == 1:
        return low, high
    share = (GOLDEN * np.arange(1, len(low) + 1)) % 1.0
    return low + (high - low) * share, high + (low - high) * (0.5 * share)


OTHER_WORLD = "it changes the structure of the world"
SETS_START = "it sets the start, give q and v"
UNREAD = "no step of this scene reads it"


class NotVariable(SimulationError):  # noqa: N818 - what it says of a key
    """A key that cannot differ between runs.

    Attributes:
        unread: whether no step depends on the key; sets_start: whether only the start does.
    """

    def __init__(self, key: str, why: str) -> None:
        self.unread, self.sets_start = why == UNREAD, why == SETS_START
        super().__init__(f"{key} cannot differ within a batch: {why}")


def _followed(found: Floats, probes: Floats) -> tuple[Ints, Floats]:
    """Return the entry of the probes (2, columns) that each number (2, m) follows; its factor.

    An entry equal to the number has priority over a proportional one.
    """
    column, factor = np.full(found.shape[1], -1, np.int64), np.ones(found.shape[1])
    moving = np.flatnonzero(probes[0] != probes[1])
    for c in moving:
        column[(column < 0) & (found == probes[:, c, None]).all(axis=0)] = c
    if len(moving) == 1 and probes[1, moving[0]] != 0.0:
        (c,) = moving
        ratio = found[1] / probes[1, c]
        rest = (column < 0) & (
            np.abs(ratio * probes[0, c] - found[0]) <= ROUNDING * np.abs(found[0])
        )
        column[rest], factor[rest] = c, ratio[rest]
    return column, factor


def _require_alike(key: str, first: list[Any], second: list[Any]) -> None:
    if [(a.shape, a.dtype) for a in first] != [(a.shape, a.dtype) for a in second]:
        raise NotVariable(key, OTHER_WORLD)


def _differences(key: str, one: Any, other: Any) -> tuple[Ints, Ints]:
    """Return the places in which two worlds differ; neither has made a step."""
    first, second = data_of(one), data_of(other)
    _require_alike(key, first, second)
    if not (np.array_equal(one.q, other.q) and np.array_equal(one.v, other.v)):
        raise NotVariable(key, SETS_START)
    if one.time_step != other.time_step:
        raise NotVariable(key, "all runs keep the same time")
    before = [array.copy() for array in first]
    for _ in range(3):
        one.step()
    arrays, places = [], []
    for number, (mine, its, now) in enumerate(zip(before, second, first, strict=True)):
        if np.shares_memory(now, one.state.vector) or np.shares_memory(now, one.state.grown):
            continue
        differ = (mine != its) & ~((mine != mine) & (its != its))
        fixed = (now == mine) | ((now != now) & (mine != mine))
        at = np.flatnonzero(differ & fixed)
        if len(at) and mine.dtype != np.float64:
            raise NotVariable(key, OTHER_WORLD)
        arrays += [number] * len(at)
        places += list(at)
    for array, was in zip(first, before, strict=True):
        if array.flags.writeable:  # others have not changed
            array[...] = was
    if not arrays:
        raise NotVariable(key, UNREAD)
    return np.array(arrays, np.int64), np.array(places, np.int64)
