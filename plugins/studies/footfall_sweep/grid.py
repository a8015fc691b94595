"""The grid of a sweep: keys of a scene, the values of each, and runs by number."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.api.advanced import varied_keys
from footfall.api.command import Key, parse_assignments
from footfall.api.plugin import SceneError

MOST_VALUES = 10**7
"""Most values of a key."""
OF_SIMULATION = ("seed", "duration", "time_step")
"""Keys of the table ``simulation`` that may be given without the table's name."""
_NUMBER = r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER}):({_NUMBER})(?::({_NUMBER})(:log)?)?")


@dataclass(frozen=True, slots=True)
class Axis:
    """A key and its values.

    Attributes:
        key: dotted key, e.g. ``world.terrain.friction``.
        values: at least one, all different; plain numbers, texts, lists or tables.
    """

    key: str
    values: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Grid:
    """All combinations of the values of several keys; the last key changes fastest.

    Attributes:
        axes: keys with their values, at least one.
    """

    axes: tuple[Axis, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values by key."""
        return tuple(len(axis.values) for axis in self.axes)

    @property
    def runs(self) -> int:
        """Number of combinations."""
        return math.prod(self.shape)

    def values(self, number: int) -> dict[str, Any]:
        """Return the values of a run by key.

        Args:
            number: number of the run, from 0.
        """
        places = np.unravel_index(number, self.shape)
        return {a.key: a.values[int(i)] for a, i in zip(self.axes, places, strict=True)}

    def label(self, number: int) -> str:
        """Return the values of a run as a short text, e.g. ``friction 0.4, seed 7``."""
        values = self.values(number).items()
        return ", ".join(f"{Key.parse(key)[-1]} {value_text(value)}" for key, value in values)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the dimensions: the last part of each key, or the key if two share that part."""
        last = [str(Key.parse(axis.key)[-1]) for axis in self.axes]
        return tuple(
            name if last.count(name) == 1 else axis.key
            for name, axis in zip(last, self.axes, strict=True)
        )


def parse_axes(texts: Iterable[str]) -> Grid:
    """Read ``KEY=VALUES`` of the command line, see ``parse_values``.

    Raises:
        SceneError: if a text has another form, a key is given twice, or values are missing.
    """
    given = []
    for text in texts:
        key, equals, rest = Key.split(text)
        if not equals:
            raise SceneError(f"--vary must be KEY=VALUES, got {text!r}")
        given.append((key, rest.strip()))
    return make_grid(given)


def make_grid(given: Iterable[tuple[str, Any]]) -> Grid:
    """Build a grid from keys and their values.

    Args:
        given: dotted keys, each with its values: a sequence, or a text of the command line.

    Raises:
        SceneError: if nothing is given; if a key is invalid, given twice or lies in a table that is
            also given; if values are missing, not a list, too many, or not all different.
    """
    axes: list[Axis] = []
    named = ((f"simulation.{k}" if k in OF_SIMULATION else k, values) for k, values in given)
    for path, values in varied_keys(named):
        key = str(path)
        found = parse_values(key, values) if isinstance(values, str) else _plain(key, values)
        axes.append(Axis(key, _checked(key, found)))
    return Grid(tuple(axes))


def parse_values(key: str, text: str) -> Sequence[Any]:
    """Read the values of a key from a text.

    ``0.2:1.0:9``: nine numbers, evenly spaced, with both ends; whole numbers if all are whole.
    ``1e-3:1:4:log``: numbers spaced by equal factors. ``0:100``: whole numbers from 0 to 99, as
    Python's ``range``. ``coulomb,gauss`` and ``0.1,0.5``: TOML values; bare words are texts.

    Raises:
        SceneError: if the text is not valid; the message gives the reason.
    """
    match = _RANGE.fullmatch(text)
    if match:
        return _spaced(key, text, *match.groups())
    if not text:
        raise SceneError("has no values", key=key)
    try:
        listed: list[Any] = tomllib.loads(f"v = [{text}]")["v"]
        return listed
    except tomllib.TOMLDecodeError:
        parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise SceneError(f"a value is empty in {text!r}: give VALUE,VALUE,..", key=key)
    return [parse_assignments([f"{key}={part}"])[key] for part in parts]


def _spaced(
    key: str, text: str, first: str, last: str, number: str | None, log: str | None
) -> Sequence[Any]:
    """Return the values of a range."""
    if number is None:
        try:
            start, stop = int(first), int(last)
        except ValueError:
            hint = f"give the number of values: {text}:9"
            raise SceneError(f"{text!r} is not a range of whole numbers; {hint}", key=key) from None
        return range(start, stop)
    try:
        n = int(number)
    except ValueError:
        n = -1
    if n < 0:
        raise SceneError(f"the number of values in {text!r} must be a whole number", key=key)
    if n > MOST_VALUES:
        raise SceneError(f"got {n} values, allowed are at most {MOST_VALUES}", key=key)
    a, b = float(first), float(last)
    if log and not (a > 0.0 and b > 0.0):
        raise SceneError(f"both ends of {text!r} must be positive", key=key)
    values = (np.geomspace if log else np.linspace)(a, b, n)
    # 15 digits, so that 0.6 is exactly 0.6 and can be selected by its value
    rounded = [float(f"{value:.15g}") for value in values]
    is_whole = not log and not set(".eE") & set(first + last)
    if is_whole and all(value.is_integer() for value in rounded):
        return [int(value) for value in rounded]
    return rounded


def _plain(key: str, values: Any) -> Sequence[Any]:
    """Return values given in Python, with NumPy's converted to plain ones."""
    if isinstance(values, range):
        return values
    if isinstance(values, Mapping) or not isinstance(values, Iterable):
        raise SceneError(f"must have a list of values, got {values!r}", key=key)
    return [v.tolist() if isinstance(v, np.generic | np.ndarray) else v for v in values]


def _checked(key: str, values: Sequence[Any]) -> Sequence[Any]:
    if not values:
        raise SceneError("has no values", key=key)
    if len(values) > MOST_VALUES:
        raise SceneError(f"got {len(values)} values, allowed are at most {MOST_VALUES}", key=key)
    if isinstance(values, range):
        return values
    seen = set()
    for value in values:
        text = value_text(value)
        if text in seen:
            raise SceneError(f"got the value {text} twice", key=key)
        seen.add(text)
    return tuple(values)


def value_text(value: Any) -> str:
    """Return a value as text on one line: texts unchanged, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, default=str)
