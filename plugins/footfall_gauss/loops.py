"""Closed loops: equality rows are eliminated before the QP of the contacts.

With rows c of contacts and h of loops, ``W_hc f + W_hh f_h + g_h = 0`` gives the loops' forces
``f_h = -P (W_hc f + g_h)`` for a pseudo-inverse P of ``W_hh``, and what is left for the contacts is
``H = W_cc - W_ch P W_hc``, ``g = g_c - W_ch P g_h``. Guedelha et al. 2022, equation (13).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
CUT = 1e-10
"""Eigenvalue, of W_hh scaled to a unit diagonal, up to which a combination of rows is taken to
follow from the others. Rounding leaves 1e-15 of such rows; loops of robots are above 1e-6."""
FIXED = 1e-12
"""Part of its own ``W_ii`` up to which a contact's row is taken to be held by the loops alone."""


def rank_safe(W: Floats, damping: float) -> Floats:
    """Return the pseudo-inverse without the combinations of rows that follow from others.

    ``S Q^+ S`` with ``S = diag(W)^-1/2`` and ``Q = S W S``, by its eigenvalues above ``CUT``: units
    and masses do not matter. Loops are then closed exactly, redundant or not; rows that contradict
    each other are met as well as can be.
    """
    diagonal = np.diag(W)
    scale = np.where(diagonal > 0.0, 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0)), 0.0)
    values, vectors = np.linalg.eigh(scale[:, None] * W * scale)
    kept = values > CUT
    basis = scale[:, None] * vectors[:, kept]
    return np.asarray((basis / values[kept]) @ basis.T)


def damped(W: Floats, damping: float) -> Floats:
    """Return the source's ``W' (W W' + k^2 I)^-1``.

    Direction by direction it is ``w / (w^2 + k^2)`` instead of ``1 / w``: loops open under load,
    the more the heavier what they hold (w is 1/mass), and redundant rows do no harm.
    """
    return np.asarray(np.linalg.solve(W @ W.T + damping**2 * np.eye(len(W)), W).T)


INVERSES: dict[str, Callable[[Floats, float], Floats]] = {"rank_safe": rank_safe, "damped": damped}


@dataclass(frozen=True, slots=True)
class Elimination:
    """Loops that have been eliminated.

    Attributes:
        response: shape (loop rows, contact rows), ``P W_hc``.
        bias: shape (loop rows,), ``P g_h``.
    """

    response: Floats
    bias: Floats

    @classmethod
    def of(cls, W: Floats, g: Floats, inverse: Floats, n: int) -> Elimination:
        """Eliminate the rows from n on.

        Args:
            W: shape (rows, rows), symmetric.
            g: shape (rows,).
            inverse: pseudo-inverse of ``W[n:, n:]``.
            n: number of contact rows, which come first.
        """
        return cls(inverse @ W[n:, :n], inverse @ g[n:])

    def reduce(self, W: Floats, g: Floats, H: Floats, g_left: Floats) -> None:
        """Write H and g of what is left for the contacts; no motion is left where it is rounding.

        A contact that the loops hold by themselves (a welded foot on the ground) leaves entries of
        1e-16 of what was subtracted, which would be scaled up.
        """
        n = len(g_left)
        H[:] = W[:n, :n] - W[:n, n:] @ self.response
        H[:] = 0.5 * (H + H.T)
        g_left[:] = g[:n] - W[:n, n:] @ self.bias
        held = np.diag(H) <= FIXED * np.diag(W)[:n]
        H[held, :] = H[:, held] = 0.0
        g_left[held] = 0.0

    def forces(self, contact_forces: Floats) -> Floats:
        """Return the loops' forces for the contacts' ones, in the same unit."""
        return -(self.response @ contact_forces + self.bias)
