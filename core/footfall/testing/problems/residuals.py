"""Residuals of Signorini's condition and Coulomb's law, in plain numpy.

The definitions of the core's kernels (``footfall.problem.residuals``), implemented a second time:
a law may use those kernels, so they must not judge its answer.
"""

from __future__ import annotations

import numpy as np

from footfall.problem.arrays import BlockKind
from footfall.testing.problems.case import Case
from footfall.typing import Floats


def rows_of(case: Case) -> list[slice]:
    """Return the rows of each block."""
    sizes = case.sizes or [3 if kind is BlockKind.CONE else 1 for kind in case.kinds]
    ends = np.cumsum(sizes)
    return [slice(int(end - size), int(end)) for end, size in zip(ends, sizes, strict=True)]


def project_on_cone(x: Floats, mu: float) -> Floats:
    """Return the point of ``|x_t| <= mu x_n`` that is nearest to x, shape (3,)."""
    t, n = float(np.hypot(x[0], x[1])), float(x[2])
    if mu * t <= -n:  # first: below the apex with mu = 0 the other holds as well
        return np.zeros(3)
    if t <= mu * n:
        return x
    normal = (n + mu * t) / (1.0 + mu**2)
    return np.array([mu * normal * x[0] / t, mu * normal * x[1] / t, normal])


def distance_to_cone(impulse: Floats, mu: float) -> float:
    """Return the distance of an impulse to its cone, [N s]."""
    return float(np.linalg.norm(impulse - project_on_cone(impulse, mu)))


def natural_map(case: Case, impulse: Floats, u: Floats) -> float:
    """Return the largest natural-map residual over the blocks, [m/s]; NaN if anything is NaN.

    ``|r - P_K(r - rho (u + mu |u_t| n))| / rho`` with ``rho = 1 / max W_ii`` (Acary and Brogliato
    2008, section 13.2); u is the velocity that the law targets, shape (rows,).
    """
    W, largest = case.delassus, 0.0
    if not (np.isfinite(impulse).all() and np.isfinite(u).all()):
        return float("nan")
    for i, rows in enumerate(rows_of(case)):
        w = float(np.diag(W)[rows].max())
        if w <= 0.0:
            continue
        r, v = impulse[rows], u[rows].copy()
        if case.kinds[i] is BlockKind.EQUALITY:
            away = v / w
        elif case.kinds[i] is BlockKind.CONE:
            v[2] += case.mu[i] * np.hypot(v[0], v[1])
            away = r - project_on_cone(r - v / w, float(case.mu[i]))
        else:
            box = case.kinds[i] is BlockKind.BOX
            low, high = case.bounds[i] if box else (0.0, np.inf)
            away = r - np.clip(r - v / w, low, high)
        largest = max(largest, w * float(np.linalg.norm(away)))
    return largest


def complementarity(case: Case, impulse: Floats, u: Floats) -> float:
    """Return the largest ``|r . (u + mu |u_t| n)|`` of a contact over the total ``|r| |u|``."""
    largest, scale = 0.0, float(np.abs(impulse).max() * np.abs(u).max())
    for i, rows in enumerate(rows_of(case)):
        r, v = impulse[rows], u[rows]
        if case.kinds[i] is BlockKind.CONE:
            slip = float(case.mu[i] * np.hypot(v[0], v[1]))
            largest = max(largest, abs(float(r @ v) + float(r[2]) * slip))
    return largest / scale if scale > 0.0 else 0.0
