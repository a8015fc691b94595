"""Read joint trajectories: CSV, NumPy's archive, a recording of Footfall."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from footfall.api.advanced import read_arrays, read_table
from footfall.api.plugin import Floats, RecordingError, SettingError, nearest
from footfall_controllers.trajectory.rows import Rows, checked

RATE, TORQUE = ".rate", ".torque"
"""Endings of column names in CSV files, after a joint's name."""
ARRAYS = ("time", "joints", "position", "rate", "torque")
"""Arrays of NumPy archives; the last two may be missing."""


def read_trajectory(file: str, joints: Sequence[str], prefix: str = "") -> Rows:
    """Return the joint trajectories in a file.

    Args:
        file: path of a recording (a folder), of an archive (``.npz``), or else of a CSV file.
        joints: names of the body's joints.
        prefix: prefix of the joints' names in a recording of several bodies.

    Raises:
        SettingError: if the file is not such a file, or names an unknown joint.
    """
    if Path(file).is_dir():
        return checked(_recorded(file, joints, prefix), joints)
    if prefix:
        raise SettingError("has an effect for recordings only", "body")
    if file.endswith(".npz"):
        return checked(_archived(file), joints)
    return checked(_tabled(file, joints), joints)


def _tabled(file: str, joints: Sequence[str]) -> Rows:
    allowed = [f"{name}{ending}" for name in joints for ending in ("", RATE, TORQUE)]
    columns = read_table(file, ("time",), allowed, missing=np.nan)
    given = {name for name, values in columns.items() if not np.isnan(values[0])}
    there = tuple(name for name in joints if name in given)
    for name in joints:
        for ending in (RATE, TORQUE):
            if f"{name}{ending}" in given and name not in given:
                raise SettingError(f"{file}: column {name}{ending} but no column {name}", "file")
    if not there:
        raise SettingError(f"{file}: no column has the name of a joint", "file")

    def part(ending: str) -> Floats | None:
        having = [name for name in there if f"{name}{ending}" in given]
        if having and len(having) < len(there):
            missing = next(name for name in there if name not in having)
            raise SettingError(f"{file}: the column {missing}{ending} is missing", "file")
        return np.column_stack([columns[f"{name}{ending}"] for name in there]) if having else None

    position = part("")
    assert position is not None
    return Rows(file, columns["time"], there, position, part(RATE), part(TORQUE))


def _archived(file: str) -> Rows:
    try:
        arrays = read_arrays(file)
    except (OSError, ValueError) as error:
        raise SettingError(f"{file} cannot be read: {error}", "file") from error
    for name in arrays:
        if name not in ARRAYS:
            raise SettingError(
                f"{file}: no array may be named {name!r}{nearest(name, ARRAYS)} "
                f"(allowed: {', '.join(ARRAYS)})",
                "file",
            )
    for name in ARRAYS[:3]:
        if name not in arrays:
            raise SettingError(f"{file}: the array {name} is missing", "file")
    numbers: dict[str, Floats] = {}
    for name in (name for name in arrays if name != "joints"):
        try:
            numbers[name] = np.asarray(arrays[name], dtype=np.float64)
        except ValueError as error:
            raise SettingError(f"{file}: {name} must be numbers", "file") from error
    if numbers["time"].ndim != 1 or arrays["joints"].ndim != 1:
        raise SettingError(f"{file}: time and joints must have one dimension", "file")
    names = tuple(str(name) for name in arrays["joints"])
    position, rate, torque = (numbers.get(name) for name in ARRAYS[2:])
    assert position is not None
    return Rows(file, numbers["time"], names, position, rate, torque)


def _recorded(file: str, joints: Sequence[str], prefix: str) -> Rows:
    from footfall import open_run

    try:
        run = open_run(file)
    except RecordingError as error:
        raise SettingError(str(error), "file") from error
    if "joint_position" not in run:
        raise SettingError(f"{file}: the recording has no positions of joints", "file")
    before = f"{prefix}/" if prefix else ""
    names = [str(name) for name in run["joint"].values]
    if before:
        names = [name for name in names if name.startswith(before)]
    if before and not names:
        raise SettingError(f"no body {prefix!r} in the recording {file}", "body")
    chosen = run.sel(joint=names)
    position, rate, torque = (
        np.array(chosen[name].values, dtype=np.float64) if name in chosen else None
        for name in ("joint_position", "joint_velocity", "joint_torque")
    )
    assert position is not None
    stripped = tuple(name.removeprefix(before) for name in names)
    return Rows(file, np.array(run["time"].values, float), stripped, position, rate, torque)
