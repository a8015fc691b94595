"""The impact without friction: the smallest impulses that keep points out of the ground."""

from __future__ import annotations

import numpy as np

from footfall.api.plugin import Floats

SINGULAR = 1e-14
"""Eigenvalues of the scaled W_nn below this part of the largest count as zero."""


def normal_impulse(W: Floats, b: Floats) -> Floats:
    """Return the frictionless inelastic impulse, shape (3 n,): ``0 <= r_n perp u_n >= 0``.

    Solved as ``min |A x - y|, x >= 0`` with ``A'A = W_nn`` scaled to a unit diagonal and
    ``A'y = -b_n``, by the active-set method of Lawson and Hanson (Solving Least Squares Problems,
    1974, ch. 23). It ends after finitely many steps for any rank and any mass ratio.
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
