"""Observations of an agent: entries of the state, gravity and contact forces in named groups."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal

import numpy as np
from gymnasium import spaces

from footfall.api.plugin import Floats, Ints, SettingError, SimulationError, nearest
from footfall_stepper.api import StepperSimulator, own_numbers

Layout = Literal["flat", "dict"]
Observation = Floats | dict[str, Floats]
BOUND = 1e9
"""Greatest absolute value of an observation, in SI units; a larger one is a failure."""
GRAVITY = "projected_gravity"
"""Group that follows from others: the pattern ``*`` alone does not choose it."""
_XYZ = ("x", "y", "z")
_PAIR = re.compile(r"contact_force\(\s*([^,]+?)\s*(?:,\s*(.+?)\s*)?\)$")


@dataclass(frozen=True, slots=True)
class Group:
    """Entries of the state that belong together.

    Attributes:
        name: ``body/quantity``, or ``body/sensor/signal``.
        components: names of the entries.
        at: shape (n,), indices of the entries in the state's vector.
        quaternion: shape (4,), indices of x y z w of the base, for a group that is the direction of
            gravity in the base's frame; empty for others.
        pair: names of ``Simulator.contact_force`` for a group that is a contact force.
    """

    name: str
    components: tuple[str, ...]
    at: Ints
    quaternion: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    pair: tuple[str, ...] = ()


class Observer:
    """Reads observations from a simulator's state.

    A reading that is NaN (e.g. a centre of pressure without load) is observed as 0.

    Attributes:
        pairs: names of the observed contact forces, in order.
        groups: observed groups, in order.
        names: ``group/component`` of each entry of the flat observation.
        space: the observation space.
    """

    def __init__(self, sim: StepperSimulator, patterns: Sequence[str], layout: str) -> None:
        if layout not in ("flat", "dict"):
            raise SettingError(f'got {layout!r}, allowed is "flat" or "dict"', "layout")
        asked = {name: _PAIR.match(name) for name in patterns}
        forces = [_force(sim, *found.group(0, 1, 2)) for found in asked.values() if found]
        rest = [name for name, found in asked.items() if not found]
        groups = _chosen(tuple(_groups(sim)), rest) if rest or not forces else ()
        self.groups = (*groups, *forces)
        self.pairs = [group.pair for group in forces]
        self.names = tuple(f"{g.name}/{c}" for g in self.groups for c in g.components)
        self._at = np.concatenate([group.at for group in self.groups])
        ends = np.cumsum([len(group.components) for group in self.groups])
        self._parts = {
            group.name: slice(int(end) - len(group.components), int(end))
            for group, end in zip(self.groups, ends, strict=True)
        }
        self._turned = [(g.quaternion, self._parts[g.name]) for g in groups if len(g.quaternion)]
        self._flat, self._measures = layout == "flat", bool(sim.participants.sensors)
        self.space: spaces.Space[Any] = (
            _box(len(self.names))
            if self._flat
            else spaces.Dict({g.name: _box(len(g.components)) for g in self.groups})
        )

    def read(self, sim: StepperSimulator) -> Observation:
        """Return the observation of a simulator, in new arrays.

        Raises:
            SimulationError: if a number is beyond ``BOUND``.
        """
        values = self.values(sim.state.vector, sim)
        if not (values.min() >= -BOUND and values.max() <= BOUND):
            raise SimulationError(self.beyond(values.reshape(-1, len(self.names))[0]))
        return self.laid_out(values)

    def values(self, states: Floats, source: Any) -> Floats:
        """Return the flat observation, without a check against ``BOUND``.

        Args:
            states: shape (..., size).
            source: the simulator or batch, for contact forces.
        """
        values: Floats = states[..., self._at]
        for at, part in self._turned:
            x, y, z, w = np.moveaxis(states[..., at], -1, 0)
            down = -2.0 * (x * z - w * y), -2.0 * (y * z + w * x), 2.0 * (x * x + y * y) - 1.0
            values[..., part] = np.stack(down, axis=-1)
        if self.pairs:
            forces = [source.contact_force(*pair).total for pair in self.pairs]
            values = np.concatenate([values, *forces], axis=-1)
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
    own_numbers(places)[0][:] = np.arange(len(places.vector))
    for index, body in enumerate(world.bodies):
        q = places["q"][world.q_slice(index)].astype(np.int64)
        v = places["v"][world.v_slice(index)].astype(np.int64)
        name, joints = body.name, body.model.joint_names
        if body.model.base == "floating":
            yield Group(f"{name}/base_position", _XYZ, q[:3])
            yield Group(f"{name}/base_orientation", (*_XYZ, "w"), q[3:7])
            yield Group(f"{name}/{GRAVITY}", _XYZ, q[3:6], quaternion=q[3:7])
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


def _force(sim: StepperSimulator, name: str, one: str, other: str | None) -> Group:
    """Return the group of a contact force.

    Raises:
        SimulationError: if a name means nothing, or both name the same part.
    """
    pair = (one,) if other is None else (one, other)
    sim.contact_force(*pair)
    return Group(name, _XYZ, np.zeros(0, np.int64), pair=pair)


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
    return tuple(
        group
        for group in groups
        for fitting in [[p for p in patterns if fnmatchcase(group.name, p)]]
        if fitting and not (len(group.quaternion) and set(fitting) == {"*"})
    )
