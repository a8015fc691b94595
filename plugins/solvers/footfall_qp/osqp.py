"""OSQP, an operator-splitting solver."""

from __future__ import annotations

import numpy as np
import osqp
from pydantic import Field
from scipy.sparse import csc_matrix

from footfall.api.advanced import TOLERANCE
from footfall.api.plugin import Capability, Floats, PluginConfig
from footfall.api.solver import Answer, QPProblem, QPSolution, QPSolver, solve_with

TIGHTER = 0.1
"""OSQP's tolerance, relative to ours: its residuals differ from Footfall's."""
INFEASIBLE = 1e-9
"""OSQP's thresholds of infeasibility. With its default, 1e-4, slow problems count as infeasible."""


class OSQPConfig(PluginConfig):
    """Settings of the solver."""

    tolerance: float = Field(default=TOLERANCE, ge=1e-13, le=1e-3)
    """Largest scaled KKT residual of an accepted answer, [-]."""
    max_iterations: int = Field(default=20_000, ge=1)
    """Largest number of iterations."""
    adaptation_interval: int = Field(default=50, ge=0)
    """Number of iterations after which OSQP adapts its step size, [-]; 0: never."""


class OSQP(QPSolver):
    """Alternating direction method of multipliers, with a sparse factorisation for each step size.

    Each solve creates a new solver object, which takes about 0.3 ms. Source: Stellato et al.,
    Mathematical Programming Computation 12, 2020.
    """

    name = "osqp"
    Config = OSQPConfig
    capabilities = frozenset({Capability.WARM_START})

    def __init__(self, config: OSQPConfig) -> None:
        self.config = config
        self._settings = {
            "verbose": False,
            "polishing": False,
            "eps_abs": TIGHTER * config.tolerance,
            "eps_rel": TIGHTER * config.tolerance,
            "eps_prim_inf": INFEASIBLE,
            "eps_dual_inf": INFEASIBLE,
            "max_iter": config.max_iterations,
            "adaptive_rho": int(config.adaptation_interval > 0),
            "adaptive_rho_interval": max(config.adaptation_interval, 1),
        }

    def solve(self, problem: QPProblem, warm_start: tuple[Floats, Floats] | None) -> QPSolution:
        """Solve one problem, from (x, z) if given."""
        return solve_with(self._call, problem, self.config.tolerance, start=warm_start)

    def _call(self, problem: QPProblem, x: Floats, z: Floats) -> Answer:
        solver = osqp.OSQP(algebra="builtin")
        H, C = csc_matrix(np.triu(problem.H)), csc_matrix(problem.C)
        try:
            solver.setup(H, problem.g, C, problem.l, problem.u, **self._settings)
            solver.warm_start(x=x, y=z)
            result = solver.solve(raise_error=False)
        except osqp.OSQPException as error:  # e.g. for an indefinite H
            return Answer(np.full(len(x), np.nan), z, 0, f"OSQP error {error}")
        found = np.array(result.x, float), np.array(result.y, float)
        return Answer(*found, int(result.info.iter), str(result.info.status))
