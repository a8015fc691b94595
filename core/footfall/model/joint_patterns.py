"""Joints by name or by pattern (``*``, ``?``, ``[...]``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TypeVar

from footfall.errors import RobotError, nearest

T = TypeVar("T")


def match(pattern: str, names: Sequence[str], where: str) -> list[str]:
    """Return the names that a pattern stands for; a pattern that is itself a name is only that.

    Args:
        pattern: a name or a pattern.
        names: the joints there are.
        where: file and key that the pattern is from, for the error.

    Raises:
        RobotError: if there are none; offers the nearest name.
    """
    found = [pattern] if pattern in names else [n for n in names if fnmatchcase(n, pattern)]
    if not found:
        hint = nearest(pattern, names) or f" (joints: {', '.join(names) or 'none'})"
        raise RobotError(f"{where}: no joint is named or matches {pattern!r}{hint}")
    return found


def select(patterns: Iterable[str], names: Sequence[str], where: str) -> tuple[str, ...]:
    """Return the names that any of the patterns stands for, in the order of ``names``.

    Raises:
        RobotError: if a pattern stands for no name.
    """
    chosen = {name for pattern in patterns for name in match(pattern, names, where)}
    return tuple(name for name in names if name in chosen)


def assign(table: Mapping[str, T], names: Sequence[str], where: str) -> dict[str, T]:
    """Return the value of each name that a table of patterns has one for; later patterns win.

    Raises:
        RobotError: if a pattern stands for no name.
    """
    values: dict[str, T] = {}
    for pattern, value in table.items():
        values |= dict.fromkeys(match(pattern, names, where), value)
    return values
