"""Polishing of an approximate QP answer: Newton steps on the optimality conditions.

First-order and interior-point methods end near a solution, with residuals of 1e-4 to 1e-8, and
need long to come closer. But their answer shows the active rows. With these rows as equations the
conditions are linear: ``[H C_a'; C_a 0] (dx, dz) = -residual``. Repeated guesses of the rows, each
followed by a solve, are the semi-smooth Newton method on ``C x = clip(C x + z, l, u)`` (Qi, Sun, "A
nonsmooth version of Newton's method", Mathematical Programming 58, 1993). OSQP calls one such step
polishing (Stellato et al., Mathematical Programming Computation 12, 2020).

Small shifts on the diagonal, +s for x and -s for z, make singular systems (e.g. of a flat foot)
regular. Refinement removes their effect: each refinement is a step of the proximal method of
multipliers. If there are many solutions, it finds one near the given answer.
"""

from __future__ import annotations

import warnings

import numpy as np

from footfall.interfaces.solver import KKTResiduals, QPProblem
from footfall.typing import Floats

STEPS, REFINEMENTS = 3, 4
"""Most Newton steps; refinements of each."""
SHIFT = 1e-7
"""Shift on the diagonal, for problems whose largest entry of H is 1; refinement removes it."""


def polish(
    problem: QPProblem, x: Floats, z: Floats, content: float, steps: int = STEPS
) -> tuple[Floats, Floats, KKTResiduals]:
    """Return an answer at least as good as the given one.

    Args:
        problem: problem in scaled units (``ScaledQP``), in which the shift is small.
        x: shape (n,), an approximate answer.
        z: shape (m,), its multipliers.
        content: scaled residual at which to stop.
        steps: most Newton steps.

    Returns:
        The best x and z found, and their residuals.
    """
    best = x, z, problem.residuals(x, z)
    for _ in range(steps):
        if best[2].scaled <= content or not np.isfinite(best[2].scaled):
            break
        x, z = _newton(problem, x, z)
        residuals = problem.residuals(x, z)
        if residuals.scaled < best[2].scaled:
            best = x, z, residuals
    return best


def _newton(problem: QPProblem, x: Floats, z: Floats) -> tuple[Floats, Floats]:
    """Solve with the active rows of x and z as equations; other multipliers are zero."""
    from scipy.linalg import LinAlgWarning, lu_factor, lu_solve  # takes a sixth of a second

    rows = problem.C @ x
    reach = rows + z
    upper, lower = reach >= problem.u, reach <= problem.l
    active = upper | lower
    bound = np.where(upper, problem.u, problem.l)[active]
    C = problem.C[active]
    n = len(x)
    K = np.block([[problem.H, C.T], [C, np.zeros((len(C), len(C)))]])
    answer = np.concatenate([x, z[active]])
    target = np.concatenate([-problem.g, bound])
    shifted = K + np.diag(np.where(np.arange(len(K)) < n, SHIFT, -SHIFT))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinAlgWarning)
        factors = lu_factor(shifted, check_finite=False)
        for _ in range(REFINEMENTS):
            answer = answer + lu_solve(factors, target - K @ answer, check_finite=False)
    z = np.zeros(len(problem.l))
    z[active] = answer[n:]
    return answer[:n], z
