"""What is to be found: keys of a scene, where they start, and between which bounds they lie."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall import Simulator
from footfall.api.config import Key
from footfall.api.errors import SceneError
from footfall.api.plugin import Floats

FAR = 1e6
"""Bounds farther out are as good as none."""
DECADES = 100.0
"""Ratio of given bounds from which on a parameter is sought by equal factors."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A parameter as it is asked for.

    Attributes:
        key: dotted.
        low, high, start: None: as the scene has it.
        law: the only contact law that it is sought under; empty: every one.
    """

    key: str
    low: float | None = None
    high: float | None = None
    start: float | None = None
    law: str = ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number of a scene that is sought, and its coordinate z: 0 at the start, of size 1.

    Attributes:
        key: dotted.
        start: its value at first.
        low, high: bounds; infinite where there are none.
        scale: change that a change of z by 1 is; of logarithmic ones, of the logarithm.
        logarithmic: whether z counts factors.
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
        """Return coordinates of so many values between the bounds, or up to 8 times the start."""
        low, high = self.bounds
        if not self.logarithmic:
            reach = 7.0 * max(abs(self.start), self.scale) / self.scale
            low, high = max(low, -reach), min(high, reach)
        return np.linspace(low, high, n)


def parse_wanted(texts: Iterable[str]) -> list[Wanted]:
    """Read ``KEY``, ``KEY=LOW:HIGH`` or ``KEY=LOW:HIGH:START``, each also as ``LAW:KEY...``.

    Raises:
        SceneError: if one is not of this form.
    """
    found = []
    for text in texts:
        key, _, rest = Key.split(text)
        law, colon, bare = key.partition(":")
        law, key = (law, bare) if colon else ("", key)
        parts = rest.split(":") if rest.strip() else []
        if len(parts) not in (0, 2, 3):
            raise SceneError(
                f"a parameter is KEY, KEY=LOW:HIGH or KEY=LOW:HIGH:START, got {text!r}"
            )
        try:
            numbers = [float(part) if part.strip() else None for part in parts]
        except ValueError:
            raise SceneError(f"bounds are numbers LOW:HIGH, got {text!r}", key=key) from None
        found.append(Wanted(key, *numbers, law=law))  # type: ignore[misc,arg-type]
    return check_wanted(found)


def wanted_of(given: Sequence[str] | Mapping[str, Sequence[float] | None]) -> list[Wanted]:
    """Return what Python asks for: keys, or (low, high) or (low, high, start) by key.

    Raises:
        SceneError: if it is neither.
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
            told = f"bounds are (low, high) or (low, high, start), got {bounds!r}"
            raise SceneError(told, key=plain.key)
        found.append(Wanted(plain.key, *numbers, law=plain.law))  # type: ignore[misc,arg-type]
    return check_wanted(found)


def check_wanted(found: list[Wanted]) -> list[Wanted]:
    """Return what is asked for, if it can be.

    Raises:
        SceneError: if nothing or something twice is, or bounds are none.
    """
    if not found:
        raise SceneError("no parameter is given: name a key of the scene")
    for k, one in enumerate(found):
        try:
            Key.parse(one.key)
        except ValueError as error:
            raise SceneError(f"a parameter is a dotted key, got {one.key!r}") from error
        if any(x.key == one.key and x.law in ("", one.law) for x in found[:k]):
            raise SceneError("is sought twice", key=one.key)
        low, high, start = one.low, one.high, one.start
        if low is not None and high is not None and not low < high:
            raise SceneError(f"its bounds {low:g} to {high:g} leave nothing between", key=one.key)
        inside = (low is None or start is None or low <= start) and (
            high is None or start is None or start <= high
        )
        if not inside:
            raise SceneError(f"its start {start:g} is not between its bounds", key=one.key)
    return found


def parameter(wanted: Wanted, sim: Simulator, allowed: Any) -> Parameter:
    """Return a parameter with its start and bounds.

    Args:
        wanted: what is asked for.
        sim: of the scene.
        allowed: tells whether the scene takes a value of the key; raises SceneError where not.

    Raises:
        SceneError: if the key is no number, or the scene does not say where to start.
    """
    start = wanted.start
    if start is None:
        start = present(sim, wanted.key)
    if start is None:
        if wanted.low is None or wanted.high is None:
            allowed(1.0)  # refuses a key that there is not
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
    """Return the least value that a scene takes, by trying; -infinity: there is none."""
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
    """Return the number at a key of a scene; None if it gives none.

    Raises:
        SceneError: if something else is there.
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
        raise SceneError(f"is no number: {value!r} cannot be fitted", key=key)
    return float(value)
