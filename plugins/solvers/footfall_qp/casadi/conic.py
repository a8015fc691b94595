"""One call of a QP solver through CasADi's ``conic``."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from footfall.api.solver import Answer, QPProblem


def call_conic(backend: str, options: Mapping[str, Any], problem: QPProblem) -> Answer:
    """Build a backend, solve, and discard it: answers of some depend on earlier problems.

    CasADi's output is hidden (qpOASES prints a banner at every build).

    Args:
        backend: CasADi's name of the backend.
        options: options of CasADi and of the backend.
        problem: the problem to solve.

    Returns:
        The answer; NaN with the backend's message if it raises, as OSQP does for a Hessian that is
        not positive semidefinite.
    """
    import casadi

    n, m = len(problem.g), len(problem.l)
    shape = {"h": casadi.Sparsity.dense(n, n), "a": casadi.Sparsity.dense(m, n)}
    x, z = np.full(n, np.nan), np.zeros(m)
    views = _views(problem)
    with contextlib.redirect_stdout(io.StringIO()):
        function: Any = casadi.conic("qp", backend, shape, dict(options))
        buffer, run = function.buffer()
        for name, view in views.items():
            buffer.set_arg(function.index_in(name), view)
        buffer.set_res(function.index_out("x"), x.data)
        buffer.set_res(function.index_out("lam_a"), z.data)
        try:
            run()
        except RuntimeError as error:
            return Answer(np.full(n, np.nan), z, 0, str(error).strip().splitlines()[-1])
        report = buffer.stats()
    words = str(report.get("return_status", report.get("unified_return_status", "")))
    return Answer(x, z, max(int(report.get("iter_count", 0)), 0), words)


def _views(problem: QPProblem) -> dict[str, memoryview]:
    """Return the memory that CasADi reads, by the names of its inputs; matrices by columns."""
    infinite = np.full(len(problem.g), np.inf)
    arguments = {
        "h": problem.H.ravel(),  # symmetric: the same by rows and by columns
        "g": problem.g,
        "a": problem.C.ravel(order="F"),
        "lba": problem.l,
        "uba": problem.u,
        "lbx": -infinite,
        "ubx": infinite,
    }
    return {name: np.ascontiguousarray(value).data for name, value in arguments.items()}
