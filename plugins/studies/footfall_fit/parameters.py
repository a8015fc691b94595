"""Parameters of a fit: keys of a scene, their start values and bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall import Simulator
from footfall.api.command import Key
from footfall.api.plugin import Floats, SceneError

FAR = 1e6
"""Distance beyond which a bound counts as none."""
DECADES = 100.0
"""Ratio of given bounds from which a parameter is fitted on a logarithmic scale."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A parameter as given by the user.

    Attributes:
        key: dotted key.
        low, high, start: None to take it from the scene.
        law: the only contact law under which it is fitted; empty: all.
    """

    key: str
    low: float | None = None
    high: float | None = None
    start: float | None = None
    law: str = ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number of a scene to fit, with a scaled coordinate z that is 0 at the start.

    Attributes:
        key: dotted key.
        start: start value.
        low, high: bounds; infinite if there are none.
        scale: change of the value (of its logarithm if logarithmic) for a change of z by 1.
        logarithmic: True if z is on a logarithmic scale.
    """

    key: str
    start: float
    low: float
    high: float
    scale: float
    logarithmic: bool

    def value(self, z: Any) -> Any:
        """Return the value at a coordinate."""
        if self.logarithmic:
            return np.clip(self.start * np.exp(self.scale * z), self.low, self.high)
        return np.clip(self.start + self.scale * z, self.low, self.high)

    def place(self, value: float) -> float:
        """Return the coordinate of a value."""
        if self.logarithmic:
            return math.log(value / self.start) / self.scale if value > 0.0 else -math.inf
        return (value - self.start) / self.scale

    @property
    def bounds(self) -> tuple[float, float]:
        """Bounds of z."""
        return self.place(self.low), self.place(self.high)

    def spread(self, n: int) -> Floats:
        """Return coordinates of n values between the bounds, at most about 8 times the start."""
        low, high = self.bounds
        if not self.logarithmic:
            reach = 7.0 * max(abs(self.start), self.scale) / self.scale
            low, high = max(low, -reach), min(high, reach)
        return np.linspace(low, high, n)


def parse_wanted(texts: Iterable[str]) -> list[Wanted]:
    """Parse ``KEY``, ``KEY=LOW:HIGH`` or ``KEY=LOW:HIGH:START``, each also as ``LAW:KEY...``.

    Raises:
        SceneError: if a text has another form.
    """
    found = []
    for text in texts:
        key, _, rest = Key.split(text)
        law, colon, bare = key.partition(":")
        law, key = (law, bare) if colon else ("", key)
        parts = rest.split(":") if rest.strip() else []
        if len(parts) not in (0, 2, 3):
            raise SceneError(
                f"a parameter must be KEY, KEY=LOW:HIGH or KEY=LOW:HIGH:START, got {text!r}"
            )
        try:
            numbers = [float(part) if part.strip() else None for part in parts]
        except ValueError:
            raise SceneError(f"bounds must be numbers LOW:HIGH, got {text!r}", key=key) from None
        found.append(Wanted(key, *numbers, law=law))  # type: ignore[misc,arg-type]
    return check_wanted(found)


def wanted_of(given: Sequence[str] | Mapping[str, Sequence[float] | None]) -> list[Wanted]:
    """Return parameters given in Python: keys, or (low, high) or (low, high, start) by key.

    Raises:
        SceneError: if the argument has another form.
    """
    if isinstance(given, str) or not isinstance(given, Mapping | Sequence):
        raise SceneError(f"parameters: give a list of keys, or bounds by key, not {given!r}")
    if not isinstance(given, Mapping):
        return parse_wanted(str(key) for key in given)
    found = []
    for text, bounds in given.items():
        (plain,) = parse_wanted([str(text)])
        try:
            numbers = [] if bounds is None else [float(x) for x in bounds]
        except (TypeError, ValueError):
            numbers = [0.0]
        if len(numbers) not in (0, 2, 3):
            told = f"bounds must be (low, high) or (low, high, start), got {bounds!r}"
            raise SceneError(told, key=plain.key)
        found.append(Wanted(plain.key, *numbers, law=plain.law))  # type: ignore[misc,arg-type]
    return check_wanted(found)


