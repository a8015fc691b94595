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
    """Error (natural map) at which the sweeps stop, [m/s]."""
    max_iterations: int = Field(default=1000, ge=1)
    """Largest number of Gauss-Seidel sweeps."""
    time_budget: float = Field(default=0.0, ge=0.0)
    """Wall time for the sweeps after the first ten, [s]; 0: no limit. With a limit, results depend
    on the machine's load."""
    relaxation: float = Field(default=1.0, gt=0.0, lt=2.0)
    """Over-relaxation of the sweeps, [-]."""
    local_solver: LocalSolver = "hybrid"
    """Solver of one contact. ``enumerative`` tries open, stick, then all slip directions.
    ``hybrid`` finds the slip direction by Newton's method instead. ``newton``: the method of Alart
    and Curnier. ``duriez``: one projected step."""
    acceleration: Acceleration = "newton"
    """Help for sweeps that converge slowly. ``newton``: Newton's method on a whole group."""
    compliance: Compliance = 0.0
    """Depth at rest per normal force, [m/N]; 0: rigid."""
    compliances: dict[str, Compliance] = Field(default_factory=dict)
    """Compliance of single contacts, [m/N], by the name ``body/contact`` or a pattern (``*``,
    ``?``, ``[...]``). The last match counts."""
    damping_time: float = Field(default=0.0, ge=0.0)
    """Damping divided by stiffness of a compliant contact, [s]."""
    position_gain: float = Field(default=0.2, ge=0.0, le=1.0)
    """Part of the penetration beyond ``position_slop`` that each step removes, [-]."""
    position_slop: float = Field(default=1e-5, ge=0.0)
    """Penetration that is not corrected, [m]."""
    margin: float = Field(default=1e-3, gt=0.0)
    """Largest gap of a point in the contact problem, [m]."""
