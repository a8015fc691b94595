"""Variations of a scene: values of keys, and their combinations, checked before the first run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from footfall import Scene, load_scene
from footfall.api.advanced import varied_keys
from footfall.api.command import Key, parse_assignments
from footfall.api.plugin import FootfallError, Registry, SceneError

OPENING, CLOSING = "[{", "]}"


@dataclass(frozen=True, slots=True)
class Variation:
    """Values of one varied key of a scene.

    Attributes:
        key: dotted, e.g. ``contact.plugin``.
        values: at least one, all different.
    """

    key: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Combination:
    """One value for every varied key.

    Attributes:
        number: counted from 1.
        values: by key.
        places: index of each value among its key's values, from 0.
    """

    number: int
    values: Mapping[str, Any]
    places: tuple[int, ...]

    @property
    def label(self) -> str:
        """Short text of the values, e.g. ``gauss, time_step 0.001``."""
        return ", ".join(
            text if isinstance(value, str | Mapping) else f"{Key.parse(key)[-1]} {text}"
            for key, value in self.values.items()
            for text in [value_text(value)]
        )


def parse_variations(texts: Iterable[str]) -> list[Variation]:
    """Parse ``a.b.c=VALUE,VALUE`` from the command line.

    A value is TOML; a bare word is text. Commas inside quotes, brackets and braces belong to the
    value.

    Raises:
        SceneError: if a text has another form, or a key is given twice.
    """
    found = []
    for text in texts:
        key, equals, rest = Key.split(text)
        if not equals:
            raise SceneError(f"a variation must be KEY=VALUE,VALUE.., got {text!r}")
        parts = [part.strip() for part in split_list(rest)]
        if not all(parts):
            raise SceneError(f"a value is empty in {text!r}: give KEY=VALUE,VALUE..", key=key)
        found.append((key, [parse_assignments([f"{key}={part}"])[key] for part in parts]))
    return check_variations(found)


def check_variations(given: Iterable[tuple[str, Sequence[Any]]]) -> list[Variation]:
    """Return keys and their values as variations.

    Raises:
        SceneError: if nothing is given; if a key is malformed, given twice, or in a table that is
            also given; if values are missing, not a list, or not all different.
    """
    return [
        Variation(str(key), _checked_values(str(key), values)) for key, values in varied_keys(given)
    ]


def combinations(variations: Sequence[Variation]) -> Iterator[Combination]:
    """Yield every combination; the last key changes fastest."""
    keys = [variation.key for variation in variations]
    indexed = [list(enumerate(variation.values)) for variation in variations]
    for number, chosen in enumerate(product(*indexed), start=1):
        values = {key: value for key, (_, value) in zip(keys, chosen, strict=True)}
        yield Combination(number, values, tuple(place for place, _ in chosen))


def split_list(text: str) -> Iterator[str]:
    """Yield the parts between commas that are not inside quotes, brackets or braces."""
    start, depth, quote = 0, 0, ""
    for i, char in enumerate(text):
        if quote:
            escaped = quote == '"' and text[i - 1] == "\\"
            quote = "" if char == quote and not escaped else quote
        elif char in "\"'":
            quote = char
        elif char in OPENING + CLOSING:
            depth += 1 if char in OPENING else -1
        elif char == "," and depth == 0:
            yield text[start:i]
            start = i + 1
    yield text[start:]


def value_text(value: Any) -> str:
    """Return a value as text for tables and labels; a table as ``gauss sides=8``."""
    if isinstance(value, Mapping):
        parts = {key: value_text(part) for key, part in value.items()}
        return " ".join(text if key == "plugin" else f"{key}={text}" for key, text in parts.items())
    return f"{value:g}" if isinstance(value, float) else _written(value)


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _checked_values(key: str, values: Any) -> tuple[Any, ...]:
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise SceneError(f"must be varied over a list of values, got {values!r}", key=key)
    listed = tuple(values)
    if not listed:
        raise SceneError("needs at least one value", key=key)
    written = [_written(value) for value in listed]
    twice = next((text for text in written if written.count(text) > 1), None)
    if twice is not None:
        raise SceneError(f"is given the value {twice} twice", key=key)
    return listed


UNSEEN = {"visualizer.plugin": "none"}
"""Default overrides of a comparison: no visualizer."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A combination and its scene.

    Attributes:
        combination: the values.
        scene: the scene; None if refused.
        error: reason of the refusal; None if not refused.
    """

    combination: Combination
    scene: Scene | None
    error: FootfallError | None = None


def make_trials(
    reference: str | Path,
    variations: Sequence[Variation],
    overrides: Mapping[str, Any],
    registry: Registry,
) -> list[Trial]:
    """Load the scene of every combination.

    A combination with incompatible values is refused; the others are loaded.

    Raises:
        SceneError: if a value is wrong in every combination, or all combinations are refused; names
            the key, the allowed values and the nearest name.
        PluginError: if every combination needs plugins that cannot be loaded.
    """
    _check_overrides(variations, overrides)
    trials = [
        _trial(reference, combination, overrides, registry)
        for combination in combinations(variations)
    ]
    for variation in variations:
        for value in variation.values:
            its = [t for t in trials if t.combination.values[variation.key] is value]
            if all(isinstance(t.error, SceneError) and t.error.key == variation.key for t in its):
                raise _error(its[0])
    if all(trial.error for trial in trials):
        raise _error(trials[0])
    return trials


def refusal(error: FootfallError) -> str:
    """Return the reason of a refusal in one line, without the scene's file and line number."""
    text = " ".join(str(error).split())
    if isinstance(error, SceneError) and error.file:
        return text.removeprefix(error.file).removeprefix(f":{error.line}").removeprefix(": ")
    return text


def _error(trial: Trial) -> FootfallError:
    assert trial.error is not None
    return trial.error


def _check_overrides(variations: Sequence[Variation], overrides: Mapping[str, Any]) -> None:
    """Raise a SceneError if a key is both set and varied."""
    varied = {variation.key for variation in variations}
    for key in overrides:
        try:
            name = str(Key.parse(key))
        except ValueError:  # reported when the scene is loaded
            continue
        if name in varied:
            raise SceneError("is both set and varied", key=name)


def _trial(
    reference: str | Path,
    combination: Combination,
    overrides: Mapping[str, Any],
    registry: Registry,
) -> Trial:
    chosen = {**overrides, **combination.values}
    if "visualizer" not in chosen:
        chosen = {**UNSEEN, **chosen}
    try:
        return Trial(combination, load_scene(reference, chosen, registry))
    except FootfallError as error:
        return Trial(combination, None, error)
