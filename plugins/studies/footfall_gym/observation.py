"""Observations of an agent: entries of the simulation's state in named groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

import numpy as np
from gymnasium import spaces

from footfall.api.plugin import Floats, Ints, SettingError, SimulationError, nearest
from footfall_stepper.api import StepperSimulator

Layout = Literal["flat", "dict"]
Observation = Floats | dict[str, Floats]
BOUND = 1e9
"""Greatest absolute value of an observation, in SI units; a larger one is a failure."""
_XYZ = ("x", "y", "z")


@dataclass(frozen=True, slots=True)
class Group:
    """Entries of the state that belong together.

    Attributes:
        name: ``body/quantity``, or ``body/sensor/signal``.
        components: names of the entries.
        at: shape (n,), indices of the entries in the state's vector.
        turned: whether the entries are the base's quaternion x y z w, and the group is the unit
            vector of gravity in the base's frame.
    """

    name: str
    components: tuple[str, ...]
    at: Ints
    turned: bool = False


class Observer:
    """Reads observations from a simulator's state.

    A reading that is NaN (e.g. a centre of pressure without load) is observed as 0.

    Attributes:
        groups: observed groups, in order.
        names: ``group/component`` of each entry of the flat observation.
        space: the observation space.
    """

    def __init__(self, sim: StepperSimulator, patterns: Sequence[str], layout: str) -> None:
        if layout not in ("flat", "dict"):
            raise SettingError(f'got {layout!r}, allowed is "flat" or "dict"', "layout")
        self.groups = _chosen(tuple(_groups(sim)), patterns)
        self.names = tuple(f"{g.name}/{c}" for g in self.groups for c in g.components)
        self._at = np.concatenate([group.at for group in self.groups])
        ends = np.cumsum([len(group.at) for group in self.groups])
        self._parts = {
            group.name: slice(int(end) - len(group.at), int(end))
            for group, end in zip(self.groups, ends, strict=True)
        }
        self._flat, self._measures = layout == "flat", bool(sim.participants.sensors)
        self.space: spaces.Space[Any] = (
            _box(len(self._at))
            if self._flat
            else spaces.Dict({g.name: _box(len(g.at)) for g in self.groups})
        )

    def read(self, states: Floats) -> Observation:
        """Return the observation of states, shape (..., size), in new arrays.

        Raises:
            SimulationError: if a number is beyond ``BOUND``.
        """
        values = self.values(states)
        if not (values.min() >= -BOUND and values.max() <= BOUND):
            raise SimulationError(self.beyond(values.reshape(-1, len(self.names))[0]))
        return self.laid_out(values)

    def values(self, states: Floats) -> Floats:
        """Return the flat observation of states, without a check against ``BOUND``."""
        values: Floats = states[..., self._at]
        if self._measures:
            values[np.isnan(values)] = 0.0
        return values

    def beyond(self, values: Floats) -> str:
        """Return a message on the entry, of shape (n,), that is furthest beyond ``BOUND``."""
        worst = int(np.argmax(np.abs(values)))
        return f"{self.names[worst]} is {values[worst]:g}, beyond {BOUND:g}"

    def laid_out(self, values: Floats) -> Observation:
        """Return flat observations, shape (..., n), in the chosen layout."""
        if self._flat:
            return values
        return {name: values[..., part].copy() for name, part in self._parts.items()}


def _box(n: int) -> spaces.Box:
    return spaces.Box(-BOUND, BOUND, (n,), np.float64)


def _groups(sim: StepperSimulator) -> Iterator[Group]:
    """Yield all groups: positions and velocities by body, then sensors."""
    world, places = sim.world, sim.state.copy()
    places.vector[:] = np.arange(len(places.vector))
    for index, body in enumerate(world.bodies):
        q = places["q"][world.q_slice(index)].astype(np.int64)
        v = places["v"][world.v_slice(index)].astype(np.int64)
        name, joints = body.name, body.model.joint_names
        if body.model.base == "floating":
            yield Group(f"{name}/base_position", _XYZ, q[:3])
            yield Group(f"{name}/base_orientation", (*_XYZ, "w"), q[3:7])
        if joints:
            yield Group(f"{name}/joint_positions", joints, q[len(q) - len(joints) :])
        if body.model.base == "floating":
            yield Group(f"{name}/base_linear_velocity", _XYZ, v[:3])
            yield Group(f"{name}/base_angular_velocity", _XYZ, v[3:6])
        if joints:
            yield Group(f"{name}/joint_velocities", joints, v[len(v) - len(joints) :])
    for sensing in sim.participants.sensors:
        at = places[f"{sensing.title}.reading"].astype(np.int64)
        done = 0
        for signal in sensing.signals:
            n = len(signal.components)
            title = f"{sensing.body.name}/{sensing.spec.name}/{signal.name}"
            yield Group(title, signal.components, at[done : done + n])
            done += n


def _chosen(groups: tuple[Group, ...], patterns: Sequence[str]) -> tuple[Group, ...]:
    """Return the groups that match any pattern.

    Raises:
        SettingError: if a pattern matches none; suggests the nearest name.
    """
    names = [group.name for group in groups]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            hint = nearest(pattern, names) or f" (there are: {', '.join(names)})"
            raise SettingError(f"nothing is named or matches {pattern!r}{hint}", "observe")
    if not patterns:
        raise SettingError("got no pattern, give at least one", "observe")
    return tuple(g for g in groups if any(fnmatchcase(g.name, p) for p in patterns))
