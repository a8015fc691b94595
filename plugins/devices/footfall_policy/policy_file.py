"""The side file of a network: what it sees, and how its actions drive the joints."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, ValidationError, field_validator, model_validator

from footfall.api.advanced import read_toml
from footfall.api.device import values_by_name
from footfall.api.plugin import (
    Floats,
    NonNegative,
    PluginConfig,
    Positive,
    RobotError,
    SettingError,
    Text,
    nearest,
)
from footfall_policy.onnx_file import OnnxFile

SUFFIX, UNKNOWN = ".policy.toml", "?"
"""Ending of side files, and the text that marks a value to fill in."""
Values = float | tuple[float, ...] | dict[str, float]
Gains = NonNegative | tuple[NonNegative, ...] | dict[str, NonNegative]
TERMS = (
    *("base_linear_velocity", "base_angular_velocity", "projected_gravity", "base_rpy"),
    *("base_height", "joint_positions", "joint_velocities", "last_action", "command"),
    *("phase_sin", "phase_cos", "contact_flags", "sensor"),
)
"""Names of the terms of an observation."""
OWN_KEYS = {
    "axes": ("base_linear_velocity", "base_angular_velocity"),
    "joints": ("joint_positions", "joint_velocities"),
    **dict.fromkeys(("frequency", "phase"), ("phase_sin", "phase_cos")),
    **dict.fromkeys(("sensor", "field"), ("sensor",)),
}
"""Keys of a term that only some have."""


def _each_once(joints: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse a joint that is named again."""
    for name, times in Counter(joints).items():
        if times > 1:
            told = "twice" if times == 2 else f"{times} times"
            raise ValueError(f"the joint {name!r} is named {told}")
    return joints


class TermTable(PluginConfig):
    """One term of the observation: ``clip((x + offset) scale) + noise``, ``history`` times."""

    term: str
    """Quantity: velocities of the base's origin [m/s, rad/s]; the unit vector of gravity in the
    base's axes; roll, pitch and yaw [rad]; height of the base [m]; joint positions from the
    default, joint velocities, in the order of ``joints``; the last action, before scale and filter;
    the command; sine or cosine of a clock; contacts that touch (1 or 0); a field of a sensor of the
    scene, e.g. ``ray``."""
    scale: Values = 1.0
    """Factor, one for all or one for each entry; of joints also by pattern, [-]."""
    offset: float = 0.0
    """Added before the factor, [unit of the term]."""
    clip: Positive | None = None
    """Largest absolute value after the factor, [-]."""
    noise: Annotated[NonNegative, Field(le=1e6)] = 0.0
    """Largest absolute value of uniform noise, added last, [-]."""
    history: Annotated[int, Field(ge=1, le=1000)] = 1
    """Number of ticks that are seen, the oldest first."""
    axes: Literal["body", "world"] = "body"
    """Axes of the velocities of the base."""
    joints: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    """Joints of this term in order; by default those of the policy."""
    frequency: Positive | None = None
    """Frequency of the clock, [Hz]."""
    phase: float = 0.0
    """Phase of the clock at time zero, in cycles, [-]."""
    sensor: str = ""
    """Name of a sensor of the body."""
    field: str = ""
    """Field of its reading, e.g. ``distance``."""

    _once = field_validator("joints")(_each_once)

    @field_validator("term")
    @classmethod
    def _known(cls, term: str) -> str:
        if term not in TERMS:
            hint = nearest(term, TERMS) or f" (terms: {', '.join(TERMS)})"
            raise ValueError(f"there is no term {term!r}{hint}")
        return term

    @model_validator(mode="after")
    def _used(self) -> Self:
        for key, terms in OWN_KEYS.items():
            if key in self.model_fields_set and self.term not in terms:
                raise ValueError(f"{key} has no effect on {self.term}")
        return self


class ActionTable(PluginConfig):
    """The way from an action to the joints."""

    kind: Literal["position", "torque"] = "position"
    """``position``: targets of the gains, ``default + scale a``; ``torque``: ``scale a``."""
    scale: Values = 1.0
    """Factor, one for all joints, one for each, or by pattern, [rad or m, N m or N]."""
    clip: Positive | None = None
    """Largest absolute value of an action before the factor, [-]."""
    filter: Annotated[float, Field(ge=0.0, lt=1.0)] = 0.0
    """Share of the last filtered action: ``a' = (1 - filter) a + filter a'_last``, [-]."""


