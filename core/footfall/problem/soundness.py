"""Soundness of contact problems: those without an answer are refused before a law loops over them.

A matrix is sound if it can be the Delassus matrix of a mechanical system.
"""

from __future__ import annotations

import numpy as np

from footfall.errors import SolverError
from footfall.jit.compiling import inner, kernel
from footfall.problem.contact_problem import ContactProblem
from footfall.typing import Floats, Ints

ROUNDING = 1e-8
"""Asymmetry and negative curvature that count as rounding, relative to the diagonal entries."""


@inner
def asymmetry(W: Floats) -> float:
    """Return ``|W - W'|`` relative to the largest diagonal entry; 0 if W is symmetric."""
    away, size = 0.0, 0.0
    for i in range(len(W)):
        size = max(size, W[i, i])
        for j in range(i):
            away = max(away, abs(W[i, j] - W[j, i]))
    return away / size if size > 0.0 else (0.0 if away == 0.0 else 1.0)


@inner
def semidefinite(W: Floats, factor: Floats) -> bool:
    """Return whether a symmetric W has no negative eigenvalue, beyond rounding.

    Cholesky's factorisation of ``W + ROUNDING diag(W)`` exists then; units and masses do not
    matter, as that is ``S (Q + ROUNDING) S`` with the unit diagonal of Q. Rows of an immovable
    body are zero.

    Args:
        W: shape (n, n).
        factor: shape (n, n), work space.
    """
    for i in range(len(W)):
        for j in range(i):
            s = W[i, j]
            for k in range(j):
                s -= factor[i, k] * factor[j, k]
            if factor[j, j] > 0.0:
                factor[i, j] = s / factor[j, j]
            elif W[i, j] == 0.0:
                factor[i, j] = 0.0
            else:
                return False
        pivot = W[i, i] * (1.0 + ROUNDING)
        for k in range(i):
            pivot -= factor[i, k] * factor[i, k]
        if W[i, i] < 0.0 or (W[i, i] > 0.0 and not pivot > 0.0):
            return False
        if W[i, i] == 0.0 and pivot < 0.0:
            return False
        factor[i, i] = np.sqrt(pivot)
    return True


@kernel
def soundness(W: Floats, factor: Floats) -> tuple[float, bool]:
    """Return the asymmetry of W, and whether it is positive semidefinite.

    Args:
        W: shape (n, n).
        factor: shape (n, n), work space.
    """
    return asymmetry(W), semidefinite(W, factor)


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
        away: its ``footfall.problem.soundness.asymmetry``.
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
