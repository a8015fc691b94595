"""CasADi's QP interface as a Footfall solver."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from footfall.api.advanced import TOLERANCE
from footfall.api.plugin import Floats, PluginConfig
from footfall.api.solver import Answer, QPProblem, QPSolution, QPSolver, solve_with
from footfall_qp.casadi.backends import options
from footfall_qp.casadi.conic import call_conic


class CasadiQPConfig(PluginConfig):
    """Settings of the solver."""

    solver: Literal["qpoases", "osqp", "daqp", "piqp"] = "qpoases"
    """The QP solver that CasADi calls."""
    tolerance: float = Field(default=TOLERANCE, ge=1e-13, le=1e-3)
    """Largest scaled KKT residual of an accepted answer, [-]."""
    max_iterations: int | None = Field(default=None, ge=1)
    """Largest number of iterations. Default: that of the QP solver."""


class CasadiQP(QPSolver):
    """A QP solver, called through CasADi.

    Each solve creates a new solver object, which takes 0.05 to 0.25 ms.
    Source: Andersson et al., Mathematical Programming Computation 11, 2019.
    """

    name = "casadi"
    Config = CasadiQPConfig

    def __init__(self, config: CasadiQPConfig) -> None:
        self.config = config
        given = options(config.solver, config.tolerance, config.max_iterations)
        self._options = {"error_on_fail": False, **given}

    def solve(self, problem: QPProblem, warm_start: tuple[Floats, Floats] | None) -> QPSolution:
        """Solve one problem from scratch."""
        return solve_with(self._call, problem, self.config.tolerance)

    def _call(self, problem: QPProblem, x: Floats, z: Floats) -> Answer:
        return call_conic(self.config.solver, self._options, problem)
