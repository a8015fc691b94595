"""Motion of a moving ground's frame: position, rotation vector and their rates over time."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, Literal

import numpy as np

from footfall.api.advanced import read_table
from footfall.api.plugin import Floats, SettingError, SimulationError, error_line, load_function
from footfall_terrains.motion_tables import (
    ConstantMotion,
    FunctionMotion,
    MotionTable,
    SineMotion,
    TableMotion,
)

COLUMNS = ("x", "y", "z", "rx", "ry", "rz")
STEP = 1e-4
"""Time step of the differences of a user's function, [s]: error ``STEP^4 / 30`` times the fifth
derivative, and 1e-12 of rounding."""


class Motion(ABC):
    """A motion: x, y, z [m] and a rotation vector [rad], as a pure function of time."""

    @abstractmethod
    def at(self, time: float) -> tuple[Floats, Floats]:
        """Return position and rotation vector, shape (6,), and their rates, (6,), at a time [s]."""


class Wave(Motion):
    """A constant velocity and a sine wave: the motion that kernels can compute.

    Attributes:
        rate: shape (6,), the constant velocity.
        amplitude: shape (6,), amplitude of the wave.
        wave: shape (2,), its angular frequency [rad/s] and its phase [rad].
    """

    def __init__(self, table: ConstantMotion | SineMotion) -> None:
        self.rate, self.amplitude, self.wave = np.zeros(6), np.zeros(6), np.zeros(2)
        if isinstance(table, ConstantMotion):
            self.rate[:] = *table.velocity, *table.angular_velocity
        else:
            self.amplitude[:] = *table.amplitude, *table.rotation_amplitude
            self.wave[:] = 2.0 * np.pi * table.frequency, table.phase

    def at(self, time: float) -> tuple[Floats, Floats]:
        """Return ``r t + A sin(w t + phase)`` and ``r + w A cos(w t + phase)``."""
        omega, angle = float(self.wave[0]), float(self.wave[0] * time + self.wave[1])
        wave, rising = math.sin(angle) * self.amplitude, omega * math.cos(angle) * self.amplitude
        return time * self.rate + wave, self.rate + rising


class Table(Motion):
    """Rows of a file, with a spline or straight lines between them."""

    def __init__(self, table: TableMotion) -> None:
        from scipy.interpolate import CubicSpline, make_interp_spline

        rows = read_table(table.file, ("time",), COLUMNS)
        time, values = rows["time"], np.column_stack([rows[name] for name in COLUMNS])
        self._start, self._end = float(time[0]), float(time[-1])
        self._repeats = table.after == "repeat"
        if self._repeats and np.abs(values[0] - values[-1]).max() > 1e-12:
            raise SettingError("a repeating motion must have equal first and last rows", "after")
        if table.interpolation == "cubic":
            ends: Literal["periodic", "clamped"] = "periodic" if self._repeats else "clamped"
            if self._repeats:
                values[-1] = values[0]
            self._value: Any = CubicSpline(time, values, bc_type=ends)
        else:
            self._value = make_interp_spline(time, values, k=1)
        self._rate = self._value.derivative()

    def at(self, time: float) -> tuple[Floats, Floats]:
        """Return place and rate; outside the table hold the nearest row, or repeat the table."""
        if self._repeats:
            time = self._start + (time - self._start) % (self._end - self._start)
        elif not self._start <= time <= self._end:
            held: Floats = self._value(min(max(time, self._start), self._end))
            return held, np.zeros(6)
        return self._value(time), self._rate(time)


class Function(Motion):
    """A user's function; its rates are finite differences."""

    def __init__(self, table: FunctionMotion) -> None:
        try:
            self._function = load_function(table.function)
        except ValueError as error:
            raise SettingError(str(error), "function") from error
        self._name = table.function
        try:
            self.at(0.0)
        except SimulationError as error:
            raise SettingError(str(error), "function") from error

    def at(self, time: float) -> tuple[Floats, Floats]:
        """Return the function's value, and its fourth-order central difference."""
        h = STEP
        far = self._value(time - 2.0 * h) - self._value(time + 2.0 * h)
        near = self._value(time + h) - self._value(time - h)
        return self._value(time), (8.0 * near + far) / (12.0 * h)

    def _value(self, time: float) -> Floats:
        try:
            value = np.asarray(self._function(time), float)
        except Exception as error:
            raise SimulationError(
                f"the ground's motion {self._name} failed at t = {time:.6g} s: {error_line(error)}"
            ) from error
        if value.shape != (6,) or not np.isfinite(value).all():
            raise SimulationError(
                f"the ground's motion {self._name} returned {value.tolist()} at t = {time:.6g} s, "
                "expected six finite numbers: x, y, z and a rotation vector"
            )
        return value


def motion_of(table: MotionTable) -> Motion:
    """Return the motion of a table.

    Raises:
        SettingError: if its file or function is not valid.
    """
    if isinstance(table, ConstantMotion | SineMotion):
        return Wave(table)
    if isinstance(table, TableMotion):
        return Table(table)
    return Function(table)
