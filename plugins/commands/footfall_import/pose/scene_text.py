"""Editor of tables in a scene's text; all other lines and comments are kept."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from footfall.api.command import Key
from footfall.api.plugin import SceneError

HEADER = re.compile(r"[ \t]*\[(\[)?(?P<key>[^\[\]]+)\]")


def with_values(text: str, table: Sequence[str], values: Mapping[str, Any]) -> str:
    """Return a scene's text with new values of a table and nothing else changed.

    Args:
        text: text of the scene.
        table: path of the table, e.g. ``("bodies", "panda", "joint_positions")``.
        values: all values of the table, numbers or arrays of numbers.

    Raises:
        SceneError: if the table is written in a form that cannot be edited.
    """
    lines = _without_line(text.splitlines(), table)
    start, end = _span(lines, table)
    new = [f"[{Key(tuple(table))!s}]", *(f"{Key((k,))!s} = {_toml(v)}" for k, v in values.items())]
    gap = [""] if start == end and lines and lines[-1].strip() else []
    edited = "\n".join([*lines[:start], *gap, *new, *lines[end:]]) + "\n"
    wanted: Any = tomllib.loads(text)
    place = wanted
    for key in table[:-1]:
        place = place.setdefault(key, {})
    place[table[-1]] = dict(values)
    _require_same(edited, wanted, table)
    return edited


def with_keys(text: str, table: Sequence[str], values: Mapping[str, Any]) -> str:
    """Return a scene's text with new values of single keys of a table.

    Args:
        text: text of the scene.
        table: path of the table, which must have its own header.
        values: arrays of numbers by key.

    Raises:
        SceneError: if the table is written in a form that cannot be edited.
    """
    lines = text.splitlines()
    start, end = _span(lines, table)
    body = [line for line in lines[start + 1 : end] if line.partition("=")[0].strip() not in values]
    new = [f"{key} = {_toml(value)}" for key, value in values.items()]
    head = lines[: start + 1] if end > start else [*lines, f"[{Key(tuple(table))!s}]"]
    edited = "\n".join([*head, *new, *body, *lines[end:]]) + "\n"
    wanted: Any = tomllib.loads(text)
    place = wanted
    for key in table:
        place = place.setdefault(key, {})
    place |= {key: list(value) for key, value in values.items()}
    _require_same(edited, wanted, table)
    return edited


def _span(lines: Sequence[str], table: Sequence[str]) -> tuple[int, int]:
    """Return the first and end line of a table; the end of the text, twice, if it is missing."""
    headers = []
    for number, line in enumerate(lines):
        found = HEADER.match(line)
        if found:
            try:
                headers.append((number, tuple(Key.parse(found["key"].strip()))))
            except ValueError:  # a row of an array
                continue
    for position, (number, key) in enumerate(headers):
        if key == tuple(table):
            later = headers[position + 1 :]
            end = later[0][0] if later else len(lines)
            while end > number + 1 and (
                not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")
            ):
                end -= 1
            return number, end
    return len(lines), len(lines)


def _without_line(lines: list[str], table: Sequence[str]) -> list[str]:
    """Return the lines without the inline form of a table in its outer table."""
    start, end = _span(lines, table[:-1])
    kept = list(lines)
    for number in range(start + 1, end):
        name, sign, _ = lines[number].partition("=")
        try:
            alone = sign and tuple(Key.parse(name.strip())) == (table[-1],)
            if alone and tomllib.loads(lines[number]):
                kept.pop(number)
        except ValueError:  # part of a value of several lines
            continue
    return kept


def _require_same(edited: str, wanted: Any, table: Sequence[str]) -> None:
    try:
        same = tomllib.loads(edited) == wanted
    except tomllib.TOMLDecodeError:
        same = False
    if not same:
        key = Key(tuple(table))
        raise SceneError(f"{key} cannot be written: give it its own table, [{key}]")


def _toml(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return repr(float(value))
