"""Tables of numbers over time, from CSV files."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np

from footfall.errors import SettingError, nearest
from footfall.typing import Floats
from footfall.whole_file import number, open_file


def read_table(
    file: str,
    required: Sequence[str],
    optional: Sequence[str],
    key: str = "file",
    missing: float = 0.0,
) -> dict[str, Floats]:
    """Return the columns of a CSV file whose first line holds their names.

    The column ``time`` must increase. Lines that are empty or begin with ``#`` are skipped.

    Args:
        file: path.
        required: names of columns that must be present.
        optional: names of columns that may be present.
        key: the setting that names the file, for errors.
        missing: value of the optional columns that are not in the file.

    Raises:
        SettingError: if the file is not such a table; names the line.
    """
    try:
        with io.TextIOWrapper(open_file(file), encoding="utf-8", newline="") as stream:
            rows = [(n, row) for n, row in enumerate(csv.reader(stream), 1) if "".join(row).strip()]
            lines = [(n, row) for n, row in rows if not row[0].lstrip().startswith("#")]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SettingError(f"{file} cannot be read: {error}", key) from error
    if len(lines) < 3:
        raise SettingError(f"{file} needs a line of names and at least two rows", key)
    names = [name.strip() for name in lines[0][1]]
    _check_names(file, names, required, optional, key)
    values = np.array([_numbers(file, n, row, len(names), key) for n, row in lines[1:]])
    columns = {name: np.ascontiguousarray(values[:, k]) for k, name in enumerate(names)}
    time = columns.get("time")
    if time is not None and (np.diff(time) <= 0.0).any():
        k = int(np.argmax(np.diff(time) <= 0.0)) + 1
        raise SettingError(
            f"{file}: line {lines[k + 1][0]}: time must increase, {time[k]:g} s follows "
            f"{time[k - 1]:g} s",
            key,
        )
    return {**{name: np.full(len(values), missing) for name in optional}, **columns}


def _check_names(
    file: str, names: list[str], required: Sequence[str], optional: Sequence[str], key: str
) -> None:
    known = [*required, *optional]
    for name in names:
        if name not in known:
            offer = nearest(name, known)
            raise SettingError(
                f"{file}: no column may be named {name!r}{offer} (allowed: {', '.join(known)})", key
            )
    for name in required:
        if name not in names:
            raise SettingError(f"{file}: the column {name} is missing", key)
    if len(set(names)) < len(names):
        raise SettingError(f"{file}: two columns have the same name", key)


def _numbers(file: str, line: int, row: list[str], width: int, key: str) -> list[float]:
    if len(row) != width:
        raise SettingError(f"{file}: line {line} has {len(row)} numbers, expected {width}", key)
    try:
        values = [number(cell) for cell in row]
    except ValueError as error:
        raise SettingError(f"{file}: line {line}: {error}", key) from error
    if not np.isfinite(values).all():
        raise SettingError(f"{file}: line {line} holds a number that is not finite", key)
    return values
