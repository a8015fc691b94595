"""Settings of the backends of qpsolvers, and special cases.

With these tolerances each backend reaches a KKT residual of 1e-9 if it can; Footfall's polishing
does the rest. Nothing depends on the clock. A backend that is not listed here runs with its own
defaults; its answers are tested like the others.
"""

from __future__ import annotations

from typing import Any

Options = dict[str, Any]


def options(backend: str, tolerance: float) -> Options:
    """Return the settings of a backend for a KKT residual of ``tolerance``."""
    tight = max(0.1 * tolerance, 1e-14)
    table: dict[str, Options] = {
        "clarabel": {
            "tol_feas": tight,
            "tol_gap_abs": tight,
            "tol_gap_rel": tight,
            "max_threads": 1,
        },
        "daqp": {
            "primal_tol": 1e-2 * tight,
            "dual_tol": 1e-2 * tight,
            "eps_prox": 1e-4,
            "eta_prox": 1e-2 * tight,
            "iter_limit": 10_000,
        },
        "ecos": {"feastol": tight, "abstol": tight, "reltol": tight},
        "highs": {
            "primal_feasibility_tolerance": max(tight, 1e-10),
            "dual_feasibility_tolerance": max(tight, 1e-10),
            "threads": 1,
        },
        "osqp": {
            "eps_abs": tight,
            "eps_rel": tight,
            "polishing": False,
            "adaptive_rho_interval": 50,
            "max_iter": 20_000,
        },
        "piqp": {"eps_abs": tight, "eps_rel": tight, "max_iter": 100},
        "proxqp": {"eps_abs": tight, "eps_rel": 0.0, "max_iter": 200},
        "qpalm": {"eps_abs": tight, "eps_rel": tight, "max_iter": 10_000},
        "scs": {"eps_abs": 1e-7, "eps_rel": 1e-7, "max_iters": 20_000},
    }
    return table.get(backend, {})


SHIFT: dict[str, float] = {"quadprog": 1e-8, "ecos": 1e-7}
"""Backends that accept only strictly convex problems, with the eps of their proximal steps."""
