"""Bring values given in Python or read from TOML to plain tables, arrays, numbers and text."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from footfall.config.toml_lines import KeyPath
    from footfall.config.where import Where


def plain(value: Any, where: Where, path: KeyPath) -> Any:
    """Return a value made of dict, list, str, bool, int and float alone.

    Arrays and numbers of NumPy, tuples and paths are converted; nothing else is.

    Raises:
        SceneError: for any other type, e.g. a date or None.
    """
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise where.error(f"keys must be text, got {key!r}", path)
        return {key: plain(part, where, (*path, key)) for key, part in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(part, where, (*path, i)) for i, part in enumerate(value)]
    if isinstance(value, PathLike):
        return str(value)
    if isinstance(value, str | bool | int | float):
        return value
    raise where.error(
        f"must be a number, text, true or false, an array or a table, got {value!r}", path
    )
