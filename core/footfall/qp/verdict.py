"""The verdict on a QP solve: by the host from the answer, never by the backend's word.

An answer is SOLVED if its KKT residuals, in scale, are within the tolerance. Only if they are not,
two linear programs say why (Boyd and Vandenberghe, Convex Optimization (2004), sections 5.8 and
9.1): INFEASIBLE if no x meets the bounds; UNBOUNDED if there is a direction d with ``H d = 0``,
``g'd < 0`` that stays within the bounds; otherwise the answer is INACCURATE, or FAILED if it is
not finite.
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
"""Of the simplex method, for each of the two linear programs."""


def judge(
    problem: QPProblem,
    x: Floats,
    z: Floats,
    tolerance: float,
    *,
    residuals: KKTResiduals | None = None,
    iterations: int = 0,
    message: str = "",
) -> QPSolution:
    """Return a backend's answer with the host's verdict.

    Args:
        problem: what was to be solved.
        x: shape (n,), the backend's answer.
        z: shape (m,), its multipliers.
        tolerance: largest ``KKTResiduals.scaled`` of an answer that may be used.
        residuals: of x and z, if the caller has computed them already.
        iterations: the backend's count, 0 if unknown.
        message: the backend's own words.
    """
    if residuals is None:
        residuals = problem.residuals(x, z)
    status = QPStatus.SOLVED if residuals.scaled <= tolerance else explain(problem, x)
    return QPSolution(x, z, status, iterations, residuals, message)


def explain(problem: QPProblem, x: Floats) -> QPStatus:
    """Return why there is no accurate answer; takes milliseconds, meant for failures only."""
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
    """Whether some d has ``H d = 0``, ``A d <= 0``, ``g'd = -1``, with H and g in scale."""
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
    """Whether some x has ``rows x <= bound`` and ``equal x = target``; None if not decided."""
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
