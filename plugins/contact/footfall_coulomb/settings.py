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
    """Natural-map residual at which the sweeps stop, [m/s]."""
    max_iterations: int = Field(default=1000, ge=1)
    """Most Gauss-Seidel sweeps per step; the best answer is kept and its residual recorded."""
    time_budget: float = Field(default=0.0, ge=0.0)
    """Wall time, counted after the first ten sweeps and their Newton steps, after which no more
    sweeps begin, [s]; 0: no limit. With a limit results depend on the machine and its load."""
    relaxation: float = Field(default=1.0, gt=0.0, lt=2.0)
    """Over-relaxation of the sweeps, [-]; 1 is plain Gauss-Seidel."""
    local_solver: LocalSolver = "hybrid"
    """Solver of one contact with the others fixed: ``enumerative`` (open, stick, or slip by a scan
    of all directions), ``newton`` (Alart and Curnier's function, line search), ``duriez`` (one
    projected step), ``hybrid`` (enumerative, but slip by Newton's method on its angle, and by the
    scan if that fails)."""
    acceleration: Acceleration = "newton"
    """Methods for slow sweeps: ``newton`` (Newton and proximal steps on whole collision groups and,
    after 200 sweeps, a path from soft contacts to rigid ones) or ``none`` (sweeps only)."""
    compliance: Compliance = 0.0
    """Rest depth of a contact divided by its normal force, [m/N]; 0: rigid."""
    compliances: dict[str, Compliance] = Field(default_factory=dict)
    """Compliance of single contacts, [m/N], by name (``body/contact``) or pattern (``*``, ``?``,
    ``[...]``). It overrides ``compliance``; if several patterns match, the last counts."""
    damping_time: float = Field(default=0.0, ge=0.0)
    """Relaxation time of a compliant contact: its damping over its stiffness, [s]."""
    position_gain: float = Field(default=0.2, ge=0.0, le=1.0)
    """Part of the penetration beyond the slop that is removed in a step, [-]; 0: no correction."""
    position_slop: float = Field(default=1e-5, ge=0.0)
    """Penetration that is not corrected, [m]."""
    margin: float = Field(default=1e-3, gt=0.0)
    """Gap up to which a point takes part, [m]."""
