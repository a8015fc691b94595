"""Whether a matrix can be the Delassus matrix of a mechanical system."""

from __future__ import annotations

import numpy as np

from footfall.jit.compiling import inner, kernel
from footfall.typing import Floats

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
