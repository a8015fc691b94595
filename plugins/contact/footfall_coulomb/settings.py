"""Settings of the law ``coulomb``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from footfall.api.plugin import PluginConfig

LocalSolver = Literal["hybrid", "enumerative", "newton", "duriez"]
Acceleration = Literal["newton", "none"]
Compliance = Annotated[float, Field(ge=0.0, le=1e6)]


class CoulombConfig(PluginConfig):
    """Settings of the law."""

    tolerance: float = Field(default=1e-8, gt=0.0, le=1e-3)
    """Natural-map residual that stops the sweeps, [m/s]."""
    max_iterations: int = Field(default=1000, ge=1)
    """Largest number of Gauss-Seidel sweeps; the best answer is kept, with its residual
    recorded."""
    time_budget: float = Field(default=0.0, ge=0.0)
    """Wall time after the first ten sweeps in which further sweeps may begin, [s]; 0: no limit.
    With a limit, results depend on the machine's load."""
    relaxation: float = Field(default=1.0, gt=0.0, lt=2.0)
    """Over-relaxation of the sweeps, [-]."""
    local_solver: LocalSolver = "hybrid"
    """Solver of one contact: ``enumerative`` (open, stick, then a scan of slip directions),
    ``newton`` (Alart and Curnier), ``duriez`` (one projected step), ``hybrid`` (``enumerative``,
    with Newton's method for the slip direction)."""
    acceleration: Acceleration = "newton"
    """Help for slow sweeps: ``newton`` (Newton and proximal steps on whole groups; after 200 sweeps
    a series from soft to rigid contacts) or ``none``."""
    compliance: Compliance = 0.0
    """Rest depth per normal force, [m/N]; 0: rigid."""
    compliances: dict[str, Compliance] = Field(default_factory=dict)
    """Compliance of single contacts instead of ``compliance``, [m/N], by ``body/contact`` or
    pattern (``*``, ``?``, ``[...]``); the last match counts."""
    damping_time: float = Field(default=0.0, ge=0.0)
    """Damping over stiffness of a compliant contact, [s]."""
    position_gain: float = Field(default=0.2, ge=0.0, le=1.0)
    """Part of the penetration beyond the slop removed per step, [-]."""
    position_slop: float = Field(default=1e-5, ge=0.0)
    """Penetration left uncorrected, [m]."""
    margin: float = Field(default=1e-3, gt=0.0)
    """Largest gap of a point in the contact problem, [m]."""
