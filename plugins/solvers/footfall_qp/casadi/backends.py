"""The backends of CasADi's ``conic`` that are suited to contact problems, and their options.

Measured on 108 problems of two feet (24 variables, Hessian of rank 12, 40 rows) with the options
below: largest KKT residual 5e-13 for qpOASES, 2e-11 for DAQP, 6e-11 for PIQP, 8e-10 for OSQP.

Left out:

- qrqp: it fails on singular Hessians or reports success with residuals of order 1.
- highs: its residuals of 3e-6 cannot be made smaller.
- hpipm: it does not accept general rows.
- CasADi's own proxqp: the plugin ``proxqp`` is the same method with a warm start.
"""

from __future__ import annotations

from typing import Any

Options = dict[str, Any]


def options(backend: str, tolerance: float, max_iterations: int | None) -> Options:
    """Return the options of a backend for a tolerance and an iteration limit.

    qpOASES is an active set with proximal steps, without a wall time limit. Without proximal steps
    it reports a problem as unbounded if its set of answers is unbounded. With them it fails on
    identity matrices, unless it is told not to look for them. A wall time limit would make answers
    differ from run to run.

    OSQP is ADMM: a tenth of the tolerance; no polishing (it prints).

    DAQP is a dual active set with proximal outer steps, which make singular Hessians solvable and
    vanish at the end. The default tolerances (1e-6) leave residuals up to 3e-4.

    PIQP is a proximal interior point method. The duality gap is the square of the tolerance,
    because complementarity is the square root of the gap. Such a gap is often below rounding: the
    solve then ends at the iteration limit, and Footfall's own test accepts the answer.
    """
    tight = max(1e-3 * tolerance, 1e-13)
    table: dict[str, Options] = {
        "qpoases": {
            "printLevel": "none",
            "hessian_type": "semidef",
            # Variables have no bounds, so no bounds are active at the start of the homotopy.
            # Without this option qpOASES starts at a vertex that does not exist, takes three times
            # as long, and fails on some impacts.
            "initialStatusBounds": "inactive",
            "enableRegularisation": True,
            "numRegularisationSteps": 10,
            **({} if max_iterations is None else {"nWSR": max_iterations}),
        },
        "osqp": {
            "verbose": False,
            "eps_abs": 0.1 * tolerance,
            "eps_rel": 0.1 * tolerance,
            "polishing": False,
            "max_iter": max_iterations or 20_000,
        },
        "daqp": {
            "primal_tol": tight,
            "dual_tol": tight,
            "eps_prox": 1e-4,
            "eta_prox": tight,
            "iter_limit": max_iterations or 10_000,
        },
        "piqp": {
            "eps_abs": tight,
            "eps_rel": 1e-13,
            "eps_duality_gap_abs": max(tolerance**2, 1e-16),
            "eps_duality_gap_rel": 0.0,
            "max_iter": max_iterations or 40,
        },
    }
    return table[backend] if backend == "qpoases" else {backend: table[backend]}