class OthersTable(PluginConfig):
    """Gains of joints that the policy does not drive; they hold the starting posture."""

    stiffness: NonNegative
    """Proportional gain, [N m/rad or N/m]."""
    damping: NonNegative
    """Derivative gain, [N m s/rad or N s/m]."""


class PolicyTable(PluginConfig):
    """A side file."""

    network: Text
    """The network's file, relative to this one: ``.onnx`` or ``.npz``."""
    activation: str = "elu"
    """Function between the layers of an ``.npz``: elu, relu, tanh, sigmoid, silu."""
    rate: Positive
    """Calls of the network per second, [Hz]."""
    delay: Annotated[NonNegative, Field(le=10.0)] = 0.0
    """Delay from observation to action, [s]."""
    joints: Annotated[tuple[Text, ...], Field(min_length=1)]
    """Names of the joints in the order of the actions."""
    default: Values = 0.0
    """Joint positions of a zero action, [rad or m]."""
    stiffness: Gains = 0.0
    """Proportional gains, [N m/rad or N/m]."""
    damping: Gains = 0.0
    """Derivative gains, [N m s/rad or N s/m]."""
    command: tuple[float, ...] = ()
    """Command unless the scene gives one; usually velocity forwards and to the left [m/s] and
    turn rate [rad/s]."""
    action: ActionTable = ActionTable()
    """The way from an action to the joints."""
    others: OthersTable | None = None
    """Gains of joints that the policy does not drive."""
    frames: Annotated[int, Field(ge=1, le=1000)] = 1
    """Number of whole observations that are seen, the oldest first."""
    observation: Annotated[tuple[TermTable, ...], Field(min_length=1)]
    """Terms of the observation, in order."""

    _once = field_validator("joints")(_each_once)


def read_policy(file: Path) -> tuple[PolicyTable, Path]:
    """Return the settings of a policy and the path of its network.

    Args:
        file: a side file; or an ``.onnx`` with mjlab's metadata, or with a side file beside it.

    Raises:
        SettingError: if there are no settings, or one is missing or not allowed.
        PluginError: if the network cannot be read.
    """
    beside = file.with_name(file.stem + SUFFIX)
    if file.suffix == ".onnx" and not beside.is_file():
        metadata = OnnxFile(file).metadata
        if "joint_names" not in metadata:
            raise SettingError(
                f"{file} has no metadata of its joints and no {beside.name} beside it: "
                f"footfall policy init {file.name} --robot ROBOT writes one",
                "file",
            )
        return _validated(file, of_metadata(file, metadata)), file
    if file.suffix in (".onnx", ".npz"):
        if not beside.is_file():
            raise SettingError(f"{file}: there is no {beside.name} beside it", "file")
        file = beside
    table = _validated(file, read_toml(file).data)
    path = file.parent / table.network
    try:
        there = path.is_file()
    except OSError:  # its name is too long
        there = False
    if not there:
        raise SettingError(f"{file}: network: there is no file {path}", "file")
    if not path.resolve().is_relative_to(file.parent.resolve()):
        raise SettingError(f"{file}: network: {table.network} is outside of its folder", "file")
    return table, path


def _validated(file: Path, table: Mapping[str, Any]) -> PolicyTable:
    unknown = sorted(key for key, value in _flat(table) if value == UNKNOWN)
    if unknown:
        raise SettingError(f'{file}: {unknown[0]} is "{UNKNOWN}": fill it in', "file")
    try:
        return PolicyTable.model_validate_json(json.dumps(table, default=str))
    except ValidationError as error:
        of_one = [one for one in error.errors() if one["loc"][:1] == error.errors()[0]["loc"][:1]]
        first = max(of_one, key=lambda one: len(_place(table, one)))
        key = ".".join(_place(table, first)) or "the file"
        told = str(first["msg"]).removeprefix("Value error, ")
        known = ", ".join(PolicyTable.model_fields)
        hint = f" (keys: {known})" if first["type"] == "extra_forbidden" else ""
        raise SettingError(f"{file}: {key}: {told}{hint}", "file") from error


