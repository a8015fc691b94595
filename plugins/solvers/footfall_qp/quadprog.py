"""quadprog, a dual active-set solver for strictly convex problems."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from footfall.api.advanced import TOLERANCE
from footfall.api.plugin import Floats, PluginConfig
from footfall.api.solver import Answer, QPProblem, QPSolution, QPSolver, solve_with


class QuadprogConfig(PluginConfig):
    """Settings of the solver."""

    tolerance: float = Field(default=TOLERANCE, ge=1e-13, le=1e-3)
    """Largest scaled KKT residual of an accepted answer, [-]."""
    shift: float = Field(default=1e-8, ge=1e-10, le=1.0)
    """eps of the proximal steps, for a Hessian with largest entry 1, [-]. A smaller eps needs fewer
    steps, but quadprog may reject the matrix."""


class Quadprog(QPSolver):
    """The dual method of Goldfarb and Idnani (Mathematical Programming 27, 1983).

    It rejects singular Hessians, such as a flat foot's Delassus matrix. Footfall therefore takes
    proximal steps: it solves with ``H + eps I`` and ``g - eps x_k``, where ``x_k`` is the answer of
    the previous proximal step.
    """

    name = "quadprog"
    Config = QuadprogConfig

    def __init__(self, config: QuadprogConfig) -> None:
        self.config = config

    def solve(self, problem: QPProblem, warm_start: tuple[Floats, Floats] | None) -> QPSolution:
        """Solve one problem from scratch."""
        return solve_with(self._call, problem, self.config.tolerance, shift=self.config.shift)

    @staticmethod
    def _call(problem: QPProblem, x: Floats, z: Floats) -> Answer:
        try:
            return _goldfarb_idnani(problem)
        except ValueError as error:  # quadprog reports contradicting bounds, rightly or not
            return Answer(np.full(len(x), np.nan), z, 0, str(error))


def _goldfarb_idnani(problem: QPProblem) -> Answer:
    """Solve with rows ``C'x >= b``, equalities first; return multipliers of the original rows."""
    from quadprog import solve_qp  # here: its pages are made without it

    equal = problem.l == problem.u
    at_u = np.flatnonzero(np.isfinite(problem.u) & ~equal)
    at_l = np.flatnonzero(np.isfinite(problem.l) & ~equal)
    equal_rows = np.flatnonzero(equal)
    rows = np.vstack([problem.C[equal_rows], -problem.C[at_u], problem.C[at_l]])
    bound = np.concatenate([problem.l[equal_rows], -problem.u[at_u], problem.l[at_l]])
    m = len(equal_rows)
    constraints = (np.ascontiguousarray(rows.T), bound, m) if len(bound) else ()
    found = solve_qp(problem.H, -problem.g, *constraints)
    multipliers = found[4] if len(bound) else bound
    z = np.zeros(len(problem.l))
    z[equal_rows] = -multipliers[:m]
    z[at_u] += multipliers[m : m + len(at_u)]
    z[at_l] -= multipliers[m + len(at_u) :]
    return Answer(found[0], z, int(found[3][0]), "solved")
