"""The verdict on a QP solve: core's own, from the answer, independent of the backend's report.

An answer is SOLVED if its scaled KKT residuals are within the tolerance. Otherwise two linear
programs find the reason (Boyd and Vandenberghe, Convex Optimization (2004), sections 5.8 and 9.1):

* INFEASIBLE if no x meets the bounds,
* UNBOUNDED if there is a direction d with ``H d = 0``, ``g'd < 0`` that stays within the bounds,
* FAILED if the answer is not finite,
* INACCURATE otherwise.
"""

from __future__ import annotations

import numpy as np

from footfall.interfaces.solver import (
    KKTResiduals,
    QPProblem,
    QPSolution,
    QPStatus,
)
from footfall.typing import Floats

MAX_ITERATIONS = 10_000
"""Most iterations of the linear-program solver, for each of the two programs."""


def checked_solution(
    problem: QPProblem,
    x: Floats,
    z: Floats,
    tolerance: float,
    *,
    residuals: KKTResiduals | None = None,
    iterations: int = 0,
    message: str = "",
) -> QPSolution:
    """Return a backend's answer with core's verdict.

    Args:
        problem: the problem.
        x: shape (n,), the backend's answer.
        z: shape (m,), its multipliers.
        tolerance: largest ``KKTResiduals.scaled`` of a usable answer.
        residuals: residuals of x and z, if already computed.
        iterations: the backend's count, 0 if unknown.
        message: the backend's own words.
    """
    if residuals is None:
        residuals = problem.residuals(x, z)
    status = QPStatus.SOLVED if residuals.scaled <= tolerance else explain(problem, x)
    return QPSolution(x, z, status, iterations, residuals, message)


def explain(problem: QPProblem, x: Floats) -> QPStatus:
    """Return the status of a problem without an accurate answer; takes milliseconds."""
    rows, bound = _one_sided(problem)
    if len(rows) and _feasible(rows, bound) is False:
        return QPStatus.INFEASIBLE
    if _descends_for_ever(problem, rows):
        return QPStatus.UNBOUNDED
    return QPStatus.INACCURATE if np.isfinite(x).all() else QPStatus.FAILED


def _one_sided(problem: QPProblem) -> tuple[Floats, Floats]:
    """Return A, b of ``A x <= b``: the finite bounds of the problem."""
    upper, lower = np.isfinite(problem.u), np.isfinite(problem.l)
    rows = np.vstack([problem.C[upper], -problem.C[lower]])
    return rows, np.concatenate([problem.u[upper], -problem.l[lower]])


def _descends_for_ever(problem: QPProblem, rows: Floats) -> bool:
    """Return whether some d has ``H d = 0``, ``A d <= 0``, ``g'd = -1``, with H and g scaled."""
    size = np.abs(problem.g).max(initial=0.0)
    if size == 0.0:
        return False
    H = problem.H / max(np.abs(problem.H).max(initial=0.0), np.finfo(float).tiny)
    equal = np.vstack([H, problem.g[None, :] / size])
    target = np.append(np.zeros(len(H)), -1.0)
    return _feasible(rows, np.zeros(len(rows)), equal, target) is True


def _feasible(
    rows: Floats, bound: Floats, equal: Floats | None = None, target: Floats | None = None
) -> bool | None:
    """Return whether some x has ``rows x <= bound``, ``equal x = target``; None if undecided."""
    from scipy.optimize import linprog

    answer = linprog(
        np.zeros(rows.shape[1]),
        A_ub=rows,
        b_ub=bound,
        A_eq=equal,
        b_eq=target,
        bounds=(None, None),
        method="highs",
        options={"maxiter": MAX_ITERATIONS},
    )
    decided: dict[int, bool] = {0: True, 2: False}
    return decided.get(int(answer.status))
