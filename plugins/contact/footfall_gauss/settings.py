"""Settings of the laws of Gauss's principle."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from footfall.api.plugin import PluginConfig


class PyramidConfig(PluginConfig):
    """Settings of all three laws."""

    sides: int = Field(default=4, ge=4, le=128, multiple_of=2)
    """Sides of the pyramid, [-]. It encloses the cone, so friction is up to ``mu / cos(pi /
    sides)``. The source has 4."""
    loops: Literal["rank_safe", "damped"] = "rank_safe"
    """Elimination of closed loops: pseudo-inverse without dependent rows, or the source's damped
    inverse."""
    loop_damping: float = Field(default=1e-3, gt=0.0, le=1.0)
    """Damping k of ``damped``, [1/kg, 1/(kg m) or 1/(kg m^2)]."""
    max_consecutive_failures: int = Field(default=10, ge=1)
    """Number of failed QPs in a row that ends the run. Until then the last valid forces of the same
    contacts act. Each failure is recorded."""


class GaussConfig(PyramidConfig):
    """Settings of ``gauss`` and ``gauss_discrete``."""

    touch_distance: float = Field(default=1e-9, ge=0.0, le=1e-3)
    """Gap up to which a point touches, [m]. With the source's 0, rounding errors lift resting
    points in some steps."""


class GaussDeSaxceConfig(PyramidConfig):
    """Settings of ``gauss_de_saxce``."""

    tolerance: float = Field(default=1e-9, gt=0.0, le=1e-3)
    """Error of normal velocities that ends the fixed-point iteration, [m/s]."""
    max_iterations: int = Field(default=100, ge=1)
    """Largest number of QPs per step and group; the best answer is kept, with its residual
    recorded."""
    margin: float = Field(default=1e-3, gt=0.0)
    """Largest gap of a point in the contact problem, [m]."""
