"""Overrides: changes of scene keys on the command line or in Python, as if in the file."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from footfall.config.toml import (
    DEEPEST,
    TOO_DEEP,
    Key,
    KeyPath,
    TomlFile,
    dotted,
    parse_key,
    parse_toml,
)
from footfall.errors import SceneError, nearest

Overrides = Mapping[str, Any]
"""Values by dotted key, or nested: ``{"contact.plugin": "gauss"}``, ``{"contact": {...}}``."""


def parse_assignments(
    assignments: Iterable[str], options: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Parse ``a.b.c=VALUE`` of the command line; VALUE is TOML, a bare word is text.

    If a key is assigned twice, the last value counts.

    Args:
        assignments: assignments of keys.
        options: values of further options by key; None if not given.

    Raises:
        SceneError: if an assignment has another form, or an option sets the same key.
    """
    values: dict[str, Any] = {}
    for assignment in assignments:
        key, equals, value = Key.split(assignment)
        if not equals:
            raise SceneError(f"an override must be KEY=VALUE, got {assignment!r}")
        values[key] = parse_value(value.strip(), assignment)
    for key, value in (options or {}).items():
        if value is not None:
            if key in values:
                raise SceneError("is set by --set and by its own option: leave one out", key=key)
            values[key] = value
    return values


RENAMED = {"backend": "simulator"}
"""Tables of a scene by their names of before; both names are read in this version."""


def renamed_tables(
    data: Mapping[str, Any], lines: Mapping[KeyPath, int | None]
) -> tuple[dict[str, Any], dict[KeyPath, int | None], tuple[str, ...]]:
    """Return tables, lines of keys, and notes, with tables under their names of today.

    Raises:
        SceneError: if a table is given under both names.
    """
    notes = []
    for old, new in RENAMED.items():
        if old in data:
            if new in data:
                raise SceneError(f"is called {new} now, which is given as well", key=old)
            notes.append(f"[{old}] is called [{new}] now; the next version will refuse it")
    tables = {RENAMED.get(key, key): value for key, value in data.items()}
    places = {_today(key): line for key, line in lines.items()}
    return tables, places, tuple(notes)


def _today(key: KeyPath) -> KeyPath:
    return (RENAMED.get(str(key[0]), key[0]), *key[1:]) if key else key


def apply_overrides(toml: TomlFile, overrides: Overrides) -> tuple[TomlFile, tuple[str, ...]]:
    """Return a file's tables as changed by overrides, and notes on dropped settings.

    If an override chooses another plugin, the file's settings of the old plugin are dropped, with
    a note.

    Raises:
        SceneError: if a key is not valid, or leads through something that is not a table.
    """
    data, lines, renamed = renamed_tables(copy.deepcopy(toml.data), toml.lines)
    given_keys = list(_flatten(overrides))
    _, _, told = renamed_tables(dict.fromkeys(str(path[0]) for path, _ in given_keys), {})
    changes = [(_today(path), value) for path, value in given_keys]
    notes = list(dict.fromkeys((*renamed, *told)))
    notes += [
        note for path, value in changes if (note := _drop_replaced(data, path, value)) is not None
    ]
    new_bodies = {path[1] for path, _ in changes if path[0] == "bodies" and path[2:] == ("robot",)}
    for path, value in changes:
        _check_body(path, data, new_bodies)
        _assign(data, path, value)
    changed = {path for path, _ in changes}
    lines = {
        key: line
        for key, line in lines.items()
        if not any(key[:n] in changed for n in range(1, len(key) + 1))
    }
    lines |= dict.fromkeys(changed)
    return TomlFile(toml.file, data, lines), tuple(notes)


def varied_keys(given: Iterable[tuple[str, Any]]) -> list[tuple[Key, Any]]:
    """Return the varied keys, each with its given values.

    Raises:
        SceneError: if nothing is given, a key is not valid, is given twice or lies in a table that
            is given too.
    """
    found: list[tuple[Key, Any]] = []
    for written, values in given:
        try:
            key = Key.parse(written)
        except ValueError as error:
            raise SceneError(f"a varied key must be a dotted key, got {written!r}") from error
        for other, _ in found:
            n = min(len(key), len(other))
            if key[:n] == other[:n]:
                also = "" if key == other else f", with {other}"
                message = f"is varied twice{also}: give all its values at once"
                raise SceneError(message, key=str(key))
        found.append((key, values))
    if not found:
        raise SceneError("nothing is varied: give a key and its values")
    return found


