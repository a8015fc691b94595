"""Say in one line what is wrong with a value, from pydantic's report of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from footfall.config.fields import PATTERNS
from footfall.errors import nearest

Details = Mapping[str, Any]
"""What pydantic reports of one error: ``type``, ``loc``, ``msg``, ``input``, ``ctx``."""

MUST_BE = "must be "
LONGEST = 60
"""Characters of a given value that are shown."""


def given(value: Any) -> str:
    """Write a value as a scene file would, shortened."""
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
    """Return what is allowed and what was given, e.g. ``must be > 0, got -1``.

    Args:
        errors: of one value; more than one if it is none of several types.
    """
    first = errors[0]
    if first["type"] == "missing":
        return "is missing"
    rules = list(dict.fromkeys(_rule(error) for error in errors))
    if all(rule.startswith(MUST_BE) for rule in rules):
        rules = [rules[0], *(rule.removeprefix(MUST_BE) for rule in rules[1:])]
    value, offer = first["input"], ""
    if first["type"] == "value_error":  # what to do comes last
        rules[-1], mark, name = rules[-1].partition(", did you mean ")
        offer = mark + name
    if first["type"] == "literal_error":
        offer = nearest(str(value), _names(first["ctx"]["expected"]))
    if first["type"] == "union_tag_invalid":
        value = first["ctx"]["tag"]
        offer = nearest(str(value), _names(first["ctx"]["expected_tags"]))
    if first["type"] == "value_error" and isinstance(first["input"], dict):
        return rules[0] + offer  # what a whole table holds is too long to show
    return f"{' or '.join(rules)}, got {given(value)}{offer}"


def _rule(error: Details) -> str:
    """Return what is allowed."""
    context = error.get("ctx", {})
    if error["type"] in ("value_error", "assertion_error"):
        return str(context["error"])
    rule = _RULES.get(error["type"])
    return rule(context) if rule else _plain(str(error["msg"]))


def unknown_key(key: str, allowed: Iterable[str]) -> str:
    """Return the message for a key that is not allowed, with those that are."""
    allowed = list(allowed)
    keys = ", ".join(allowed) or "none"
    return f"unknown key{nearest(key, allowed)} (allowed: {keys})"


def wrong_length(expected: int, value: Any) -> str:
    """Return the message for an array of the wrong length."""
    elements = "element" if expected == 1 else "elements"
    return f"must have {expected} {elements}, got {len(value)}: {given(value)}"


def _must_be(text: str) -> Callable[[Details], str]:
    """Return a rule whose text may name entries of the context."""
    return lambda context: MUST_BE + text.format(**context)


_RULES: dict[str, Callable[[Details], str]] = {
    "float_type": _must_be("a number"),
    "int_type": _must_be("a whole number"),
    "int_from_float": _must_be("a whole number"),
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
    "tuple_type": _must_be("an array"),
    "list_type": _must_be("an array"),
    "set_type": _must_be("an array"),
    "frozen_set_type": _must_be("an array"),
    "dict_type": _must_be("a table"),
    "model_type": _must_be("a table"),
    "model_attributes_type": _must_be("a table"),
    "string_pattern_mismatch": lambda context: (
        MUST_BE + PATTERNS.get(context["pattern"], f"text that matches {context['pattern']}")
    ),
    "string_too_short": lambda context: "must not be empty",
    "too_short": lambda context: f"must have at least {context['min_length']} of these",
    "too_long": lambda context: f"must have at most {context['max_length']} of these",
    "union_tag_not_found": lambda context: f"needs the key {context['discriminator']}",
    "union_tag_invalid": _must_be("{expected_tags}"),
}


def _plain(message: str) -> str:
    """Turn pydantic's own words into ours where there is no rule."""
    return message[:1].lower() + message[1:].rstrip(".")


def _names(expected: str) -> list[str]:
    return [part for part in expected.split("'") if part.strip() not in ("", ",", "or")]
