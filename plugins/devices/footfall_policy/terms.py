"""Terms of an observation as entries: a source among the body's quantities, shift and scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from footfall.api.device import Observation
from footfall.api.engine import TreeModel
from footfall.api.plugin import Floats, SettingError, nearest
from footfall_policy.kernels import Base
from footfall_policy.policy_file import PolicyTable, TermTable, values

OF_BASE = {
    "base_linear_velocity": (3, 0, Base.LINEAR),
    "base_angular_velocity": (3, 3, Base.ANGULAR),
    "projected_gravity": (3, None, Base.GRAVITY),
    "base_rpy": (3, None, Base.RPY),
    "base_height": (1, None, None),
}
"""Terms of a floating base: size, place among the velocities (along the body's axes), place in
``Base``."""
HEIGHT = 2
"""Place of a floating base's height among the positions."""
WAVES = ("phase_sin", "phase_cos")
PLANAR = ("planar_x", "planar_z", "planar_pitch")
"""Joints of a planar base, which no motor moves."""


@dataclass(slots=True)
class Entries:
    """Entries of an observation on a body.

    Attributes:
        sizes: entries of each term at one tick.
        origin: source of each entry, see ``kernels.TickArrays``; likewise shift, scale and bound.
        clocks: frequency [Hz] and phase in cycles of each clock.
        outside: functions that read sensors and contacts, in order.
    """

    sizes: list[int] = field(default_factory=list)
    origin: list[int] = field(default_factory=list)
    shift: list[float] = field(default_factory=list)
    scale: list[float] = field(default_factory=list)
    bound: list[float] = field(default_factory=list)
    clocks: list[tuple[float, float]] = field(default_factory=list)
    outside: list[Callable[[Observation], Floats]] = field(default_factory=list)
    n_outside: int = 0


def place_terms(
    policy: PolicyTable, model: TreeModel, default: Floats, seen: Observation | None
) -> Entries:
    """Find the terms on a body.

    Args:
        policy: the settings.
        model: the body.
        default: shape (n_joints,), positions of a zero action, [rad or m].
        seen: the observation, for sensors and contacts; without it these have no entries.

    Raises:
        SettingError: if the body has no such quantity, or a key is missing.
    """
    found = Entries()
    for k, table in enumerate(policy.observation):
        where = f"observation[{k}] {table.term}"
        at, shift, names = _placed(found, table, where, policy, model, default, seen)
        if isinstance(table.scale, dict) and names is None:
            raise SettingError(f"{where}: scale by pattern is for joints", "file")
        found.sizes.append(len(at))
        found.origin += at
        found.shift += [table.offset + each for each in shift or [0.0] * len(at)]
        if at or not isinstance(table.scale, tuple):
            found.scale += values(table.scale, names or ["?"] * len(at), where).tolist()
        found.bound += [np.inf if table.clip is None else table.clip] * len(at)
    return found


def _placed(
    found: Entries,
    table: TermTable,
    where: str,
    policy: PolicyTable,
    model: TreeModel,
    default: Floats,
    seen: Observation | None,
) -> tuple[list[int], list[float], Sequence[str] | None]:
    """Return the sources of a term, shifts, and names of joints if it is theirs."""
    floating, n = model.base == "floating", len(model.joint_names)
    base = model.nq + model.nv
    action = base + (Base.SIZE if floating else 0)
    command = action + len(policy.joints)
    clock = command + len(policy.command)
    beyond = clock + sum(each.term in WAVES for each in policy.observation)
    if table.term in OF_BASE:
        if not floating:
            told = f"{where}: the base of the body is {model.base}"
            if model.joint_names[: len(PLANAR)] == PLANAR:
                told = f"{where}: give a planar base as joint_positions of {', '.join(PLANAR)}"
            raise SettingError(told, "file")
        size, own, place = OF_BASE[table.term]
        first = base + place if place is not None else HEIGHT
        if own is not None and table.axes == "body":
            first = model.nq + own
        return [*range(first, first + size)], [], None
    if table.term in ("joint_positions", "joint_velocities"):
        names = table.joints or policy.joints
        at = indices(names, model, where)
        if table.term == "joint_velocities":
            return [base - n + k for k in at], [], names
        return [model.nq - n + k for k in at], [-float(default[k]) for k in at], names
    if table.term in WAVES:
        if table.frequency is None:
            raise SettingError(f"{where}: needs the key frequency, [Hz]", "file")
        quarter = 0.0 if table.term == "phase_sin" else 0.25
        found.clocks.append((table.frequency, table.phase + quarter))
        return [clock + len(found.clocks) - 1], [], None
    if table.term in ("last_action", "command"):
        first, end = (action, command) if table.term == "last_action" else (command, clock)
        return [*range(first, end)], [], None
    read = _sensor(table, where) if table.term == "sensor" else _contacts
    size = 0 if seen is None else len(read(seen))
    first = beyond + found.n_outside
    found.outside.append(read)
    found.n_outside += size
    return [*range(first, first + size)], [], None


def indices(names: Sequence[str], model: TreeModel, where: str) -> list[int]:
    """Return the places of joints in the body.

    Raises:
        SettingError: if the body has no such joint.
    """
    for name in names:
        if name not in model.joint_names:
            hint = nearest(name, model.joint_names, "joints")
            raise SettingError(f"{where}: the body has no joint {name!r}{hint}", "file")
    return [model.joint_names.index(name) for name in names]


def _contacts(seen: Observation) -> Floats:
    return seen.signals.contact_flags.astype(float)


def _sensor(table: TermTable, where: str) -> Callable[[Observation], Floats]:
    if not (table.sensor and table.field):
        raise SettingError(f"{where}: needs the keys sensor and field", "file")

    def read(seen: Observation) -> Floats:
        reading = seen.sensors.get(table.sensor)
        if reading is None:
            hint = nearest(table.sensor, seen.sensors, "sensors")
            raise SettingError(f"{where}: the body has no {table.sensor!r}{hint}", "file")
        if not hasattr(reading, table.field):
            raise SettingError(f"{where}: {table.sensor} measures no {table.field!r}", "file")
        return np.ravel(np.asarray(getattr(reading, table.field), float))

    return read
