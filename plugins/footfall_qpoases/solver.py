"""qpOASES, an online active-set solver, through CasADi."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import casadi
import numpy as np
import numpy.typing as npt
from pydantic import Field

from footfall.plugin import PluginConfig
from footfall.problem.backend import TOLERANCE, Answer, solve_with
from footfall.roles.solver import QPProblem, QPSolution, QPSolver

Floats = npt.NDArray[np.float64]


class QPOASESConfig(PluginConfig):
    """Settings of the solver."""

    tolerance: float = Field(default=TOLERANCE, ge=1e-13, le=1e-3)
    """Largest KKT residual, in scale, of an answer that is used, [-]."""
    max_working_set_changes: int = Field(default=1000, ge=1)
    """Most changes of the working set in a call."""
    proximal_steps: int = Field(default=10, ge=0)
    """Most of qpOASES' own steps that take its regularisation of a singular Hessian back, [-].
    Without them it calls problems unbounded whose set of solutions is."""


class QPOASES(QPSolver):
    """The parametric active-set method, in dense arithmetic.

    Ferreau, Kirches, Potschka, Bock, Diehl, "qpOASES: a parametric active-set algorithm for
    quadratic programming", Mathematical Programming Computation 6 (2014).

    Its answers depend on what the object solved before, and after one unbounded problem it fails on
    all that follow, so each solve has a new one (about 0.05 ms), from scratch, and there is no warm
    start. It is told not to look for identity Hessians, on which its regularisation fails, and to
    keep no time.
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
            # Variables have no bounds: nothing of them is active when the homotopy begins. Left
            # out, it takes three times as long, and fails on some impacts.
            "initialStatusBounds": "inactive",
            "enableRegularisation": steps > 0,
            "numRegularisationSteps": steps,
            "nWSR": config.max_working_set_changes,
        }

    def solve(self, problem: QPProblem, warm_start: tuple[Floats, Floats] | None) -> QPSolution:
        """Solve one problem from scratch."""
        return solve_with(self._call, problem, self.config.tolerance)

    def _call(self, problem: QPProblem, x: Floats, z: Floats) -> Answer:
        n, m = len(problem.g), len(problem.l)
        shape = {"h": casadi.Sparsity.dense(n, n), "a": casadi.Sparsity.dense(m, n)}
        x, z = np.full(n, np.nan), np.zeros(m)
        with contextlib.redirect_stdout(io.StringIO()):  # CasADi prints its banner at every build
            function: Any = casadi.conic("qp", "qpoases", shape, self._options)
            buffer, run = function.buffer()
            views = _views(problem)
            for name, view in views.items():
                buffer.set_arg(function.index_in(name), view)
            buffer.set_res(function.index_out("x"), x.data)
            buffer.set_res(function.index_out("lam_a"), z.data)
            run()
            report = buffer.stats()
        words = str(report.get("return_status", ""))
        return Answer(x, z, max(int(report.get("iter_count", 0)), 0), words)


def _views(problem: QPProblem) -> dict[str, memoryview]:
    """Return the memory that CasADi reads, matrices by columns, by the names of its inputs."""
    infinite = np.full(len(problem.g), np.inf)
    arguments = {
        "h": problem.H.ravel(),  # symmetric: the same by rows and by columns
        "g": problem.g,
        "a": problem.C.ravel(order="F"),
        "lba": problem.l,
        "uba": problem.u,
        "lbx": -infinite,
        "ubx": infinite,
    }
    return {name: np.ascontiguousarray(value).data for name, value in arguments.items()}
