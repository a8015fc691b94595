"""The solvers behind the package qpsolvers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from pydantic import Field, field_validator
from scipy.sparse import csc_matrix

from footfall.api.advanced import TOLERANCE
from footfall.api.plugin import Floats, PluginConfig, nearest
from footfall.api.solver import Answer, QPProblem, QPSolution, QPSolver, solve_with
from footfall_qp.qpsolvers.available import AVAILABLE, SPARSE_ONLY, qpsolvers
from footfall_qp.qpsolvers.backends import SHIFT, options


class QPSolversConfig(PluginConfig):
    """Settings of the adapter."""

    backend: str = Field(
        default="daqp" if "daqp" in AVAILABLE else AVAILABLE[0],
        json_schema_extra={"enum": list(AVAILABLE)},
    )
    """Name of an installed solver in qpsolvers, e.g. daqp, piqp, clarabel."""
    tolerance: float = Field(default=TOLERANCE, ge=1e-13, le=1e-3)
    """Largest scaled KKT residual of an accepted answer, [-]."""

    @field_validator("backend")
    @classmethod
    def _installed(cls, backend: str) -> str:
        if backend not in AVAILABLE:
            known = ", ".join(AVAILABLE)
            hint = nearest(backend, AVAILABLE)
            raise ValueError(f"qpsolvers finds no solver of this name{hint} (installed: {known})")
        return backend


class QPSolvers(QPSolver):
    """Any solver that the package qpsolvers finds.

    Source: Caron et al., "qpsolvers: Quadratic Programming Solvers in Python".
    """

    name = "qpsolvers"
    Config = QPSolversConfig
    backends = AVAILABLE
    """Allowed values of the key ``backend`` in this installation."""

    def __init__(self, config: QPSolversConfig) -> None:
        self.config = config
        self._options = options(config.backend, config.tolerance)
        self._sparse = config.backend in SPARSE_ONLY

    def solve(self, problem: QPProblem, warm_start: tuple[Floats, Floats] | None) -> QPSolution:
        """Solve one problem from scratch."""
        shift = SHIFT.get(self.config.backend, 0.0)
        return solve_with(self._call, problem, self.config.tolerance, shift=shift)

    def _call(self, problem: QPProblem, x: Floats, z: Floats) -> Answer:
        if not len(problem.l):
            return Answer(np.zeros(len(x)), z, 0, "no rows")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Footfall tests the answer itself
                found = qpsolvers.solve_problem(
                    self._translated(problem), self.config.backend, **self._options
                )
        except Exception as error:  # backends raise their own kinds: a failed solve
            return Answer(np.full(len(x), np.nan), z, 0, str(error))
        if found.x is None:
            return Answer(np.full(len(x), np.nan), z, 0, "not found")
        words = "solved" if found.found else "not found"
        return Answer(np.array(found.x, float), _multipliers(problem, found), 0, words)

    def _translated(self, problem: QPProblem) -> Any:
        """Write ``l <= Cx <= u`` as ``Gx <= h`` (upper bounds, then lower ones) and ``Ax = b``."""
        equal, upper, lower = _sides(problem)
        G = np.vstack([problem.C[upper], -problem.C[lower]])
        h = np.concatenate([problem.u[upper], -problem.l[lower]])
        A, b = problem.C[equal], problem.l[equal]
        return qpsolvers.Problem(
            self._matrix(problem.H),
            problem.g,
            self._matrix(G) if len(h) else None,
            h if len(h) else None,
            self._matrix(A) if len(b) else None,
            b if len(b) else None,
        )

    def _matrix(self, dense: Floats) -> Any:
        return csc_matrix(dense) if self._sparse else dense


def _sides(problem: QPProblem) -> tuple[Any, Any, Any]:
    """Return masks of the equality rows, and of other rows with an upper and a lower bound."""
    equal = problem.l == problem.u
    return equal, np.isfinite(problem.u) & ~equal, np.isfinite(problem.l) & ~equal


def _multipliers(problem: QPProblem, found: Any) -> Floats:
    """Return z, positive at upper bounds; zero if the backend returns no multipliers."""
    equal, upper, lower = _sides(problem)
    z, n = np.zeros(len(problem.l)), int(upper.sum())
    if found.z is not None and len(found.z):
        z[upper] += found.z[:n]
        z[lower] -= found.z[n:]
    if found.y is not None and len(found.y):
        z[equal] = found.y
    return z
