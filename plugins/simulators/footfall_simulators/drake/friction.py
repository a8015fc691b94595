"""Friction coefficients of geometries whose harmonic means equal those of the pairs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.optimize import nnls

LEAST = 1e-9
"""Smallest coefficient; it stands for no friction, [-]."""
SAME = 1e-9
"""Relative difference up to which coefficients count as equal."""


def mean(a: float, b: float) -> float:
    """Return the coefficient that Drake gives a pair; nothing is clamped."""
    return 2.0 * a * b / (a + b) if a + b > 0.0 else 0.0


def of_geometries(pairs: Mapping[tuple[int, int], float]) -> dict[int, float] | None:
    """Return coefficients by geometry that give those of all pairs; None if impossible.

    ``1 / mu_ij = (1 / mu_i + 1 / mu_j) / 2`` is linear in the inverses, which are not negative.
    """
    numbers = sorted({number for pair in pairs for number in pair})
    place = {number: k for k, number in enumerate(numbers)}
    A, mu = np.zeros((len(pairs), len(numbers))), np.array([*pairs.values()])
    mu = np.maximum(mu, LEAST)
    for row, (a, b) in enumerate(pairs):
        A[row, [place[a], place[b]]] = 0.5 * mu[row]
    inverse, _ = nnls(A, np.ones(len(pairs)))
    if not np.allclose(A @ inverse, 1.0, rtol=0.0, atol=SAME):
        return None
    return {number: 1.0 / max(x, LEAST) for number, x in zip(numbers, inverse, strict=True)}
