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

    tolerance: float = Field(default=1e-9, gt=0.0, le=1e-3)
    """Natural-map residual at which the sweeps stop, [m/s]."""
    max_iterations: int = Field(default=1000, ge=1)
    """Most Gauss-Seidel sweeps a step; the best answer is kept and its residual recorded."""
    time_budget: float = Field(default=0.0, ge=0.0)
    """Wall time after the first ten sweeps, and the steps that are tried then, at which no more
    are begun, [s]; 0: none. With a budget results depend on the machine and what else it does."""
    relaxation: float = Field(default=1.0, gt=0.0, lt=2.0)
    """Over-relaxation of the sweeps, [-]; 1 is plain Gauss-Seidel."""
    local_solver: LocalSolver = "hybrid"
    """How one contact is solved with the others fixed: ``enumerative`` (open, stick, or slip by a
    scan of all directions), ``newton`` (Alart and Curnier's function, line search), ``duriez`` (one
    projected step), ``hybrid`` (enumerative, slip by Newton's method on its angle, by the scan
    where that fails)."""
    acceleration: Acceleration = "newton"
    """What is done where sweeps are slow: ``newton`` (Newton and proximal steps on whole collision
    groups and, after 200 sweeps, a way from soft contacts to rigid ones) or ``none`` (sweeps
    alone)."""
    compliance: Compliance = 0.0
    """Depth at which a contact rests over the normal force that it carries, [m/N]; 0: rigid."""
    compliances: dict[str, Compliance] = Field(default_factory=dict)
    """Compliance of single contacts, [m/N], by name (``body/contact``) or pattern (``*``, ``?``,
    ``[...]``), over ``compliance``; of several patterns the last counts."""
    damping_time: float = Field(default=0.0, ge=0.0)
    """Time in which a compliant contact relaxes: its damping over its stiffness, [s]."""
    position_gain: float = Field(default=0.2, ge=0.0, le=1.0)
    """Part of the penetration beyond the slop that is removed in a step, [-]; 0: none is."""
    position_slop: float = Field(default=1e-5, ge=0.0)
    """Penetration that is left alone, [m]."""
    margin: float = Field(default=1e-3, gt=0.0)
    """Gap up to which a point takes part, [m]."""
