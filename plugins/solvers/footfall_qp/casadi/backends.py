"""The solvers behind CasADi's ``conic`` that are fit for contact, and what each is told.

Measured on 108 problems of two feet (24 variables, Hessian of rank 12, 40 rows) with the options
below: largest KKT residual 5e-13 for qpOASES, 2e-11 for DAQP, 6e-11 for PIQP, 8e-10 for OSQP. Left
out: qrqp, which fails on singular Hessians or reports success with residuals of order 1; highs,
whose residuals of 3e-6 cannot be asked to be smaller; hpipm, which takes no general rows; and
CasADi's own proxqp, because the plugin ``proxqp`` is the same method warm-started.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Options = dict[str, Any]


def _qpoases(tolerance: float, max_iterations: int | None) -> Options:
    """Active set, with proximal steps; no limit of wall time, for repeatability.

    Without the proximal steps it calls problems unbounded whose set of answers is. With them it
    fails on identity matrices, unless it is told not to look for them.
    """
    limit = {} if max_iterations is None else {"nWSR": max_iterations}
    proximal = {"enableRegularisation": True, "numRegularisationSteps": 10}
    # Variables have no bounds: nothing of them is active when the homotopy begins. Left out, it
    # begins at a vertex that is not there, takes three times as long, and fails on some impacts.
    start = {"hessian_type": "semidef", "initialStatusBounds": "inactive"}
    return {"printLevel": "none", **start, **proximal, **limit}


def _osqp(tolerance: float, max_iterations: int | None) -> Options:
    """ADMM; asked for a tenth of the tolerance; unpolished, as polishing prints to the screen."""
    return {
        "osqp": {
            "verbose": False,
            "eps_abs": 0.1 * tolerance,
            "eps_rel": 0.1 * tolerance,
            "polishing": False,
            "max_iter": 20_000 if max_iterations is None else max_iterations,
        }
    }


def _daqp(tolerance: float, max_iterations: int | None) -> Options:
    """Dual active set; proximal outer steps make singular Hessians solvable and vanish at the end.

    Its default tolerances (1e-6) leave residuals up to 3e-4.
    """
    tight = max(1e-3 * tolerance, 1e-13)
    return {
        "daqp": {
            "primal_tol": tight,
            "dual_tol": tight,
            "eps_prox": 1e-4,
            "eta_prox": tight,
            "iter_limit": 10_000 if max_iterations is None else max_iterations,
        }
    }


def _piqp(tolerance: float, max_iterations: int | None) -> Options:
    """Proximal interior point; complementarity is the square root of the duality gap.

    So small a gap is often below rounding: the solve then ends at the limit of iterations, and the
    host finds the answer good.
    """
    tight = max(1e-3 * tolerance, 1e-13)
    return {
        "piqp": {
            "eps_abs": tight,
            "eps_rel": 1e-13,
            "eps_duality_gap_abs": max(tolerance**2, 1e-16),
            "eps_duality_gap_rel": 0.0,
            "max_iter": 40 if max_iterations is None else max_iterations,
        }
    }


BACKENDS: dict[str, Callable[[float, int | None], Options]] = {
    "qpoases": _qpoases,
    "osqp": _osqp,
    "daqp": _daqp,
    "piqp": _piqp,
}
"""Options of each backend as a function of the tolerance and the most iterations."""
