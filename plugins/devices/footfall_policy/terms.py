"""Terms of an observation: quantities of the body, scaled, and seen over some ticks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from footfall.api.device import Observation
from footfall.api.engine import TreeModel
from footfall.api.plugin import Floats, SettingError, SimulationError, nearest
from footfall_policy.policy_file import PolicyTable, TermTable, values

OF_BASE = (
    *("base_linear_velocity", "base_angular_velocity", "projected_gravity"),
    *("base_rpy", "base_height"),
)
"""Terms that need a floating base."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Inputs of the terms beyond the body's state.

    Attributes:
        action: the last action.
        command: the command.
    """

    action: Floats
    command: Floats


Quantity = Callable[[Observation, Inputs], Floats]


@dataclass(frozen=True, slots=True)
class Term:
    """A term on a body.

    Attributes:
        table: its settings.
        size: number of entries at one tick; None if known only in the simulation.
        quantity: its values, shape (size,).
        scale: factors, shape (size,) or ().
    """

    table: TermTable
    size: int | None
    quantity: Quantity
    scale: Floats

    def at(self, seen: Observation, inputs: Inputs, rng: np.random.Generator | None) -> Floats:
        """Return the scaled values at this tick."""
        table = self.table
        x = (self.quantity(seen, inputs) + table.offset) * self.scale
        if table.clip is not None:
            x = np.clip(x, -table.clip, table.clip)
        if rng is not None and table.noise:
            x = x + rng.uniform(-table.noise, table.noise, len(x))
        return x


def rotation(q: Floats) -> Floats:
    """Return the matrix from the base's axes to the world's, from positions with x, y, z, w."""
    x, y, z, w = q[3:7]
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _rpy(R: Floats) -> Floats:
    """Return roll, pitch and yaw of ``R = Rz(yaw) Ry(pitch) Rx(roll)``, [rad]."""
    pitch = -np.arcsin(np.clip(R[2, 0], -1.0, 1.0))
    return np.array([np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0])])


def place_terms(policy: PolicyTable, model: TreeModel, default: Floats) -> list[Term]:
    """Find the terms on a body.

    Args:
        policy: the settings.
        model: the body.
        default: shape (n_joints,), positions of a zero action, [rad or m].

    Raises:
        SettingError: if the body has no such quantity, or a key is missing.
    """
    return [
        _placed(table, f"observation[{k}] {table.term}", policy, model, default)
        for k, table in enumerate(policy.observation)
    ]


def _placed(
    table: TermTable, where: str, policy: PolicyTable, model: TreeModel, default: Floats
) -> Term:
    if table.term in OF_BASE and model.base != "floating":
        raise SettingError(f"{where}: the base of the body is {model.base}", "file")
    names: Sequence[str] = table.joints or policy.joints
    size: int | None = len(names)
    if table.term in ("joint_positions", "joint_velocities"):
        at = indices(names, model, where)
        quantity = _of_joints(table.term, at, model, default)
        return Term(table, size, quantity, values(table.scale, names, where))
    if table.term == "sensor":
        size, quantity = None, _of_sensor(table, where)
    elif table.term == "contact_flags":
        size, quantity = None, lambda seen, _: seen.signals.contact_flags.astype(float)
    elif table.term == "last_action":
        size, quantity = len(policy.joints), lambda _, inputs: inputs.action
    elif table.term == "command":
        size, quantity = len(policy.command), lambda _, inputs: inputs.command
    elif table.term in ("phase_sin", "phase_cos"):
        size, quantity = 1, _of_clock(table, where)
    else:
        size, quantity = _of_base(table)
    if isinstance(table.scale, dict):
        raise SettingError(f"{where}: scale by pattern is for joints", "file")
    if size is not None:
        return Term(table, size, quantity, values(table.scale, ["?"] * size, where))
    return Term(table, size, quantity, np.array(table.scale, float))


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


def _of_joints(term: str, at: Sequence[int], model: TreeModel, default: Floats) -> Quantity:
    n, places = len(model.joint_names), np.array(at)
    q_at, v_at, zero = places + model.nq - n, places + model.nv - n, default[places]
    if term == "joint_positions":
        return lambda seen, _: seen.q[q_at] - zero
    return lambda seen, _: seen.v[v_at]


def _of_base(table: TermTable) -> tuple[int, Quantity]:
    if table.term == "projected_gravity":
        return 3, lambda seen, _: -rotation(seen.q)[2]
    if table.term == "base_rpy":
        return 3, lambda seen, _: _rpy(rotation(seen.q))
    if table.term == "base_height":
        return 1, lambda seen, _: seen.q[2:3]
    part = slice(0, 3) if table.term == "base_linear_velocity" else slice(3, 6)
    if table.axes == "world":
        return 3, lambda seen, _: rotation(seen.q) @ seen.v[part]
    return 3, lambda seen, _: seen.v[part]


def _of_clock(table: TermTable, where: str) -> Quantity:
    frequency, wave = table.frequency, np.sin if table.term == "phase_sin" else np.cos
    if frequency is None:
        raise SettingError(f"{where}: needs the key frequency, [Hz]", "file")
    return lambda seen, _: wave([2.0 * np.pi * ((frequency * seen.time + table.phase) % 1.0)])


def _of_sensor(table: TermTable, where: str) -> Quantity:
    if not (table.sensor and table.field):
        raise SettingError(f"{where}: needs the keys sensor and field", "file")

    def read(seen: Observation, _: Inputs) -> Floats:
        reading = seen.sensors.get(table.sensor)
        if reading is None:
            hint = nearest(table.sensor, seen.sensors, "sensors")
            raise SimulationError(f"policy: {where}: the body has no {table.sensor!r}{hint}")
        if not hasattr(reading, table.field):
            raise SimulationError(f"policy: {where}: {table.sensor} measures no {table.field!r}")
        return np.ravel(np.asarray(getattr(reading, table.field), float))

    return read