def _place(value: Any, error: Mapping[str, Any]) -> list[str]:
    """Return the keys to a wrong value, without names of types where it may have one of several."""
    kept: list[str] = []
    for part in error["loc"]:
        if isinstance(value, dict | list) and (isinstance(part, int) or part in value):
            value = value[part]
            kept.append(str(part))
    return [*kept, str(error["loc"][-1])] if error["type"] == "missing" else kept


def _flat(value: Any, key: str = "") -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [row for k, part in value.items() for row in _flat(part, f"{key}.{k}".strip("."))]
    if isinstance(value, list):
        return [row for k, part in enumerate(value) for row in _flat(part, f"{key}[{k}]")]
    return [(key, value)]


def values(given: Values, names: Sequence[str], where: str) -> Floats:
    """Return one value for each name.

    Raises:
        SettingError: if their number is another, or a pattern matches no name.
    """
    if isinstance(given, dict):
        try:
            found = values_by_name(given, names, where)
        except RobotError as error:
            raise SettingError(str(error), "file") from error
        missing = next((name for name in names if name not in found), None)
        if missing is not None:
            raise SettingError(f"{where}: no value for {missing}", "file")
        return np.array([found[name] for name in names], float)
    listed = np.array(given, float)
    if listed.ndim and len(listed) != len(names):
        raise SettingError(
            f"{where}: needs {len(names)} values, one each, got {len(listed)}", "file"
        )
    return np.broadcast_to(listed, (len(names),)).copy()


MJLAB_TERMS = {
    "base_lin_vel": "base_linear_velocity",
    "base_ang_vel": "base_angular_velocity",
    "projected_gravity": "projected_gravity",
    "joint_pos": "joint_positions",
    "joint_vel": "joint_velocities",
    "actions": "last_action",
    "last_action": "last_action",
    "command": "command",
    "velocity_commands": "command",
    "twist": "command",
}
"""Terms by mjlab's names of observations."""
MJLAB_RATE = 50.0
"""Rate of mjlab's tasks, which its metadata leave out, [Hz]."""


def of_metadata(file: Path, metadata: Mapping[str, str]) -> dict[str, Any]:
    """Return a side file's table from metadata as mjlab writes them.

    Raises:
        SettingError: if a key is missing, or holds another number of values than joints.
    """

    def listed(key: str) -> list[str]:
        if key not in metadata:
            raise SettingError(f"{file}: its metadata have no {key}", "file")
        return [part.strip() for part in metadata[key].split(",") if part.strip()]

    def numbers(key: str) -> list[float]:
        try:
            found = [float(part) for part in listed(key)]
        except ValueError as error:
            raise SettingError(f"{file}: metadata {key}: {error}", "file") from error
        if not np.isfinite(found).all():
            raise SettingError(f"{file}: metadata {key}: a number is not finite", "file")
        if len(found) not in (1, len(joints)):
            told = f"{len(found)} values for {len(joints)} joints"
            raise SettingError(f"{file}: metadata {key}: {told}", "file")
        return found * (len(joints) if len(found) == 1 else 1)

    joints, commands = listed("joint_names"), listed("command_names")
    terms = {**MJLAB_TERMS, **dict.fromkeys(commands, "command")}
    names = listed("observation_names")
    unknown = next((name for name in names if name not in terms), None)
    if unknown is not None:
        told = f"no term for the observation {unknown!r}: write a file {file.stem}{SUFFIX}"
        raise SettingError(f"{file}: {told}", "file")
    return {
        "network": file.name,
        "rate": MJLAB_RATE,
        "joints": joints,
        "default": numbers("default_joint_pos"),
        "stiffness": numbers("joint_stiffness"),
        "damping": numbers("joint_damping"),
        "command": [0.0, 0.0, 0.0] if "command" in [terms[name] for name in names] else [],
        "action": {"scale": numbers("action_scale")},
        "observation": [{"term": terms[name]} for name in names],
    }
