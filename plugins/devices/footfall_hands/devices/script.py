"""The waypoints of a scripted hand, and the files that hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.api.advanced import read_arrays, read_table
from footfall.api.plugin import Floats, SettingError, nearest

WIDTHS = {"time": (), "position": (3,), "orientation": (3,), "force": (3,), "holds": ()}
"""Arrays of a script, and the shape of one row of each."""
COLUMNS = {
    "position": ("x", "y", "z"),
    "orientation": ("roll", "pitch", "yaw"),
    "force": ("fx", "fy", "fz"),
    "holds": ("holds",),
}
"""Column names of CSV files."""


@dataclass(frozen=True, slots=True, eq=False)
class Script:
    """Motion of a hand over time, n waypoints.

    Attributes:
        time: shape (n,), ascending, [s].
        position: shape (n, 3), world, [m].
        orientation: shape (n, 3), roll, pitch and yaw, [rad]; None if not given.
        force: shape (n, 3), world, [N]; None if not given.
        holds: shape (n,), whether the hand is closed from each waypoint to the next.
        links: n names; None for a waypoint without a link.
    """

    time: Floats
    position: Floats
    orientation: Floats | None
    force: Floats | None
    holds: npt.NDArray[np.bool_]
    links: tuple[str | None, ...]

    @classmethod
    def of(
        cls, rows: Mapping[str, Any], key: str, links: tuple[str | None, ...] | None = None
    ) -> Script:
        """Check rows and build a script from them.

        Args:
            rows: arrays by name; only time and position are required; None counts as missing.
            key: setting that they come from, for errors.
            links: link name of each row; None if no row has one.

        Raises:
            SettingError: if sizes differ, a value is not finite or is given for only some
                waypoints, or time does not increase.
        """
        arrays = {name: _array(name, rows[name], key) for name in rows}
        n = len(rows.get("time", ()))
        for name, array in arrays.items():
            if array is not None and array.shape != (n, *WIDTHS[name]):
                raise SettingError(f"{name} has shape {array.shape}, time has ({n},)", key)
        time, position, holds = arrays["time"], arrays["position"], arrays.get("holds")
        if time is None or position is None or n < 2:
            raise SettingError("needs time and position of at least two waypoints", key)
        if (np.diff(time) <= 0.0).any():
            k = int(np.argmax(np.diff(time) <= 0.0))
            raise SettingError(f"time must increase, {time[k + 1]:g} s follows {time[k]:g} s", key)
        closed = np.ones(n, bool) if holds is None else holds != 0.0
        named = links if links is not None else (None,) * n
        return cls(time, position, arrays.get("orientation"), arrays.get("force"), closed, named)


def _array(name: str, values: Any, key: str) -> Floats | None:
    missing = [value is None for value in values]
    if any(missing):
        if all(missing):
            return None
        raise SettingError(f"{name} is given for some waypoints only: give all or none", key)
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SettingError(f"{name} must be numbers", key) from error
    if not np.isfinite(array).all():
        raise SettingError(f"{name} is not finite", key)
    return array


def read_script(file: str) -> Script:
    """Return the script in a CSV file or in an ``.npz`` archive.

    Raises:
        SettingError: if the file is not a script; names the file.
    """
    rows = _archived(file) if file.endswith(".npz") else _tabled(file)
    try:
        return Script.of(rows, "file")
    except SettingError as error:
        raise SettingError(f"{file}: {error.reason}", "file") from error


def _tabled(file: str) -> dict[str, Any]:
    optional = [name for group in COLUMNS.values() for name in group]
    columns = read_table(file, ("time", *COLUMNS["position"]), optional, missing=np.nan)
    rows: dict[str, Any] = {"time": columns["time"]}
    for group, names in COLUMNS.items():
        there = [name for name in names if not np.isnan(columns[name]).all()]
        if there and len(there) < len(names):
            lacking = next(name for name in names if name not in there)
            raise SettingError(f"{file}: {there[0]} but no column {lacking}", "file")
        if there:
            table = np.column_stack([columns[name] for name in names])
            rows[group] = table if WIDTHS[group] else table[:, 0]
    return rows


def _archived(file: str) -> dict[str, Any]:
    try:
        rows = read_arrays(file)
    except (OSError, ValueError) as error:
        raise SettingError(f"{file} cannot be read: {error}", "file") from error
    for name in rows:
        if name not in WIDTHS:
            raise SettingError(
                f"{file}: no array may be named {name!r}{nearest(name, WIDTHS)} "
                f"(allowed: {', '.join(WIDTHS)})",
                "file",
            )
        if rows[name].ndim == 0:
            raise SettingError(f"{file}: {name} must be an array", "file")
    for name in ("time", "position"):
        if name not in rows:
            raise SettingError(f"{file}: the array {name} is missing", "file")
    return rows
