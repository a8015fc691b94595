"""Numbers of a world that a key of its scene decides: found by comparing two worlds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import footfall
from footfall.api.errors import SimulationError
from footfall.api.plugin import Floats, Ints

MOST_LOADED = 256
"""Distinct values for which worlds are loaded, where numbers follow from the key's value."""

Load = Callable[[dict[str, Any]], "footfall.Simulator"]


class Numbers(NamedTuple):
    """What differs.

    Attributes:
        array: shape (m,), which array of the program's data.
        place: shape (m,), where in it.
        value: shape (n, m), for each of the values.
    """

    array: Ints
    place: Ints
    value: Floats


def data_of(sim: footfall.Simulator) -> list[Any]:
    """Return the arrays that a world's steps read and write, each once."""
    assert sim.stepper.program is not None
    return list({array.ctypes.data: array for array in sim.stepper.program.data()}.values())


def numbers_of(key: str, values: Floats, load: Load) -> Numbers:
    """Return the numbers that decide a step and depend on a key, for each of its values.

    Two worlds are loaded with two of the values and compared; what a step writes anyway does not
    count. Where all that differs is the value itself, that is all; else a world is loaded for each
    distinct value, so that a run has the very numbers that it would have alone.

    Raises:
        SimulationError: if the key cannot differ from run to run; says why.
        SceneError: if there is no such key, or it does not allow a value.
    """
    distinct = np.unique(values, axis=0)
    probes = distinct[0], distinct[-1] if len(distinct) > 1 else _beside(distinct[0])
    worlds = [load({key: probe.tolist()}) for probe in probes]
    array, place = _differences(key, *worlds)
    found = [_read(world, array, place) for world in worlds]
    if values.ndim == 1 and all((x == probe).all() for x, probe in zip(found, probes, strict=True)):
        return Numbers(array, place, np.repeat(values[:, None], len(array), axis=1))
    if len(distinct) > MOST_LOADED:
        raise SimulationError(
            f"{key}: a world is loaded for each of its values: {len(distinct)} differ, at most "
            f"{MOST_LOADED} may"
        )
    rows = {tuple(np.atleast_1d(v)): _read(load({key: v.tolist()}), array, place) for v in distinct}
    return Numbers(array, place, np.stack([rows[tuple(np.atleast_1d(v))] for v in values]))


def _beside(value: Floats) -> Floats:
    """Return another value, to see what depends on it."""
    return np.where(value == 0.0, 0.5, 0.5 * value)


def _read(sim: footfall.Simulator, array: Ints, place: Ints) -> Floats:
    data = data_of(sim)
    return np.array([data[a].reshape(-1)[i] for a, i in zip(array, place, strict=True)], float)


def _differences(key: str, one: Any, other: Any) -> tuple[Ints, Ints]:
    """Return where two worlds differ that have not made a step."""
    refused = f"{key} cannot differ within a batch"
    first, second = data_of(one), data_of(other)
    if [(a.shape, a.dtype) for a in first] != [(a.shape, a.dtype) for a in second]:
        raise SimulationError(f"{refused}: it changes what a world is of")
    if not (np.array_equal(one.q, other.q) and np.array_equal(one.v, other.v)):
        raise SimulationError(
            f"{key} cannot differ within a batch: it sets the start, give q and v"
        )
    before = [array.copy() for array in first]
    for _ in range(3):
        one.step()
    arrays, places = [], []
    state = one.state.vector
    for number, (mine, its, now) in enumerate(zip(before, second, first, strict=True)):
        if np.shares_memory(now, state):
            continue
        differ = (mine != its) & ~((mine != mine) & (its != its))
        fixed = (now == mine) | ((now != now) & (mine != mine))
        at = np.flatnonzero(differ & fixed)
        if len(at) and mine.dtype != np.float64:
            raise SimulationError(
                f"{key} cannot differ within a batch: it changes what a world is of"
            )
        arrays += [number] * len(at)
        places += list(at)
    for array, was in zip(first, before, strict=True):
        array[...] = was
    if not arrays:
        raise SimulationError(f"{refused}: no step of this scene reads it")
    return np.array(arrays, np.int64), np.array(places, np.int64)
