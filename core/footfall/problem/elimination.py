"""Elimination of closed loops, given as equality rows, from a contact problem.

With rows c of contacts and h of loops, ``W_hc r + W_hh r_h + u_h = 0`` gives the loops' impulses
``r_h = -A (W_hc r + u_h)`` for an inverse A of ``W_hh``. The reduced problem of the contacts is
``W = W_cc - W_ch A W_hc``, ``u = u_c - W_ch A u_h``. Guedelha, Pasandi, L'Erario, Traversaro and
Pucci, "A Flexible MATLAB/Simulink Simulator for Robotic Floating-base Systems in Contact with the
Ground: Theoretical Background and Implementation Details", International Journal of Semantic
Computing, 2024, equations (15) to (17).

Dependent loops (a closed chain with redundant rows) make W_hh singular:

* ``rank_safe`` leaves dependent combinations out: the loops close exactly, redundant or not.
* ``damped_inverse`` (as in the source, k = 1e-3) is defined for any W_hh, but loops open under
  load.

Neither adds energy. Both satisfy ``A P A <= A`` with ``P = W_hh``. With ``y = W_hc r + u_h`` the
kinetic energy changes by ``r'u_c + r'W_cc r / 2 - y'A y + y'A P A y / 2``. This is at most the
change in the reduced problem, ``r'u + r'W r / 2``, less ``u_h'A u_h / 2``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.typing import Floats

CUT = 1e-10
"""Eigenvalue of W_hh scaled to a unit diagonal, relative to the largest, up to which a
combination of rows counts as dependent. Rounding leaves 1e-15; loops of robots are above 1e-6.
"""
FIXED = 1e-12
"""Fraction of its own ``W_ii`` up to which a contact row counts as held by the loops alone."""


def rank_safe(P: Floats) -> Floats:
    """Return the pseudo-inverse without dependent combinations of rows.

    ``S Q^+ S`` with ``S = diag(P)^-1/2`` and ``Q = S P S``, so that units and masses do not matter.
    Contradictory rows are met in the least-squares sense of the scaled rows.
    """
    diagonal = np.diag(P)
    scale = np.where(diagonal > 0.0, 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0)), 0.0)
    return scale[:, None] * damped_inverse(scale[:, None] * P * scale, 0.0, CUT) * scale


def damped_inverse(P: Floats, damping: float, relative_cut: float = 0.0) -> Floats:
    """Return ``P (P P + k^2 1)^-1`` of a symmetric P; its pseudo-inverse if k is 0.

    In each eigendirection it is ``p / (p^2 + k^2)`` instead of ``1 / p``. Loops open under load,
    more so if they hold heavy bodies (p is 1/mass); redundant rows do no harm.

    Args:
        P: shape (h, h), positive semidefinite.
        damping: k, in units of P.
        relative_cut: eigenvalues up to this fraction of the largest are left out, [-].
    """
    if not len(P):
        return np.zeros((0, 0))
    values, vectors = np.linalg.eigh(P)
    kept = values > relative_cut * max(values[-1], 0.0)
    values, vectors = values[kept], vectors[:, kept]
    return np.asarray((vectors * (values / (values**2 + damping**2))) @ vectors.T)


@dataclass(frozen=True, slots=True)
class Elimination:
    """Loops after their elimination.

    Attributes:
        response: shape (loop rows, contact rows), ``A W_hc``.
        bias: shape (loop rows,), ``A u_h``.
    """

    response: Floats
    bias: Floats
    damped_inverse = staticmethod(damped_inverse)

    @classmethod
    def of(cls, W: Floats, u: Floats, n: int, *, damping: float = 0.0) -> Elimination:
        """Eliminate the rows from n on.

        Args:
            W: shape (rows, rows), symmetric.
            u: shape (rows,).
            n: number of contact rows, which come first.
            damping: k of the damped inverse of ``W[n:, n:]``, in units of W; 0: ``rank_safe``.
        """
        P = W[n:, n:]
        inverse = damped_inverse(P, damping) if damping > 0.0 else rank_safe(P)
        return cls(inverse @ W[n:, :n], inverse @ u[n:])

    def reduce(self, W: Floats, u: Floats) -> tuple[Floats, Floats]:
        """Return W and u of the contacts without the loops; pure rounding becomes 0.

        A contact that the loops hold by themselves (a welded foot on the ground) leaves 1e-16 of
        the subtracted entries, which a solver would scale up.
        """
        n = len(u) - len(self.bias)
        left = W[:n, :n] - W[:n, n:] @ self.response
        left = 0.5 * (left + left.T)
        u_left = u[:n] - W[:n, n:] @ self.bias
        held = np.diag(left) <= FIXED * np.diag(W)[:n]
        left[held, :] = left[:, held] = 0.0
        u_left[held] = 0.0
        return left, u_left

    def impulses(self, contacts: Floats) -> Floats:
        """Return the loops' impulses (or forces) for given impulses (or forces) of the contacts."""
        return -(self.response @ contacts + self.bias)
