"""Checks that tell problems without an answer from problems that were not solved."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from footfall.api.plugin import Floats, SolverError
from footfall_coulomb.kernels.newton.dense import is_definite

ROUNDING = 1e-8
"""Negative eigenvalues up to this part of the largest one are rounding."""
FILED = 1e-6
"""The same for matrices from outside: files may hold only seven digits."""
SERIAL_ROWS = 200
"""Rows up to which NumPy's Cholesky is not used: from 64 rows it wakes threads, which then wait
busily, and up to this size they cost more time than they save."""
ASYMMETRY = 1e-3
"""Accepted asymmetry of matrices from outside, relative to the largest diagonal entry."""


class ProblemError(SolverError, ValueError):
    """The given arrays are no contact problem."""


def require_finite(failed: bool, residual: float) -> None:
    """Raise if a solve met values that are not finite, or a matrix that no masses can have.

    Args:
        failed: flag of the problem's report.
        residual: residual of the problem's report, [m/s].

    Raises:
        SolverError: names which of the two.
    """
    if failed:
        raise SolverError('contact "coulomb": the contact problem holds values that are not finite')
    if np.isinf(residual):
        raise SolverError('contact "coulomb": the Delassus matrix has a negative diagonal entry')


def require_definite(W: Floats, rounding: float = ROUNDING) -> None:
    """Raise if a Delassus matrix is not positive semidefinite.

    Args:
        W: shape (rows, rows).
        rounding: negative eigenvalues up to this part of the largest are accepted, [-].

    Raises:
        ProblemError: names the smallest and the largest eigenvalue.
    """
    symmetric = 0.5 * (W + W.T)
    shift = rounding * float(np.abs(symmetric).max(initial=0.0))
    if _is_definite(symmetric + max(shift, 1e-300) * np.eye(len(W))):
        return
    values = np.linalg.eigvalsh(symmetric)
    if values[0] < -rounding * max(float(values[-1]), 0.0):
        raise ProblemError(
            f'contact "coulomb": the Delassus matrix is indefinite: eigenvalues from '
            f"{values[0]:.3g} to {values[-1]:.3g}, none may be negative"
        )


def _is_definite(W: Floats) -> bool:
    """Return whether a symmetric matrix is positive definite; overwrite it."""
    if len(W) <= SERIAL_ROWS:
        return bool(is_definite(W))
    try:
        np.linalg.cholesky(W)
    except np.linalg.LinAlgError:
        return False
    return True


def checked_problem(
    delassus: npt.ArrayLike,
    free_velocity: npt.ArrayLike,
    mu: npt.ArrayLike,
    start: npt.ArrayLike | None,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return matrix, free velocity, coefficients and start of n contacts as new arrays.

    Args:
        delassus: shape (3 n, 3 n), [1/kg].
        free_velocity: shape (3 n,), [m/s].
        mu: shape (n,) or one number.
        start: shape (3 n,), [N s], or None: zeros.

    Raises:
        ProblemError: if they are no contact problem.
    """
    W, q = _floats(delassus, "delassus"), _floats(free_velocity, "free_velocity")
    if W.ndim != 2 or W.shape[0] != W.shape[1] or len(W) % 3:
        raise ProblemError(f"delassus has shape {W.shape}, expected (3 n, 3 n) for n contacts")
    n = len(W) // 3
    coefficients = _floats(mu, "mu")
    coefficients = np.full(n, coefficients) if coefficients.ndim == 0 else coefficients
    r = np.zeros(3 * n) if start is None else _floats(start, "start")
    for name, array, length in (("free_velocity", q, 3 * n), ("mu", coefficients, n)):
        _require_shape(name, array, length)
    _require_shape("start", r, 3 * n)
    if (coefficients < 0.0).any():
        raise ProblemError(f"mu is {coefficients.min():.3g}, must not be negative")
    require_matrix(W)
    _require_way(W, q)
    return W, q, coefficients, r


def _floats(values: npt.ArrayLike, name: str) -> Floats:
    try:
        array = np.array(values, np.float64)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{name} is no array of numbers") from error
    if not np.isfinite(array).all():
        raise ProblemError(f"{name} holds NaN or infinity")
    return array


def _require_shape(name: str, array: Floats, length: int) -> None:
    if array.shape != (length,):
        raise ProblemError(f"{name} has shape {array.shape}, expected ({length},)")


def require_matrix(W: Floats) -> None:
    """Raise unless W is symmetric and positive semidefinite.

    Accepts negative eigenvalues up to 1e-6 plus the relative asymmetry, times the largest.

    Args:
        W: shape (rows, rows), finite.

    Raises:
        ProblemError: names which of the two fails.
    """
    largest = float(W.diagonal().max(initial=0.0))
    away = float(np.abs(W - W.T).max(initial=0.0))
    if away > ASYMMETRY * max(largest, 0.0):
        raise ProblemError(f"delassus is not symmetric: largest difference {away:.3g}")
    require_definite(W, FILED + (away / largest if largest > 0.0 else 0.0))


def _require_way(W: Floats, q: Floats) -> None:
    """Raise if no impulse can stop an approaching contact: it would go through the ground."""
    stuck = (np.abs(W).max(axis=1, initial=0.0)[2::3] == 0.0) & (q[2::3] < 0.0)
    if stuck.any():
        i = int(np.argmax(stuck))
        raise ProblemError(
            f"contact {i} approaches at {-q[3 * i + 2]:.3g} m/s and its rows of delassus are zero: "
            "no impulse can stop it"
        )
