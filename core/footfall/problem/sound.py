"""Refuse contact problems that have no answer, by name, before a law loops over them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from footfall.errors import SolverError
from footfall.problem.contact_problem import ContactProblem

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
ROUNDING = 1e-8
"""How far W may be from symmetric, relative to its largest diagonal entry."""


def require_finite(problem: ContactProblem, law: str) -> None:
    """Refuse NaN and infinity.

    Raises:
        SolverError: if the problem holds one; names the law.
    """
    if not problem.is_finite():
        raise SolverError(f"{law}: the contact problem is not finite")


def sound_delassus(problem: ContactProblem, blocks: Ints, law: str) -> Floats:
    """Return the Delassus matrix of some blocks, shape (rows, rows).

    Raises:
        SolverError: if it is not symmetric, or a diagonal entry is negative (then it is not
            positive semidefinite; a law notices other indefinite matrices by not converging).
    """
    W = problem.delassus(blocks)
    diagonal = W.diagonal()
    if (diagonal < 0.0).any():
        raise SolverError(
            f"{law}: the Delassus matrix is not positive semidefinite: a diagonal entry is "
            f"{diagonal.min():.3g}"
        )
    away = float(np.abs(W - W.T).max(initial=0.0))
    if away > ROUNDING * diagonal.max(initial=0.0):
        raise SolverError(f"{law}: the Delassus matrix is not symmetric, by {away:.3g}")
    return W