def check_wanted(found: list[Wanted]) -> list[Wanted]:
    """Return the parameters after a check.

    Raises:
        SceneError: if there are none, a key is invalid or given twice, or bounds are invalid.
    """
    if not found:
        raise SceneError("no parameter is given: name a key of the scene")
    for k, one in enumerate(found):
        try:
            Key.parse(one.key)
        except ValueError as error:
            raise SceneError(f"a parameter must be a dotted key, got {one.key!r}") from error
        if any(x.key == one.key and x.law in ("", one.law) for x in found[:k]):
            raise SceneError("is given twice", key=one.key)
        low, high, start = one.low, one.high, one.start
        if low is not None and high is not None and not low < high:
            raise SceneError(f"its bounds {low:g} to {high:g} must increase", key=one.key)
        inside = (low is None or start is None or low <= start) and (
            high is None or start is None or start <= high
        )
        if not inside:
            raise SceneError(f"its start {start:g} is not between its bounds", key=one.key)
    return found


def parameter(wanted: Wanted, sim: Simulator, allowed: Any) -> Parameter:
    """Return a parameter with its start and bounds.

    Args:
        wanted: the user's parameter.
        sim: simulator of the scene.
        allowed: function that raises SceneError if the scene rejects a value of the key.

    Raises:
        SceneError: if the key is not a number, or there is no start value.
    """
    start = wanted.start
    if start is None:
        start = present(sim, wanted.key)
    if start is None:
        if wanted.low is None or wanted.high is None:
            allowed(1.0)  # raises if the key does not exist
            told = "the scene gives no number here: give bounds, KEY=LOW:HIGH or KEY=LOW:HIGH:START"
            raise SceneError(told, key=wanted.key)
        start = 0.5 * (wanted.low + wanted.high)
    if wanted.low is not None and wanted.high is not None and wanted.start is None:
        start = min(max(start, wanted.low), wanted.high)
    allowed(start)

    def takes(value: float) -> bool:
        try:
            allowed(value)
        except SceneError:
            return False
        return True

    for bound in (wanted.low, wanted.high):
        if bound is not None and math.isfinite(bound):
            allowed(bound)
    low = _lower(start, takes) if wanted.low is None else wanted.low
    high = -_lower(-start, lambda x: takes(-x)) if wanted.high is None else wanted.high
    given = wanted.low is not None and wanted.high is not None
    logarithmic = given and low > 0.0 and high / low >= DECADES
    if logarithmic:
        start = start if wanted.start or present(sim, wanted.key) else math.sqrt(low * high)
        return Parameter(wanted.key, start, low, high, 1.0, True)
    room = high - low if math.isfinite(high - low) else 0.0
    return Parameter(wanted.key, start, low, high, max(abs(start), 0.25 * room) or 1.0, False)


def _lower(start: float, takes: Any) -> float:
    """Return the least value that a scene accepts, found by trial; -infinity without a bound."""
    if takes(min(-FAR, start - FAR)):
        return -math.inf
    for bound in (0.0, -1.0, 1e-12, 1e-9, 1.0):
        if bound <= start and takes(bound) and not takes(bound - 1e-9 * max(abs(bound), 1e-3)):
            return bound
    below, above = min(-FAR, start - FAR), start
    if start > 0.0 and not takes(0.0):
        below = 0.0
    while above - below > 1e-4 * max(abs(above), abs(below), 1e-9):
        middle = 0.5 * (above + below)
        below, above = (below, middle) if takes(middle) else (middle, above)
    return above


def present(sim: Simulator, key: str) -> float | None:
    """Return the number at a key of a scene; None if not given.

    Raises:
        SceneError: if the value is not a number.
    """
    value: Any = sim.provenance.resolved["scene"]
    for name in Key.parse(key):
        if isinstance(value, Sequence) and not isinstance(value, str):
            value = value[int(name)] if str(name).isdecimal() and int(name) < len(value) else None
        else:
            value = value.get(str(name)) if isinstance(value, Mapping) else None
    if value is None:
        return next((float(x.value) for x in sim.tunables() if x.path == key), None)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SceneError(f"is not a number: {value!r} cannot be fitted", key=key)
    return float(value)
