"""Problems that have no answer, told from those that were not solved."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from footfall.errors import SolverError

Floats = npt.NDArray[np.float64]
ROUNDING = 1e-8
"""Negative eigenvalues up to this part of the largest one are rounding."""


def require_finite(report: Floats) -> None:
    """Raise if a solve met values that are no numbers, or a matrix that cannot be one of masses.

    Args:
        report: shape (4,), of a problem.

    Raises:
        SolverError: which of the two.
    """
    if report[2] != 0.0 or np.isnan(report[1]):
        raise SolverError('contact "coulomb": the contact problem holds values that are not finite')
    if np.isinf(report[1]):
        raise SolverError('contact "coulomb": the Delassus matrix has a negative diagonal entry')


def require_definite(W: Floats) -> None:
    """Raise if a Delassus matrix is not positive semidefinite.

    Args:
        W: shape (rows, rows).

    Raises:
        SolverError: with its smallest and its largest eigenvalue.
    """
    values = np.linalg.eigvalsh(0.5 * (W + W.T))
    if len(values) and values[0] < -ROUNDING * max(float(values[-1]), 0.0):
        raise SolverError(
            f'contact "coulomb": the Delassus matrix is indefinite: eigenvalues from '
            f"{values[0]:.3g} to {values[-1]:.3g}, where none may be negative"
        )
