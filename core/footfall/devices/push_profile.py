"""How the strength of a push goes over time: its mean over a step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.config.csv_table import read_table
from footfall.config.named_function import load_function
from footfall.errors import SimulationError
from footfall.scene.external_forces import PushTable
from footfall.typing import Floats

WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")


class Profile(ABC):
    """A quantity over time, a pure function of it."""

    @abstractmethod
    def mean(self, start: float, end: float) -> Floats:
        """Return its mean from ``start`` to ``end`` [s], which count from the push's start."""


class Constant(Profile):
    """The same from its start on, for some time."""

    def __init__(self, value: Floats, duration: float) -> None:
        self._value, self._duration = value, duration

    def mean(self, start: float, end: float) -> Floats:
        """Return the value times the part of the interval in which it acts."""
        part = min(end, self._duration) - max(start, 0.0)
        return self._value * (min(max(part / (end - start), 0.0), 1.0))


class Table(Profile):
    """Straight lines between the rows of a file, nothing outside of them; means are exact."""

    def __init__(self, time: Floats, values: Floats, duration: float) -> None:
        self._time, self._values, self._duration = time, values, duration
        steps = 0.5 * np.diff(time)[:, None] * (values[1:] + values[:-1])
        self._sums = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(steps, axis=0)])

    def mean(self, start: float, end: float) -> Floats:
        """Return the difference of the integrals, by the length."""
        return (self._integral(end) - self._integral(start)) / (end - start)

    def _integral(self, time: float) -> Floats:
        """Return the integral up to a time: of whole rows, and of a part of the next."""
        time = min(max(time, float(self._time[0])), float(self._time[-1]), self._duration)
        if time <= self._time[0]:
            return np.zeros(self._values.shape[1])
        k = min(int(np.searchsorted(self._time, time, side="right")) - 1, len(self._time) - 2)
        part = (time - self._time[k]) / (self._time[k + 1] - self._time[k])
        here = (1.0 - part) * self._values[k] + part * self._values[k + 1]
        integral: Floats = self._sums[k] + 0.5 * (time - self._time[k]) * (self._values[k] + here)
        return integral


class Function(Profile):
    """A function of the user's, in the middle of the interval."""

    def __init__(self, name: str, size: int, duration: float) -> None:
        self._function: Callable[..., Any] = load_function(name)
        self._name, self._size, self._duration = name, size, duration

    def mean(self, start: float, end: float) -> Floats:
        """Return the function's value in the middle.

        Raises:
            SimulationError: if it is not what it should be.
        """
        time = 0.5 * (start + end)
        if not 0.0 <= time <= self._duration:
            return np.zeros(self._size)
        try:
            value = np.atleast_1d(np.asarray(self._function(time), float))
        except Exception as error:
            raise SimulationError(
                f"push {self._name} failed at {time:.6g} s: {type(error).__name__}: {error}"
            ) from error
        if value.shape != (self._size,) or not np.isfinite(value).all():
            expected = "an effort" if self._size == 1 else "six numbers: force and moment"
            raise SimulationError(
                f"push {self._name} returned {value.tolist()} at {time:.6g} s, expected {expected}"
            )
        return value


def profile_of(table: PushTable) -> Profile:
    """Return how a push goes over time.

    Raises:
        SettingError: if its file is not a table of pushes.
        ValueError: if there is no such function.
    """
    names = WRENCH if table.joint is None else ("effort",)
    duration = np.inf if table.duration is None else table.duration
    if table.file is not None:
        rows = read_table(table.file, ("time",), names)
        return Table(rows["time"], np.column_stack([rows[name] for name in names]), duration)
    if table.function is not None:
        return Function(table.function, len(names), duration)
    zero = (0.0, 0.0, 0.0)
    value = (table.effort,) if table.joint else (*(table.force or zero), *(table.moment or zero))
    return Constant(np.array(value, float), duration)
