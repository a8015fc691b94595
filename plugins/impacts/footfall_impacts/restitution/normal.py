"""The impact without friction: least impulses that keep points from going on into the ground."""

from __future__ import annotations

import numpy as np

from footfall.api.plugin import Floats

SINGULAR = 1e-14
"""Eigenvalues of the scaled W_nn below this part of the largest are none."""


def normal_impulse(W: Floats, b: Floats) -> Floats:
    """Return the frictionless inelastic impulse, shape (3 n,): ``0 <= r_n perp u_n >= 0``.

    As ``min |A x - y|, x >= 0`` with ``A'A = W_nn`` scaled to a unit diagonal and ``A'y = -b_n``,
    by the active-set method of Lawson and Hanson (Solving Least Squares Problems, 1974, ch. 23),
    which ends after finitely many steps whatever the rank and the ratio of the masses.
    """
    from scipy.optimize import nnls

    normal = W[2::3, 2::3]
    diagonal = np.diag(normal)
    scale = np.where(diagonal > 0.0, 1.0 / np.sqrt(np.maximum(diagonal, 1e-300)), 0.0)
    values, vectors = np.linalg.eigh(normal * np.outer(scale, scale))
    kept = values > SINGULAR * max(values[-1], 0.0)
    root, vectors = np.sqrt(values[kept]), vectors[:, kept]
    x, _ = nnls(root[:, None] * vectors.T, -(vectors.T @ (b[2::3] * scale)) / root)
    impulse = np.zeros(len(b))
    impulse[2::3] = scale * x
    return impulse
