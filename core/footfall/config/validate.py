"""Validation of tables against pydantic models, with errors that name file, line and key.

Values given in Python or read from TOML are first converted to plain tables, arrays, numbers and
text. An error from pydantic is traced to its place in the model, and reported in one line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import numpy as np
from pydantic import BaseModel, ValidationError

from footfall.config.fields import PATTERNS
from footfall.config.toml import DEEPEST, TOO_DEEP, KeyLines, KeyPath, Where, dotted, parse_key
from footfall.errors import MOST, SceneError, SimulationError, nearest
from footfall.typing import Floats

Details = Mapping[str, Any]
"""Pydantic's report of one error: ``type``, ``loc``, ``msg``, ``input``, ``ctx``."""

COEFFICIENTS = "friction", "restitution"
"""Keys of bodies and grounds that people look for in the table of the contact law."""
MUST_BE = "must be "
GREATEST = 1e15
"""Greatest absolute value of a number given in Python."""
LONGEST = 60
"""Most characters shown of a given value."""
LONGEST_INTEGER = 1024
"""Most bits of a whole number; a double cannot hold more."""


def given(value: Any) -> str:
    """Return a value as text in a scene file's syntax, shortened."""
    text = _toml(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def _toml(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(part)}" for key, part in value.items()) + "}"
    if isinstance(value, str | bool):
        return json.dumps(value, ensure_ascii=False)
    return repr(value)


def explain(errors: Sequence[Details]) -> str:
    """Return the rule and the given value, e.g. ``must be > 0, got -1``.

    Args:
        errors: errors of one value; several if it matches none of several types.
    """
    first = errors[0]
    if first["type"] == "missing":
        return "is missing"
    rules = list(dict.fromkeys(_rule(error) for error in errors))
    if all(rule.startswith(MUST_BE) for rule in rules):
        rules = [rules[0], *(rule.removeprefix(MUST_BE) for rule in rules[1:])]
    value, offer = first["input"], ""
    if first["type"] == "value_error":  # the remedy comes last
        rules[-1], mark, name = rules[-1].partition(", did you mean ")
        offer = mark + name
    if first["type"] == "literal_error":
        offer = nearest(str(value), _names(first["ctx"]["expected"]))
    if first["type"] == "union_tag_invalid":
        value = first["ctx"]["tag"]
        offer = nearest(str(value), _names(first["ctx"]["expected_tags"]))
    if first["type"] == "value_error" and isinstance(first["input"], dict):
        return rules[0] + offer  # a whole table is too long to show
    return f"{' or '.join(rules)}, got {given(value)}{offer}"


def _rule(error: Details) -> str:
    """Return the rule that was broken."""
    context = error.get("ctx", {})
    if error["type"] in ("value_error", "assertion_error"):
        return str(context["error"])
    rule = _RULES.get(error["type"])
    told = str(error["msg"])  # pydantic's own words if there is no rule
    return rule(context) if rule else told[:1].lower() + told[1:].rstrip(".")


def wrong_length(expected: int, value: Any) -> str:
    """Return the message for an array of the wrong length."""
    elements = "element" if expected == 1 else "elements"
    return f"must have {expected} {elements}, got {len(value)}: {given(value)}"


def _must_be(text: str) -> Callable[[Details], str]:
    """Return a rule whose text may name entries of the context."""
    return lambda context: MUST_BE + text.format(**context)


_ARRAYS = ("tuple_type", "list_type", "set_type", "frozen_set_type")
_RULES: dict[str, Callable[[Details], str]] = {
    "float_type": _must_be("a number"),
    **dict.fromkeys(("int_type", "int_from_float"), _must_be("a whole number")),
    "bool_type": _must_be("true or false"),
    "string_type": _must_be("text"),
    "finite_number": _must_be("a finite number"),
    "greater_than": _must_be("> {gt:g}"),
    "greater_than_equal": _must_be(">= {ge:g}"),
    "less_than": _must_be("< {lt:g}"),
    "less_than_equal": _must_be("<= {le:g}"),
    "multiple_of": _must_be("a multiple of {multiple_of:g}"),
    "enum": _must_be("{expected}"),
    "literal_error": _must_be("{expected}"),
    **dict.fromkeys(_ARRAYS, _must_be("an array")),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), _must_be("a table")),
    "string_pattern_mismatch": lambda context: (
        MUST_BE + PATTERNS.get(context["pattern"], f"text that matches {context['pattern']}")
    ),
    "string_too_short": lambda context: "must not be empty",
    "too_short": lambda context: f"must have at least {context['min_length']} of these",
    "too_long": lambda context: f"must have at most {context['max_length']} of these",
    "union_tag_not_found": lambda context: f"needs the key {context['discriminator']}",
    "union_tag_invalid": _must_be("{expected_tags}"),
}


def _names(expected: str) -> list[str]:
    return [part for part in expected.split("'") if part.strip() not in ("", ",", "or")]


def fields_at(model: type[BaseModel], loc: Iterable[str | int]) -> dict[str, Any]:
    """Return the fields of the table at a location by key, in the order of the model.

    A component of ``loc`` that is a union's tag selects among the members of the union.
    """
    types: list[Any] = [model]
    for part in loc:
        types = _descend(types, part)
    return {key: f for kind in types if _is_model(kind) for key, f in _fields(kind).items()}


