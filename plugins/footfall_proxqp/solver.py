"""ProxQP, the default QP solver."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from footfall.plugin import Capability, PluginConfig
from footfall.portable_proxsuite import load
from footfall.problem.scaling import ScaledQP
from footfall.problem.verdict import judge, refuse
from footfall.roles.solver import KKTResiduals, QPProblem, QPSolution, QPSolver, kkt_residuals

Floats = npt.NDArray[np.float64]
CONTENT = 10.0
"""The host is content with a KKT residual, in scale, of this many ``eps_abs``."""
ACCEPTED = 1e-9
"""An answer may be used up to this residual even if less was asked for; above, the solve failed."""
MORE, ROUNDS = 4, 5
"""Outer iterations of a further round, and most rounds, when ProxQP is content with an answer that
the host is not."""
NEVER = 1e-12
"""Thresholds of ProxQP's own tests of infeasibility. With its default, 1e-4, it calls one in ten
friction problems of unusual scale infeasible; the host's test is exact."""

PROXIMAL, PENALTY = 1e-9, 1e-2
"""ProxQP's starting ``rho`` and ``mu_in``. With its defaults, 1e-6 and 0.1, the internal forces of
a foot that turns a little (g is then a little outside the range of H) take hundreds of iterations.
"""


class ProxQPConfig(PluginConfig):
    """Settings of the solver."""

    eps_abs: float = Field(default=1e-11, ge=1e-14, le=1e-3)
    """Largest primal and dual residual [-], with g scaled to order 1. 1e-9 is hardly faster, and
    errs by up to 1e-8 m/s in stiff feet; 1e-12 may go into internal forces that move nothing."""
    eps_rel: float = Field(default=1e-14, ge=0.0, le=1e-3)
    """The same relative to the problem's largest terms, [-]: what rounding allows."""
    max_iterations: int = Field(default=200, ge=1)
    """Most outer iterations of a solve."""
    max_inner_iterations: int = Field(default=100, ge=1)
    """Most inner (Newton) iterations of an outer one."""


class ProxQP(QPSolver):
    """Proximal augmented Lagrangian method with dense factorisations.

    Bambade, El-Kazdadi, Taylor, Carpentier, "PROX-QP: Yet another quadratic programming solver for
    robotics and beyond", RSS 2022. Singular Hessians and redundant constraints are no trouble to
    it, so nothing is regularised here.

    ProxQP's own stopping test leaves complementarity out: a multiplier may still be on its way to
    zero. When the host's residual is not within ``10 eps_abs`` (about 1 solve in 70 of two moving
    feet), a few more outer iterations follow, which bring it there.

    Objects of ProxQP are kept by size and initialised anew at each call, which gives the same bits
    as a new object.
    """

    name = "proxqp"
    Config = ProxQPConfig
    capabilities = frozenset({Capability.WARM_START})

    def __init__(self, config: ProxQPConfig) -> None:
        self.config = config
        self._proxqp = load()
        self._content = CONTENT * config.eps_abs
        self._accepted = max(self._content, ACCEPTED)
        self._solved = self._proxqp.QPSolverOutput.PROXQP_SOLVED
        self._objects: dict[tuple[int, int], Any] = {}

    def solve(self, problem: QPProblem, warm_start: tuple[Floats, Floats] | None) -> QPSolution:
        """Solve one problem; a warm start that is not finite, or leads nowhere, is left aside."""
        if not problem.is_finite():
            return refuse(problem)
        scaled = ScaledQP.of(problem)
        cold = np.zeros(len(problem.g)), np.zeros(len(problem.l))
        start = cold
        if warm_start is not None and math.isfinite(sum(a @ a for a in warm_start)):
            start = scaled.into(*warm_start)
        x, z, residuals, iterations, message = self._converge(problem, scaled, *start)
        if residuals.scaled > self._accepted and start is not cold:
            x, z, residuals, more, message = self._converge(problem, scaled, *cold)
            iterations += more
        return judge(
            problem,
            x,
            z,
            self._accepted,
            residuals=residuals,
            iterations=iterations,
            message=message,
        )

    def _converge(
        self, problem: QPProblem, scaled: ScaledQP, x: Floats, z: Floats
    ) -> tuple[Floats, Floats, KKTResiduals, int, str]:
        """Solve from a scaled (x, z) until the host is content, or no round makes it better."""
        qp = self._initialised(scaled.problem)
        settings = qp.settings
        settings.eps_abs, settings.eps_rel = self.config.eps_abs, self.config.eps_rel
        settings.max_iter = self.config.max_iterations
        x, z, iterations, status = self._run(qp, x, z)
        residuals = kkt_residuals(problem, *scaled.back(x, z))
        for _ in range(ROUNDS if status is self._solved else 0):
            if residuals.scaled <= self._content:
                break
            qp = self._initialised(scaled.problem)  # ProxQP can end in NaN if it is merely resumed
            settings.eps_abs, settings.eps_rel, settings.max_iter = 0.0, 0.0, MORE
            y, w, more, _ = self._run(qp, x, z)
            iterations += more
            better = kkt_residuals(problem, *scaled.back(y, w))
            if not better.scaled < residuals.scaled:
                break
            x, z, residuals = y, w, better
        return *scaled.back(x, z), residuals, iterations, str(status.name)

    def _initialised(self, problem: QPProblem) -> Any:
        """Return an object of ProxQP that holds this problem and nothing of earlier ones."""
        size = len(problem.g), len(problem.l)
        qp = self._objects.get(size)
        if qp is None:
            qp = self._objects[size] = self._new(*size)
        qp.init(problem.H, problem.g, None, None, problem.C, problem.l, problem.u)
        return qp

    def _new(self, n: int, m: int) -> Any:
        qp = self._proxqp.dense.QP(n, 0, m)
        qp.settings.max_iter_in = self.config.max_inner_iterations
        qp.settings.eps_primal_inf = qp.settings.eps_dual_inf = NEVER
        qp.settings.default_rho, qp.settings.default_mu_in = PROXIMAL, PENALTY
        qp.settings.initial_guess = self._proxqp.InitialGuess.WARM_START
        return qp

    @staticmethod
    def _run(qp: Any, x: Floats, z: Floats) -> tuple[Floats, Floats, int, Any]:
        """Solve from (x, z); return x, z, iterations and ProxQP's status."""
        qp.solve(x, None, z)
        results = qp.results
        info = results.info
        return results.x.copy(), results.z.copy(), int(info.iter), info.status
