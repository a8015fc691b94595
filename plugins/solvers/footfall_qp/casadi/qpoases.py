"""qpOASES, an online active-set solver, through CasADi."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from footfall.api.advanced import TOLERANCE
from footfall.api.plugin import Floats, PluginConfig
from footfall.api.solver import Answer, QPProblem, QPSolution, QPSolver, solve_with
from footfall_qp.casadi.conic import call_conic


class QPOASESConfig(PluginConfig):
    """Settings of the solver."""

    tolerance: float = Field(default=TOLERANCE, ge=1e-13, le=1e-3)
    """Largest scaled KKT residual of an accepted answer, [-]."""
    max_working_set_changes: int = Field(default=1000, ge=1)
    """Largest number of working-set changes."""
    proximal_steps: int = Field(default=10, ge=0)
    """Largest number of proximal steps, [-]. With 0, nothing is added to the Hessian, and problems
    whose solutions form an unbounded set are rejected."""


class QPOASES(QPSolver):
    """The parametric active-set method, in dense arithmetic.

    To a singular Hessian, qpOASES adds a small multiple of the unit matrix. Proximal steps then
    remove the error that this causes. Each solve creates a new solver object, which takes about
    0.05 ms. Source: Ferreau et al., Mathematical Programming Computation 6, 2014.
    """

    name = "qpoases"
    Config = QPOASESConfig

    def __init__(self, config: QPOASESConfig) -> None:
        self.config = config
        steps = config.proximal_steps
        self._options: dict[str, Any] = {
            "error_on_fail": False,
            "printLevel": "none",
            "hessian_type": "semidef",
            # Variables have no bounds, so no bounds are active at the start of the homotopy.
            # Without this option a solve takes three times as long, and fails on some impacts.
            "initialStatusBounds": "inactive",
            "enableRegularisation": steps > 0,
            "numRegularisationSteps": steps,
            "nWSR": config.max_working_set_changes,
        }

    def solve(self, problem: QPProblem, warm_start: tuple[Floats, Floats] | None) -> QPSolution:
        """Solve one problem from scratch."""
        return solve_with(self._call, problem, self.config.tolerance)

    def _call(self, problem: QPProblem, x: Floats, z: Floats) -> Answer:
        return call_conic("qpoases", self._options, problem)
