"""Curves through rows: a cubic polynomial between each two."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from scipy.interpolate import CubicHermiteSpline, CubicSpline, PchipInterpolator

from footfall.api.plugin import Floats, SettingError
from footfall_controllers.trajectory.rows import Rows

Interpolation: TypeAlias = Literal["spline", "hermite", "monotone", "linear"]
MEETS = 1e-6
"""Largest difference of last and first row of a repeated file, [rad or m]."""


class Curve:
    """A curve of m coordinates over time.

    Attributes:
        start: time of the first row, [s].
        length: time from the first row to the last, [s].
    """

    def __init__(self, time: Floats, coefficients: Floats) -> None:
        """Store polynomials, shape (4, n - 1, m): highest power first, from each row on."""
        self.start, self.length = float(time[0]), float(time[-1] - time[0])
        self._since = time - time[0]
        self._parts = np.ascontiguousarray(np.moveaxis(coefficients, 1, 0))

    def rows(self) -> tuple[Floats, Floats]:
        """Return times since the first row, (n,), and the polynomials' rows, (4 (n - 1), m)."""
        return self._since, self._parts.reshape(-1, self._parts.shape[2])


def through(rows: Rows, values: Floats, kind: Interpolation, *, periodic: bool = False) -> Curve:
    """Return the curve through values, one row per time.

    Args:
        rows: rows with the times and, for ``hermite``, the rates.
        values: values, shape (n, m).
        kind: interpolation, see ``TrajectoryConfig.interpolation``.
        periodic: whether the end meets the start, for ``spline`` also in rate and acceleration.

    Raises:
        SettingError: if the rates for ``hermite`` are missing.
    """
    if kind == "linear":
        slopes = np.diff(values, axis=0) / np.diff(rows.time)[:, None]
        nothing = np.zeros_like(slopes)
        return Curve(rows.time, np.stack([nothing, nothing, slopes, values[:-1]]))
    if kind == "hermite":
        if rows.rate is None:
            raise SettingError(f'"hermite" needs rates, {rows.file} has none', "interpolation")
        return Curve(rows.time, CubicHermiteSpline(rows.time, values, rows.rate).c)
    if kind == "monotone":
        return Curve(rows.time, PchipInterpolator(rows.time, values).c)
    if periodic:
        values = values.copy()
        values[-1] = values[0]
    ends: Literal["periodic", "not-a-knot"] = "periodic" if periodic else "not-a-knot"
    return Curve(rows.time, CubicSpline(rows.time, values, bc_type=ends).c)


def check_meets(rows: Rows) -> None:
    """Check that a repeated trajectory ends at its first row.

    Raises:
        SettingError: with the joint and the gap.
    """
    gaps = np.abs(rows.position[-1] - rows.position[0])
    j = int(np.argmax(gaps))
    if gaps[j] > MEETS:
        raise SettingError(
            f'"repeat" needs a last row like the first; in {rows.file} {rows.joints[j]} ends '
            f"{gaps[j]:g} rad or m from its start",
            "after",
        )
