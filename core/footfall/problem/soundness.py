"""Soundness of contact problems: problems without an answer are rejected before a law sees them.

A matrix is sound if it can be the Delassus matrix of a mechanical system.
"""

from __future__ import annotations

import numpy as np

from footfall.errors import SolverError
from footfall.jit.compiling import inner, kernel
from footfall.typing import Floats

ROUNDING = 1e-8
"""Asymmetry and negative curvature that count as rounding, relative to the diagonal entries."""


@inner
def asymmetry(W: Floats, n: int) -> float:
    """Return ``|W - W'|`` relative to the largest diagonal entry; 0 if W is symmetric."""
    away, size = 0.0, 0.0
    for i in range(n):
        size = max(size, W[i, i])
        for j in range(i):
            away = max(away, abs(W[i, j] - W[j, i]))
    return away / size if size > 0.0 else (0.0 if away == 0.0 else 1.0)


@inner
def semidefinite(W: Floats, factor: Floats, n: int) -> bool:
    """Return whether a symmetric W has no negative eigenvalue, beyond rounding.

    True if ``W + ROUNDING diag(W)`` has a Cholesky factorisation. Units and masses do not matter:
    the matrix is ``S (Q + ROUNDING) S`` with the unit diagonal of Q. Rows of an immovable body are
    zero.

    Args:
        W: room for shape (n, n).
        factor: as W, work space.
        n: number of rows.
    """
    for i in range(n):
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


@inner
def symmetrise(W: Floats, factor: Floats, n: int) -> bool:
    """Average the rounding of a Delassus matrix; return whether it is sound.

    It is sound if it is symmetric and has no negative eigenvalue, both up to ``ROUNDING``. A matrix
    that is not symmetric stays as it is. ``ContactProblem.sound_delassus`` names the fault.

    Args:
        W: room for shape (n, n), is overwritten.
        factor: as W, work space.
        n: number of rows.
    """
    if not asymmetry(W, n) <= ROUNDING:
        return False
    for i in range(n):
        for j in range(i):
            mean = 0.5 * (W[i, j] + W[j, i])
            W[i, j], W[j, i] = mean, mean
    return semidefinite(W, factor, n)


@kernel
def make_sound(W: Floats, factor: Floats) -> bool:
    """Run ``symmetrise`` as compiled code."""
    return symmetrise(W, factor, len(W))


def symmetrised(W: Floats) -> Floats:
    """Return a Delassus matrix made exactly symmetric.

    Costs a Cholesky factorisation: 2 us for the 24 rows of two feet on four points.

    Raises:
        SolverError: if it is not finite, not symmetric or not positive semidefinite.
    """
    if not np.isfinite(W).all():
        raise SolverError("the Delassus matrix is not finite")
    sound = np.array(W, order="C")
    if not make_sound(sound, np.empty_like(sound)):
        raise SolverError(f"the Delassus matrix is not {_fault(W)}")
    return sound


def _fault(W: Floats) -> str:
    """Return the property that an unsound matrix lacks, with numbers."""
    size = float(np.abs(W - W.T).max())
    if size > ROUNDING * np.diag(W).max(initial=0.0):
        return f"symmetric, by {size:.3g}"
    values = np.linalg.eigvalsh(0.5 * (W + W.T))
    return (
        f"positive semidefinite: eigenvalues from {values[0]:.3g} to {values[-1]:.3g}, none "
        "may be negative"
    )
