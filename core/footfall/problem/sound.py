"""Refuse contact problems that have no answer, by name, before a law loops over them."""

from __future__ import annotations

import numpy as np

from footfall.errors import SolverError
from footfall.problem.contact_problem import ContactProblem
from footfall.problem.definite import ROUNDING, soundness
from footfall.typing import Floats, Ints


def require_finite(problem: ContactProblem, law: str) -> None:
    """Refuse NaN and infinity.

    Raises:
        SolverError: if the problem holds one; names the law.
    """
    if not problem.is_finite():
        raise SolverError(f"{law}: the contact problem is not finite")


def sound_delassus(problem: ContactProblem, blocks: Ints, law: str) -> Floats:
    """Return the Delassus matrix of some blocks, shape (rows, rows), its rounding symmetrised.

    Raises:
        SolverError: if it is not finite, not symmetric or not positive semidefinite, as that of any
            mechanical system is; names the law.
    """
    try:
        return symmetrised(problem.delassus(blocks))
    except SolverError as error:
        raise SolverError(f"{law}: {error}") from error


def symmetrised(W: Floats) -> Floats:
    """Return a Delassus matrix with its rounding symmetrised.

    Costs a Cholesky factorisation: 2 us for the 24 rows of two feet on four points.

    Raises:
        SolverError: if it is not finite, not symmetric or not positive semidefinite.
    """
    if not np.isfinite(W).all():
        raise SolverError("the Delassus matrix is not finite")
    W = np.ascontiguousarray(W)
    away, semidefinite = soundness(W, np.empty_like(W))
    refuse_unsound(W, away, semidefinite)
    return np.asarray(0.5 * (W + W.T))


def refuse_unsound(W: Floats, away: float, semidefinite: bool) -> None:
    """Raise if a kernel has found a Delassus matrix unsound; say by how much.

    Args:
        W: shape (rows, rows), finite.
        away: its ``footfall.problem.definite.asymmetry``.
        semidefinite: whether it is positive semidefinite.

    Raises:
        SolverError: which of the two it is not.
    """
    if away > ROUNDING:
        size = float(np.abs(W - W.T).max())
        raise SolverError(f"the Delassus matrix is not symmetric, by {size:.3g}")
    if not semidefinite:
        values = np.linalg.eigvalsh(0.5 * (W + W.T))
        raise SolverError(
            f"the Delassus matrix is not positive semidefinite: eigenvalues from {values[0]:.3g} "
            f"to {values[-1]:.3g}, where none may be negative"
        )
