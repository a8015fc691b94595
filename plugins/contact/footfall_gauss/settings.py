"""Settings of the laws of Gauss's principle."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from footfall.api.plugin import PluginConfig


class PyramidConfig(PluginConfig):
    """Settings of all three laws."""

    sides: int = Field(default=4, ge=4, le=128, multiple_of=2)
    """Sides of the friction pyramid, [-]; it circumscribes the cone, and friction reaches
    mu / cos(pi / sides) at its edges. 4, as in the source: sides perpendicular to the tangents."""
    loops: Literal["rank_safe", "damped"] = "rank_safe"
    """Elimination of closed loops: with a pseudo-inverse that ignores dependent rows
    (``rank_safe``), or with the source's damped inverse (``damped``)."""
    loop_damping: float = Field(default=1e-3, gt=0.0, le=1.0)
    """Damping k of ``loops = "damped"``, in the unit of the inverse inertia of a loop's rows,
    [1/kg, 1/(kg m) or 1/(kg m^2)]."""
    max_consecutive_failures: int = Field(default=10, ge=1)
    """Number of successive steps with a failed QP that ends the run. Before that the last valid
    forces of the same contacts are kept, and each failure is counted in the recording."""


class GaussConfig(PyramidConfig):
    """Settings of ``gauss`` and ``gauss_discrete``."""

    touch_distance: float = Field(default=1e-9, ge=0.0, le=1e-3)
    """Gap up to which a point touches, [m]. Rounding puts a point at rest on either side of the
    ground; with 0, as in the source, it leaves the problem in some steps."""


class GaussDeSaxceConfig(PyramidConfig):
    """Settings of ``gauss_de_saxce``."""

    tolerance: float = Field(default=1e-9, gt=0.0, le=1e-3)
    """Residual at which the fixed point is reached, [m/s]: error of the normal velocities."""
    max_iterations: int = Field(default=100, ge=1)
    """Most QPs per step and group; the best answer is kept and its residual recorded."""
    margin: float = Field(default=1e-3, gt=0.0)
    """Gap up to which a point takes part, [m]."""
