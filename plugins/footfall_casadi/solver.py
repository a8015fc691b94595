"""CasADi's QP interface as a Footfall solver."""

from __future__ import annotations

import contextlib
import io
from typing import Any, Literal

import casadi
import numpy as np
import numpy.typing as npt
from pydantic import Field

from footfall.plugin import PluginConfig
from footfall.problem.backend import TOLERANCE, Answer, solve_with
from footfall.roles.solver import QPProblem, QPSolution, QPSolver
from footfall_casadi.backends import BACKENDS

Floats = npt.NDArray[np.float64]


class CasadiQPConfig(PluginConfig):
    """Settings of the solver."""

    solver: Literal["qpoases", "osqp", "daqp", "piqp"] = "qpoases"
    """The backend."""
    tolerance: float = Field(default=TOLERANCE, ge=1e-13, le=1e-3)
    """Largest KKT residual, in scale, of an answer that is used, [-]."""
    max_iterations: int | None = Field(default=None, ge=1)
    """Most iterations of a solve, as the backend counts them; its own limit if not given."""


class CasadiQP(QPSolver):
    """A backend of CasADi's ``conic``, built anew for each solve.

    Answers of qpOASES and OSQP depend on what they solved before, and qpOASES goes on failing after
    one unbounded problem, so no object outlives a solve; that costs 0.05 to 0.25 ms. There is no
    warm start for the same reason.

    Andersson, Gillis, Horn, Rawlings, Diehl, "CasADi: a software framework for nonlinear
    optimization and optimal control", Mathematical Programming Computation 11 (2019).
    """

    name = "casadi"
    Config = CasadiQPConfig

    def __init__(self, config: CasadiQPConfig) -> None:
        self.config = config
        options = BACKENDS[config.solver](config.tolerance, config.max_iterations)
        self._options = {"error_on_fail": False, **options}

    def solve(self, problem: QPProblem, warm_start: tuple[Floats, Floats] | None) -> QPSolution:
        """Solve one problem from scratch."""
        return solve_with(self._call, problem, self.config.tolerance)

    def _call(self, problem: QPProblem, x: Floats, z: Floats) -> Answer:
        with contextlib.redirect_stdout(io.StringIO()):  # qpOASES prints a banner at every build
            x, z, report = self._run(problem)
        words = str(report.get("return_status", report.get("unified_return_status", "")))
        return Answer(x, z, max(int(report.get("iter_count", 0)), 0), words)

    def _run(self, problem: QPProblem) -> tuple[Floats, Floats, dict[str, Any]]:
        """Build the backend, solve; return x, z (CasADi's ``lam_a``) and the report."""
        n, m = len(problem.g), len(problem.l)
        shape = {"h": casadi.Sparsity.dense(n, n), "a": casadi.Sparsity.dense(m, n)}
        function: Any = casadi.conic("qp", self.config.solver, shape, self._options)
        infinite = np.full(n, np.inf)
        arguments = {
            "h": problem.H.ravel(),  # symmetric: the same by rows and by columns
            "g": problem.g,
            "a": problem.C.ravel(order="F"),
            "lba": problem.l,
            "uba": problem.u,
            "lbx": -infinite,
            "ubx": infinite,
        }
        x, z = np.zeros(n), np.zeros(m)
        buffer, run = function.buffer()
        views = {name: np.ascontiguousarray(value).data for name, value in arguments.items()}
        for name, view in views.items():
            buffer.set_arg(function.index_in(name), view)
        buffer.set_res(function.index_out("x"), x.data)
        buffer.set_res(function.index_out("lam_a"), z.data)
        try:
            run()
        except RuntimeError as error:  # e.g. OSQP on a Hessian that is not positive semidefinite
            return np.full(n, np.nan), z, {"return_status": str(error).strip().splitlines()[-1]}
        return x, z, buffer.stats()
