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
    """Largest scaled KKT residual of an answer that is used, [-]."""
    max_working_set_changes: int = Field(default=1000, ge=1)
    """Most changes of the working set in a call."""
    proximal_steps: int = Field(default=10, ge=0)
    """Most steps in which qpOASES removes its regularisation of a singular Hessian, [-]. With 0 it
    reports a problem as unbounded if its set of solutions is unbounded."""


class QPOASES(QPSolver):
    """The parametric active-set method, in dense arithmetic.

    Ferreau, Kirches, Potschka, Bock, Diehl, "qpOASES: a parametric active-set algorithm for
    quadratic programming", Mathematical Programming Computation 6 (2014).

    An object's answers depend on earlier problems, and after one unbounded problem it fails on all
    later ones. So each solve uses a new object (about 0.05 ms), and there is no warm start. The
    search for identity Hessians is off, because the regularisation fails on them; there is no time
    limit.
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
