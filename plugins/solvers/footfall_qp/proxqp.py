"""ProxQP, the default QP solver."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from pydantic import Field

from footfall.api.advanced import ScaledQP, load_proxqp
from footfall.api.plugin import Capability, Floats, PluginConfig
from footfall.api.solver import QPProblem, QPSolution, QPSolver, QPStatus

ACCEPTED = 1e-9
"""Residual up to which an answer is used even if ``eps_abs`` is smaller; above it a solve fails."""
MORE, ROUNDS = 4, 5
"""Outer iterations of a further round, and most rounds. Rounds follow if ProxQP's own test passes
and Footfall's does not."""
NEVER = 1e-12
"""Thresholds of ProxQP's own tests of infeasibility. With its default, 1e-4, it reports one in ten
friction problems of unusual scale as infeasible; Footfall's test is exact."""

PROXIMAL, PENALTY = 1e-9, 1e-2
"""ProxQP's initial ``rho`` and ``mu_in``. With its defaults, 1e-6 and 0.1, the internal forces of a
foot that turns slightly (g is then slightly outside the range of H) take hundreds of iterations.
"""


class ProxQPConfig(PluginConfig):
    """Settings of the solver."""

    eps_abs: float = Field(default=1e-11, ge=1e-14, le=1e-3)
    """Largest primal and dual residual, with g scaled to order 1 [-]. With 1e-9, feet on stiff
    contacts have errors of up to 1e-8 m/s."""
    eps_rel: float = Field(default=1e-14, ge=0.0, le=1e-3)
    """The same, relative to the largest terms of the residual, [-]."""
    max_iterations: int = Field(default=200, ge=1)
    """Largest number of outer iterations."""
    max_inner_iterations: int = Field(default=100, ge=1)
    """Largest number of inner (Newton) iterations per outer one."""


class ProxQP(QPSolver):
    """Proximal augmented Lagrangian method with dense factorisations.

    It solves problems with singular Hessians and redundant constraints. ProxQP's stopping test
    ignores complementarity. If Footfall's residual is above ``eps_abs``, more outer iterations
    follow, then Newton steps on the active constraints.

    Source: Bambade et al., "PROX-QP", RSS 2022.
    """

    name = "proxqp"
    Config = ProxQPConfig
    capabilities = frozenset({Capability.WARM_START})

    def __init__(self, config: ProxQPConfig) -> None:
        self.config = config
        self._proxqp = load_proxqp()
        self._accepted = max(10.0 * config.eps_abs, ACCEPTED)
        self._solved = self._proxqp.QPSolverOutput.PROXQP_SOLVED
        self._objects: dict[tuple[int, int, bool], Any] = {}

    def solve(self, problem: QPProblem, warm_start: tuple[Floats, Floats] | None) -> QPSolution:
        """Solve one problem; a warm start that is not finite, or fails, is not used."""
        try:
            scaled = ScaledQP.of(problem)
        except ValueError:
            return QPSolution.refused(problem)
        starts = [(np.zeros(len(problem.g)), np.zeros(len(problem.l)))]
        if warm_start is not None:
            x, z = warm_start
            if math.isfinite(x @ x + z @ z):
                starts.insert(0, scaled.into(x, z))
        best, iterations = None, 0
        for start, preconditioned in product(starts, (False, True)):
            ended = self._converge(problem, scaled, *start, preconditioned)
            iterations += ended.iterations
            if best is None or ended.residuals.scaled < best.residuals.scaled:
                best = ended
            if best.residuals.scaled <= self._accepted:
                break
        assert best is not None
        return replace(scaled.checked(problem, best, self._accepted), iterations=iterations)

    def _converge(
        self, problem: QPProblem, scaled: ScaledQP, x: Floats, z: Floats, preconditioned: bool
    ) -> QPSolution:
        """Solve from a scaled (x, z) until the residual is small or no round improves it."""
        qp = self._initialised(scaled.problem, preconditioned)
        settings = qp.settings
        settings.eps_abs, settings.eps_rel = self.config.eps_abs, self.config.eps_rel
        settings.max_iter = self.config.max_iterations
        x, z, iterations, status = self._run(qp, x, z)
        answer = scaled.back(x, z)
        residuals = problem.residuals(*answer)
        if status is not self._solved:
            return QPSolution(*answer, QPStatus.FAILED, iterations, residuals, status.name)
        for _ in range(ROUNDS):
            if residuals.scaled <= self.config.eps_abs:
                break
            # Initialised again: ProxQP can end in NaN if it is resumed.
            qp = self._initialised(scaled.problem, preconditioned)
            settings.eps_abs, settings.eps_rel, settings.max_iter = 0.0, 0.0, MORE
            x, z, more, _ = self._run(qp, x, z)
            iterations += more
            nearer = scaled.back(x, z)
            better = problem.residuals(*nearer)
            if not better.scaled < residuals.scaled:
                break
            answer, residuals = nearer, better
        ended = QPSolution(*answer, QPStatus.FAILED, iterations, residuals, status.name)
        if residuals.scaled <= self._accepted:
            return ended
        return self._polished(problem, scaled, ended)

    def _polished(self, problem: QPProblem, scaled: ScaledQP, ended: QPSolution) -> QPSolution:
        """Return the answer polished on its active rows, or unchanged if that is no better."""
        answer = scaled.polished(ended.x, ended.z, self.config.eps_abs)
        residuals = problem.residuals(*answer)
        if not residuals.scaled < ended.residuals.scaled:
            return ended
        return replace(ended, x=answer[0], z=answer[1], residuals=residuals, polished=True)

    def _initialised(self, problem: QPProblem, preconditioned: bool) -> Any:
        """Return a ProxQP object with this problem and no state of earlier ones."""
        size = len(problem.g), len(problem.l), preconditioned
        qp = self._objects.get(size)
        if qp is None:
            qp = self._objects[size] = self._new(*size[:2])
        p = problem
        qp.init(p.H, p.g, None, None, p.C, p.l, p.u, compute_preconditioner=preconditioned)
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
