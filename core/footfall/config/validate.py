"""Validate a table against a pydantic model, with errors that name file, line and key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from footfall.config.explain import Details, explain, unknown_key, wrong_length
from footfall.config.model_path import keys_at
from footfall.config.plain import plain
from footfall.config.toml_lines import KeyLines, KeyPath, parse_key
from footfall.config.where import Where
from footfall.errors import SceneError

M = TypeVar("M", bound=BaseModel)


def validate(
    model: type[M],
    data: Mapping[str, Any],
    *,
    file: str | None,
    lines: KeyLines,
    prefix: str | KeyPath = (),
    also_allowed: Iterable[str] = (),
) -> M:
    """Return the model of a table of a TOML file.

    Types are strict: text is no number, true is no number; a whole number is accepted where a
    number is asked for, and an array where a tuple is.

    Args:
        model: what the table must be.
        data: the table.
        file: the file that it is from, or None.
        lines: line of each key of the whole file (``TomlFile.lines``).
        prefix: where in the file the table is, e.g. ``"contact.solver"``.
        also_allowed: keys of the table that are read elsewhere, for the list of allowed keys.

    Raises:
        SceneError: for the first thing that is wrong; counts the others.
    """
    start = parse_key(prefix) if isinstance(prefix, str) and prefix else tuple(prefix)
    where = Where(file, lines)
    table = plain(data, where, start)
    try:
        # JSON mode is the one in which strict pydantic takes arrays for tuples, as TOML needs.
        folder = str(Path(file).parent) if file else None
        context = {"folder": folder}
        return model.model_validate_json(json.dumps(table), strict=True, context=context)
    except ValidationError as error:
        raise _first(error, model, table, where, start, list(also_allowed)) from error


def _first(
    error: ValidationError,
    model: type[BaseModel],
    table: Any,
    where: Where,
    start: KeyPath,
    also_allowed: list[str],
) -> SceneError:
    """Make one error: a mistyped key before others, since it often causes them."""
    places: dict[KeyPath, list[Details]] = {}
    for details in error.errors(include_url=False):
        places.setdefault(_path(details, table), []).append(details)
    # Of the members of a union, the one whose errors are deepest is the one that was meant.
    places = {path: at for path, at in places.items() if not any(_is_in(q, path) for q in places)}
    path, at = min(places.items(), key=lambda place: place[1][0]["type"] != "extra_forbidden")
    first = at[0]
    if first["type"] == "extra_forbidden":
        allowed = keys_at(model, first["loc"][:-1]) + (also_allowed if len(path) == 1 else [])
        message = unknown_key(str(path[-1]), allowed)
    elif _is_short(first):
        message = wrong_length(
            max(int(d["loc"][-1]) for d in at if _is_short(d)) + 1, first["input"]
        )
    elif first["type"] == "too_long" and "max_length" in first["ctx"]:
        message = wrong_length(first["ctx"]["max_length"], first["input"])
    else:
        message = explain(at)
    more = len(places) - 1
    if more:
        message += f" (and {more} more error{'s' * (more > 1)})"
    return where.error(message, start + path)


def _is_in(path: KeyPath, table: KeyPath) -> bool:
    """Whether a path leads into the table (or array) at another."""
    return len(path) > len(table) and path[: len(table)] == table


def _is_short(details: Details) -> bool:
    """Whether an element of an array is missing."""
    return details["type"] == "missing" and isinstance(details["loc"][-1], int)


def _path(details: Details, table: Any) -> KeyPath:
    """Return an error's place in the table: its location without the tags of unions.

    An array that is too short is itself the place, not the element that it lacks; a table that is
    no member of its union is wrong in the key that says which.
    """
    path: KeyPath = ()
    loc = [part for part in details["loc"] if part != "[key]"]
    for i, part in enumerate(loc):
        inside = part in table if isinstance(table, dict) else _is_index(part, table)
        if inside:
            table = table[part]
        missing = i == len(loc) - 1 and details["type"] == "missing" and not _is_short(details)
        if inside or missing:
            path += (part,)
    if details["type"] == "union_tag_invalid":
        path += (details["ctx"]["discriminator"].strip("'"),)
    return path


def _is_index(part: str | int, table: Any) -> bool:
    return isinstance(table, list) and isinstance(part, int) and part < len(table)