def _descend(types: list[Any], part: str | int) -> list[Any]:
    below: list[Any] = []
    for kind in types:
        if _is_model(kind):
            below.extend(_flatten(getattr(_fields(kind).get(str(part)), "annotation", None)))
        else:  # a dict's values, an array's elements
            below.extend(member for arg in get_args(kind) for member in _flatten(arg))
    if below:
        return below
    return [kind for kind in types if _is_model(kind) and _has_tag(kind, part)] or types


def _flatten(annotation: Any) -> list[Any]:
    """Return the members of a union, without ``Annotated`` and ``None``."""
    if annotation is None or annotation is type(None) or annotation is Ellipsis:
        return []
    origin = get_origin(annotation)
    if origin is Annotated:
        return _flatten(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return [member for arg in get_args(annotation) for member in _flatten(arg)]
    return [] if origin is Literal else [annotation]


def _fields(model: type[BaseModel]) -> dict[str, Any]:
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _has_tag(model: type[BaseModel], tag: str | int) -> bool:
    return any(
        get_origin(field.annotation) is Literal and tag in get_args(field.annotation)
        for field in model.model_fields.values()
    )


def plain(value: Any, where: Where, path: KeyPath) -> Any:
    """Return a value made of dict, list, str, bool, int and float alone.

    Only NumPy arrays and numbers, tuples and paths are converted.

    Raises:
        SceneError: for any other type, e.g. a date or None.
    """
    if len(path) > DEEPEST:
        raise where.error(TOO_DEEP, path[:2])
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
    if isinstance(value, int) and value.bit_length() > LONGEST_INTEGER:
        raise where.error(f"must be a finite number, of at most {LONGEST_INTEGER} bits", path)
    if isinstance(value, str | bool | int | float):
        return value
    raise where.error(
        f"must be a number, text, true or false, an array or a table, got {value!r}", path
    )


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

    Types are strict: text is not a number, and true is not a number. A whole number is accepted
    for a number, and an array for a tuple.

    Args:
        model: the model of the table.
        data: the table.
        file: path of its file, or None.
        lines: line of each key of the whole file (``TomlFile.lines``).
        prefix: key of the table in the file, e.g. ``"contact.solver"``.
        also_allowed: keys of the table that are read elsewhere, for the list of allowed keys.

    Raises:
        SceneError: for the first fault; names the keys of the others.
    """
    start = parse_key(prefix) if isinstance(prefix, str) and prefix else tuple(prefix)
    where = Where(file, lines)
    table = plain(data, where, start)
    try:
        # Strict pydantic accepts arrays for tuples, as TOML needs, in JSON mode only.
        context = {"folder": str(Path(file).parent) if file else None}
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
    """Return one error: a mistyped key before others, since it often causes them."""
    places: dict[KeyPath, list[Details]] = {}
    for details in error.errors(include_url=False):
        places.setdefault(_path(details, table), []).append(details)
    # The member of a union that was meant is the one with the deepest errors.
    around = {path[:n] for path in places for n in range(len(path))}
    places = {path: at for path, at in places.items() if path not in around}
    path, at = min(places.items(), key=lambda place: place[1][0]["type"] != "extra_forbidden")
    first = at[0]
    if first["type"] == "extra_forbidden":
        allowed = [*fields_at(model, first["loc"][:-1]), *(also_allowed if len(path) == 1 else ())]
        elsewhere = COEFFICIENTS if start[:1] == ("contact",) else ()
        hint = nearest(str(path[-1]), [*allowed, *elsewhere])
        hint = hint or f" (allowed: {', '.join(allowed) or 'none'})"
        for name in elsewhere:
            if repr(name) in hint:
                hint = f": {name} is a key of bodies.NAME, world.terrain and pairs"
        message = f"unknown key{hint}"
    elif _is_short(first):
        message = wrong_length(
            max(int(d["loc"][-1]) for d in at if _is_short(d)) + 1, first["input"]
        )
    elif first["type"] == "too_long" and "max_length" in first["ctx"]:
        message = wrong_length(first["ctx"]["max_length"], first["input"])
    else:
        field = fields_at(model, path[:-1]).get(str(*path[-1:]))
        unit = str(getattr(field, "description", "")).partition("[")[2].partition("]")[0]
        bounded = any(map(str.isalpha, unit)) and first["type"].startswith(("greater", "less"))
        message = explain(at) + (f" [{unit}]" if bounded else "")
    others = [dotted(start + other) for other in places if other != path]
    if others:
        rest = f" and {len(others) - MOST} more" if len(others) > MOST else ""
        message += f" (also: {', '.join(others[:MOST])}{rest})"
    return where.error(message, start + path)


def _is_short(details: Details) -> bool:
    """Return whether an element of an array is missing."""
    return details["type"] == "missing" and isinstance(details["loc"][-1], int)


def _path(details: Details, table: Any) -> KeyPath:
    """Return an error's place in the table: its location without the tags of unions.

    If an array is too short, the place is the array, not the missing element. If a table matches
    no member of its union, the place is the key that selects the member.
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


def sized(values: Any, n: int, what: str) -> Floats:
    """Return values as an array of shape (n,).

    Raises:
        SimulationError: if they are not n numbers, each finite and at most ``GREATEST``.
    """
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        array = np.zeros(0, object)
    if array.dtype.kind not in "fiu":
        raise SimulationError(f"{what} must be numbers, got {given(values)}")
    array = array.astype(float, copy=False)
    if array.shape != (n,):
        raise SimulationError(f"{what} has shape {array.shape}, expected ({n},)")
    if not (np.abs(array) <= GREATEST).all():
        raise SimulationError(f"{what} is not finite, or beyond {GREATEST:g}")
    return array
