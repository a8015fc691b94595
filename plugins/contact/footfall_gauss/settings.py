"""Settings that the laws of Gauss's principle share."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from footfall.api.plugin import PluginConfig


class PyramidConfig(PluginConfig):
    """Settings of all three laws."""

    sides: int = Field(default=4, ge=4, le=128, multiple_of=2)
    """Sides of the friction pyramid, [-]; it circumscribes the cone, and reaches
    1 / cos(pi / sides) times mu at its edges. 4 is the source's: across the tangent axes."""
    loops: Literal["rank_safe", "damped"] = "rank_safe"
    """How closed loops are eliminated: with a pseudo-inverse that leaves out rows that follow from
    others, or with the source's damped one."""
    loop_damping: float = Field(default=1e-3, gt=0.0, le=1.0)
    """Damping k of ``loops = "damped"``, in the unit of the inverse inertia of a loop's rows,
    [1/kg, 1/(kg m) or 1/(kg m^2)]."""
    max_consecutive_failures: int = Field(default=10, ge=1)
    """Steps in a row with a failed QP at which the run ends. Until then the last valid forces of
    the same contacts are kept, and each failure is counted in the recording."""


class GaussConfig(PyramidConfig):
    """Settings of ``gauss`` and ``gauss_discrete``."""

    touch_distance: float = Field(default=1e-9, ge=0.0, le=1e-3)
    """Gap up to which a point touches, [m]. A point at rest is within rounding of the ground, on
    either side of it; with 0, as in the source, it drops out of the problem now and then."""


class GaussDeSaxceConfig(PyramidConfig):
    """Settings of ``gauss_de_saxce``."""

    tolerance: float = Field(default=1e-9, gt=0.0, le=1e-3)
    """Residual at which the fixed point is reached, [m/s]: error of the normal velocities."""
    max_iterations: int = Field(default=100, ge=1)
    """Most QPs a step and group; the best answer is kept and its residual recorded."""
    margin: float = Field(default=1e-3, gt=0.0)
    """Gap up to which a point takes part, [m]."""
