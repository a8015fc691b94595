"""The law as a function: matrix, velocities and coefficients in, impulses out."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from footfall.api.advanced import allocate
from footfall.api.contact import BlockKind, ContactProblem
from footfall.api.plugin import Floats, SolverError
from footfall_coulomb.gauss_seidel import GaussSeidel
from footfall_coulomb.settings import Acceleration, CoulombConfig, LocalSolver
from footfall_coulomb.soundness import ProblemError, checked_problem


class Report(NamedTuple):
    """Report of a solve.

    Attributes:
        solved: whether the residual is within the tolerance.
        residual: largest natural-map residual of a contact, [m/s].
        sweeps: Gauss-Seidel sweeps.
    """

    solved: bool
    residual: float
    sweeps: int


class Solution(NamedTuple):
    """Impulses and velocities of contacts.

    Attributes:
        impulse: shape (3 n,), r, [N s].
        velocity: shape (3 n,), ``u = W r + q``, [m/s].
        report: report of the solve.
    """

    impulse: Floats
    velocity: Floats
    report: Report


def solve(
    delassus: npt.ArrayLike,
    free_velocity: npt.ArrayLike,
    mu: npt.ArrayLike,
    *,
    start: npt.ArrayLike | None = None,
    tolerance: float = 1e-9,
    max_iterations: int = 1000,
    local_solver: LocalSolver = "hybrid",
    acceleration: Acceleration = "newton",
    relaxation: float = 1.0,
    time_budget: float = 0.0,
    unsolved: Literal["raise", "keep"] = "raise",
) -> Solution:
    """Return the impulses of contacts with Signorini's condition and Coulomb's law.

    ``u = W r + q``; for each contact ``0 <= r_n  perp  u_n >= 0``, ``|r_t| <= mu r_n``, and
    ``r_t = -mu r_n u_t / |u_t|`` if ``u_t`` is not zero. Rows of a contact: tangent, tangent,
    normal. W may be singular: r is then not unique. The matrix is used as given; asymmetry up to
    1e-3 of its largest diagonal entry counts as rounding.

    Args:
        delassus: W, shape (3 n, 3 n), symmetric positive semidefinite, [1/kg].
        free_velocity: q, shape (3 n,), velocity of the contacts without impulses, [m/s]. A gap d at
            the beginning of a step of length dt is added to its normal entry as ``d / dt``.
        mu: shape (n,) or one number for all, coefficients of friction, [-], not negative.
        start: shape (3 n,), impulse to start from, [N s]; default: zeros.
        tolerance: largest natural-map residual of a contact that counts as solved, [m/s].
        max_iterations: most Gauss-Seidel sweeps.
        local_solver: solver of one contact, see ``CoulombConfig``; likewise the next three.
        acceleration: methods for slow sweeps.
        relaxation: over-relaxation of the sweeps, [-].
        time_budget: wall time after the first ten sweeps, [s]; 0: no limit.
        unsolved: action if the tolerance is not reached: ``"raise"`` a SolverError, or ``"keep"``
            the best known impulse, with its residual in the report.

    Raises:
        ProblemError: if a shape does not fit, a number is NaN or infinite, a coefficient is
            negative, W is not symmetric or indefinite, or an approaching contact has only zero rows
            in W. It is a ``SolverError`` and a ``ValueError``.
        SolverError: if the tolerance is not reached and ``unsolved`` is ``"raise"``.

    Source: Jean, The non-smooth contact dynamics method, 1999; Acary and Brogliato 2008, ch. 13.
    """
    try:
        config = CoulombConfig(
            tolerance=tolerance,
            max_iterations=max_iterations,
            local_solver=local_solver,
            acceleration=acceleration,
            relaxation=relaxation,
            time_budget=time_budget,
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise ProblemError(f"{first['loc'][0]} is {first['input']!r}: {first['msg']}") from error
    if unsolved not in ("raise", "keep"):
        raise ProblemError(f'unsolved is {unsolved!r}: must be "raise" or "keep"')
    W, q, mu, r = checked_problem(delassus, free_velocity, mu, start)
    problem = _problem(W, q, mu, r)
    solver = GaussSeidel(problem, config, np.zeros(len(mu)))
    if solver.first():
        solver.go_on()
    sweeps, residual = int(problem.report.iterations), problem.report.residual
    if residual > tolerance and unsolved == "raise":
        raise SolverError(
            f"{len(mu)} contacts are not solved after {sweeps} sweeps: the natural-map residual is "
            f'{residual:.3g} m/s, the tolerance {tolerance:.3g} m/s (unsolved="keep" returns the '
            "best impulse)"
        )
    r = problem.impulse.copy()
    return Solution(r, W @ r + q, Report(residual <= tolerance, residual, sweeps))


def _problem(W: Floats, q: Floats, mu: Floats, r: Floats) -> ContactProblem:
    """Return the impulsive problem of n contacts, with pairs only for non-zero blocks of W."""
    n = len(mu)
    linked = (W != 0.0).reshape(n, 3, n, 3).any(axis=(1, 3))
    i, j = np.nonzero(linked | linked.T | np.eye(n, dtype=bool))
    arrays = allocate(n, 3 * n, len(i), 9 * n * n)
    arrays.size[:] = n, 3 * n, len(i), 1
    arrays.kind[:], arrays.row[:] = BlockKind.CONE, 3 * np.arange(n + 1)
    arrays.candidate[:] = np.arange(n)
    arrays.pair_start[1:] = np.cumsum(np.bincount(i, minlength=n))
    arrays.pair_block[:], arrays.pair_data[:] = j, 9 * (n * i + j)
    arrays.W[:] = W.reshape(n, 3, n, 3).transpose(0, 2, 1, 3).ravel()
    arrays.mu[:], arrays.free_velocity[:], arrays.velocity[:], arrays.impulse[:] = mu, q, q, r
    return ContactProblem(arrays)