def parse_value(text: str, assignment: str) -> Any:
    """Parse a TOML value, or a bare word as text.

    Args:
        text: the value.
        assignment: the user's whole text, for errors.

    Raises:
        SceneError: if it is not one value.
    """
    try:
        parsed = parse_toml(f"value = {text}")
    except tomllib.TOMLDecodeError as error:
        if not text or text[0] in "[{\"'" or "\n" in text:
            raise SceneError(f"the value is not valid TOML: {assignment!r}") from error
        return text
    except ValueError as error:
        raise SceneError(f"the value {error}: {assignment!r}") from error
    if len(parsed) != 1:
        raise SceneError(f"an override must be one KEY=VALUE, got {assignment!r}")
    return parsed["value"]


def _flatten(overrides: Overrides) -> Iterator[tuple[KeyPath, Any]]:
    """Yield path and value of every leaf; only the outermost keys may be dotted."""
    for key, value in overrides.items():
        try:
            path = parse_key(key)
        except ValueError as error:
            raise SceneError(f"an override's key must be a dotted key, got {key!r}") from error
        yield from _leaves(path, value)


def _leaves(path: KeyPath, value: Any) -> Iterator[tuple[KeyPath, Any]]:
    if len(path) > DEEPEST:
        raise SceneError(TOO_DEEP, key=dotted(path[:2]))
    if isinstance(value, Mapping) and value:
        for key, part in value.items():
            yield from _leaves((*path, key), part)
    else:
        yield path, value


def _drop_replaced(data: dict[str, Any], path: KeyPath, value: Any) -> str | None:
    """Drop the settings of a plugin that an override replaces; return a note if there were any."""
    from footfall.scene.choose import slot_at  # here, so that commands parse options without NumPy
    from footfall.scene.scene import CONTROLLER, HAND
    from footfall.scene.schema import Pace

    slot = slot_at(path[:-1])
    if slot is None or path[-1] != "plugin":
        return None
    table: Any = data
    for key in path[:-1]:
        table = table.get(key) if isinstance(table, dict) else None
    if not isinstance(table, dict) or table.get("plugin", slot.default) == value:
        return None
    kept = {"plugin", *(Pace.model_fields if slot is CONTROLLER else ())}
    kept |= {"device"} if slot is HAND else set()
    dropped = [key for key in table if key not in kept]
    old = table.pop("plugin", slot.default)
    for key in dropped:
        del table[key]
    if not dropped:
        return None
    return (
        f"{dotted(path[:-1])}: {value!s} replaces {old or 'the default'}, whose settings are "
        f"dropped: {', '.join(dropped)}"
    )


def _check_body(path: KeyPath, data: dict[str, Any], new_bodies: set[str | int]) -> None:
    """Reject an unknown body, so that a mistyped name does not make a new one."""
    bodies = data.get("bodies")
    if path[0] != "bodies" or len(path) < 2 or not isinstance(bodies, dict):
        return
    name = str(path[1])
    if name not in bodies and name not in new_bodies:
        known = f"{nearest(name, bodies)} (bodies: {', '.join(bodies)})"
        raise SceneError(f"no body {name!r}{known}", key=dotted(path))


def _assign(data: dict[str, Any], path: KeyPath, value: Any) -> None:
    table: Any = data
    for n, key in enumerate(path):
        at: Any = int(key) if isinstance(table, list) and str(key).isdecimal() else key
        if not (at < len(table) if isinstance(at, int) else isinstance(table, dict)):
            from footfall.config.validate import given

            raise SceneError(
                f"{dotted(path[:n])} is {given(table)}, which has no keys", key=dotted(path)
            )
        outer, table = table, table[at] if isinstance(at, int) else table.setdefault(at, {})
    outer[at] = copy.deepcopy(value)  # a later key may change its content
