"""Field types of scene files, robot files and plugins' Configs; look-up of functions and joints.

Units stand in the docstrings of the fields.
"""

from __future__ import annotations

import importlib
import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, ConfigDict, Field, ValidationInfo

from footfall.errors import USED, RobotError, nearest

T = TypeVar("T")

NAME_PATTERN = r"^[_A-Za-z][A-Za-z0-9_-]*$"
"""Regular expression of names in scene and robot files."""
ONE_LINE_PATTERN = r"^[^\r\n]*$"
FUNCTION_PATTERN = r"^[_A-Za-z][\w.]*:[_A-Za-z]\w*$"
PATTERNS = {
    FUNCTION_PATTERN: "module:function",
    NAME_PATTERN: "a simple name (letters, digits, _ and -, first a letter or _)",
    ONE_LINE_PATTERN: "one line of text",
}
"""Meanings of the patterns, for errors."""

Positive = Annotated[float, Field(gt=0.0, le=1e15)]
"""A number above 0 and up to 1e15."""
Mass = Annotated[float, Field(ge=1e-12, le=1e12)]
"""A mass, density or factor of masses, [kg], [kg/m^3] or [-]."""
Length = Annotated[float, Field(ge=1e-9, le=1e6)]
"""The size of a body, [m]; doubles cannot resolve the parts of larger or smaller bodies."""
Coordinate = Annotated[float, Field(ge=-1e6, le=1e6)]
"""A position, angle or velocity, [m], [rad] or per second; doubles resolve it to 1e-10."""
Effort = Annotated[float, Field(ge=-1e12, le=1e12)]
"""A force or moment, [N] or [N m]."""
NonNegative = Annotated[float, Field(ge=0.0)]
"""A number from zero up."""
UnitInterval = Annotated[float, Field(ge=0.0, le=1.0)]
"""A number from 0 to 1."""
PositiveInt = Annotated[int, Field(ge=1)]
"""A whole number from 1 up."""
NonNegativeInt = Annotated[int, Field(ge=0)]
"""A whole number from 0 up."""
Name = Annotated[str, Field(pattern=NAME_PATTERN)]
"""A simple name: letters, digits, ``_`` and ``-``, not beginning with a digit or ``-``."""
Text = Annotated[str, Field(min_length=1)]
"""Text that is not empty."""
OneLine = Annotated[str, Field(pattern=ONE_LINE_PATTERN)]
"""Text without line breaks."""
Vector3 = tuple[Coordinate, Coordinate, Coordinate]
"""An array of three numbers, lengths, angles or velocities."""


def _normalized(vector: Vector3) -> Vector3:
    norm = math.hypot(*vector)
    if norm == 0.0:
        raise ValueError("must be a direction, not zero")
    # A vector of unit length up to rounding is kept, so that validating twice gives the same bits.
    if abs(norm - 1.0) <= 4 * 2.0**-53:
        return vector
    x, y, z = (part / norm for part in vector)
    return (x, y, z)


UnitVector3 = Annotated[Vector3, AfterValidator(_normalized)]
"""A direction: any nonzero vector; becomes a unit vector."""


def _found(name: str, info: ValidationInfo) -> str:
    """Return a file's absolute path, searched beside the scene, then in the current folder."""
    return _seek(name, info, Path.is_file, "a file that exists")


def _found_path(name: str, info: ValidationInfo) -> str:
    """Return the absolute path of a file or folder, searched as in ``_found``."""
    return _seek(name, info, lambda p: p.is_file() or p.is_dir(), "a file or folder that exists")


def _seek(name: str, info: ValidationInfo, suits: Callable[[Path], bool], what: str) -> str:
    context = info.context if isinstance(info.context, dict) else {}
    given = Path(os.path.expanduser(name))
    folders = [Path(context.get("folder") or "."), Path()]
    paths = [(folder / given).resolve() for folder in folders]
    for path in paths:
        if suits(path):
            return str(path)
    beside = [other for path in paths if path.parent.is_dir() for other in path.parent.iterdir()]
    offer = nearest(given.name, [other.name for other in beside if suits(other)])
    raise ValueError(f"must be {what}{offer}")


DataFile = Annotated[str, Field(min_length=1), AfterValidator(_found)]
"""A file, relative to the scene's folder or else to the current one; becomes absolute."""
DataPath = Annotated[str, Field(min_length=1), AfterValidator(_found_path)]
"""A file or folder, relative to the scene's folder or else to the current one."""
FunctionName = Annotated[str, Field(pattern=FUNCTION_PATTERN)]
"""A function, ``module:function``; see ``footfall.config.fields``."""


SCHEMA = ConfigDict(
    frozen=True,
    extra="forbid",
    strict=True,
    allow_inf_nan=False,
    validate_default=True,
    use_attribute_docstrings=True,
)
OPEN_SCHEMA: ConfigDict = {**SCHEMA, "extra": "allow"}
"""``SCHEMA`` for tables that also hold the keys of a chosen plugin."""


def load_function(reference: str) -> Callable[..., Any]:
    """Import and return the function ``module:function``; the current folder is searched too.

    Raises:
        ValueError: if there is no such module or function, or the object is not callable.
    """
    module, name = reference.split(":")
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        function = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{reference}: {error}") from error
    if not callable(function):
        raise ValueError(f"{reference} is not callable")
    USED.add(module.partition(".")[0])
    loaded: Callable[..., Any] = function
    return loaded


def match_joints(pattern: str, names: Sequence[str], where: str) -> list[str]:
    """Return the joints that match a pattern (``*``, ``?``, ``[...]``).

    A pattern that equals a name matches only this name.

    Args:
        pattern: a name or a pattern.
        names: all joints.
        where: file and key of the pattern, for the error.

    Raises:
        RobotError: if no joint matches; offers the nearest name.
    """
    found = [pattern] if pattern in names else [n for n in names if fnmatchcase(n, pattern)]
    if not found:
        hint = nearest(pattern, names) or f" (joints: {', '.join(names) or 'none'})"
        raise RobotError(f"{where}: no joint is named or matches {pattern!r}{hint}")
    return found


def names_matching(patterns: Iterable[str], names: Sequence[str], where: str) -> tuple[str, ...]:
    """Return the names that match any of the patterns, in the order of ``names``.

    Raises:
        RobotError: if a pattern matches no name.
    """
    chosen = {name for pattern in patterns for name in match_joints(pattern, names, where)}
    return tuple(name for name in names if name in chosen)


def values_by_name(table: Mapping[str, T], names: Sequence[str], where: str) -> dict[str, T]:
    """Return the value of each name that matches a pattern of the table; later patterns win.

    Raises:
        RobotError: if a pattern matches no name.
    """
    values: dict[str, T] = {}
    for pattern, value in table.items():
        values |= dict.fromkeys(match_joints(pattern, names, where), value)
    return values
