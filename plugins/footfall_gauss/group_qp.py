"""Work space of the QP of one collision group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footfall.roles.solver import QPProblem

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GroupQP:
    """Arrays of a group of n contacts with pyramids of s sides and r rows of loops.

    They are overwritten at every solve; nothing in them lives on.

    Attributes:
        qp: 3 n variables (tangent, tangent, normal), s n rows ``C x <= 0``.
        x: shape (3 n,), warm start.
        z: shape (s n,), warm start.
        W: shape (3 n + r, 3 n + r), Delassus matrix with the loops; ``qp.H`` itself without.
        g: shape (3 n + r,), gradient with the loops; ``qp.g`` itself without.
    """

    qp: QPProblem
    x: Floats
    z: Floats
    W: Floats
    g: Floats

    @classmethod
    def allocate(cls, contacts: int, loop_rows: int, sides: int) -> GroupQP:
        """Make a work space."""
        n, m, rows = 3 * contacts, sides * contacts, 3 * contacts + loop_rows
        H, g, C = np.zeros((n, n)), np.zeros(n), np.zeros((m, n))
        qp = QPProblem(H, g, C, np.full(m, -np.inf), np.zeros(m))
        with_loops = (np.zeros((rows, rows)), np.zeros(rows)) if loop_rows else (H, g)
        return cls(qp, np.zeros(n), np.zeros(m), *with_loops)
