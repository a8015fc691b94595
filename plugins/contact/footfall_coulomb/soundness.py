"""Problems that have no answer, told from those that were not solved."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from footfall.api.errors import SolverError
from footfall.api.plugin import Floats
from footfall_coulomb.kernels.newton.dense import is_definite

ROUNDING = 1e-8
"""Negative eigenvalues up to this part of the largest one are rounding."""
FILED = 1e-6
"""Likewise for matrices that come from elsewhere: files may hold seven digits."""
SERIAL_ROWS = 200
"""Up to so many rows the threads of NumPy's Cholesky cost more time than they save: from 64 rows on
they are woken, and wait busily for more."""
ASYMMETRY = 1e-3
"""Asymmetry up to this part of the largest diagonal entry is let pass in them."""


class ProblemError(SolverError, ValueError):
    """What was given is no contact problem."""


def require_finite(failed: bool, residual: float) -> None:
    """Raise if a solve met values that are no numbers, or a matrix that cannot be one of masses.

    Args:
        failed: what the report of a problem says.
        residual: likewise, [m/s].

    Raises:
        SolverError: which of the two.
    """
    if failed:
        raise SolverError('contact "coulomb": the contact problem holds values that are not finite')
    if np.isinf(residual):
        raise SolverError('contact "coulomb": the Delassus matrix has a negative diagonal entry')


def require_definite(W: Floats, rounding: float = ROUNDING) -> None:
    """Raise if a Delassus matrix is not positive semidefinite.

    Args:
        W: shape (rows, rows).
        rounding: negative eigenvalues up to this part of the largest are let pass, [-].

    Raises:
        SolverError: with its smallest and its largest eigenvalue; a ``ProblemError``.
    """
    symmetric = 0.5 * (W + W.T)
    shift = rounding * float(np.abs(symmetric).max(initial=0.0))
    if _is_definite(symmetric + max(shift, 1e-300) * np.eye(len(W))):
        return
    values = np.linalg.eigvalsh(symmetric)
    if values[0] < -rounding * max(float(values[-1]), 0.0):
        raise ProblemError(
            f'contact "coulomb": the Delassus matrix is indefinite: eigenvalues from '
            f"{values[0]:.3g} to {values[-1]:.3g}, where none may be negative"
        )


def _is_definite(W: Floats) -> bool:
    """Whether a symmetric matrix is positive definite; overwrites it."""
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
    """Return matrix, free velocity, coefficients and start of n contacts as arrays of their own.

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
    """Raise unless W is symmetric and positive semidefinite, up to what its asymmetry leaves.

    Args:
        W: shape (rows, rows), finite.

    Raises:
        ProblemError: says which of the two it is not.
    """
    largest = float(W.diagonal().max(initial=0.0))
    away = float(np.abs(W - W.T).max(initial=0.0))
    if away > ASYMMETRY * max(largest, 0.0):
        raise ProblemError(f"delassus is not symmetric, by {away:.3g}")
    require_definite(W, FILED + (away / largest if largest > 0.0 else 0.0))


def _require_way(W: Floats, q: Floats) -> None:
    """Raise if a contact approaches that no impulse can move: it would go through the ground."""
    stuck = (np.abs(W).max(axis=1, initial=0.0)[2::3] == 0.0) & (q[2::3] < 0.0)
    if stuck.any():
        i = int(np.argmax(stuck))
        raise ProblemError(
            f"contact {i} approaches at {-q[3 * i + 2]:.3g} m/s and its rows of delassus are zero: "
            "no impulse can stop it"
        )
