"""Rows that say the same twice, which active-set methods stumble over, or go round in circles.

Rows with the same coefficients become one, with the tighter bounds; rows of zeros are left out; of
the rows with ``l = u`` those are kept that are linearly independent, found by a QR factorisation
with column pivoting (Golub, Van Loan, Matrix Computations, 4th ed., chapter 5). What is left
out has the multiplier zero. If it contradicts the rest, the answer to the rest violates it, and the
host's residual, which is that of the whole problem, shows it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.linalg import qr

from footfall.interfaces.solver import QPProblem
from footfall.typing import Floats, Ints

RANK = 1e-10
"""Rows whose pivot is below this fraction of the first are dependent on the others."""


@dataclass(frozen=True, slots=True)
class DistinctRows:
    """A problem without repeated rows, and where its bounds come from.

    Attributes:
        problem: with m' rows.
        upper: shape (m',), the row of the whole problem that gives each upper bound.
        lower: shape (m',), the same for lower bounds.
    """

    problem: QPProblem
    upper: Ints
    lower: Ints

    def spread(self, z: Floats, m: int) -> Floats:
        """Return multipliers of all m rows from those of the distinct ones."""
        whole = np.zeros(m)
        whole[self.upper] += np.maximum(z, 0.0)
        whole[self.lower] += np.minimum(z, 0.0)
        return whole

    def gather(self, whole: Floats) -> Floats:
        """Return multipliers of the distinct rows from those of all."""
        return np.maximum(whole[self.upper], 0.0) + np.minimum(whole[self.lower], 0.0)


def distinct_rows(problem: QPProblem) -> DistinctRows | None:
    """Return the problem without repeated rows; None if it has none, as usual."""
    kept, upper, lower = _merge(problem)
    u = problem.u[upper]
    l = np.minimum(problem.l[lower], u)  # noqa: E741 - where they cross, the residual will tell
    independent = _independent(problem.C[kept], l == u)
    if len(independent) == len(problem.l):
        return None
    part = replace(problem, C=problem.C[kept][independent], l=l[independent], u=u[independent])
    return DistinctRows(part, upper[independent], lower[independent])


def _merge(problem: QPProblem) -> tuple[Ints, Ints, Ints]:
    """Return the first of each set of equal rows, and which of the set bounds it on each side."""
    C = problem.C + 0.0  # minus zero is zero
    first: dict[bytes, int] = {}
    upper: list[int] = []
    lower: list[int] = []
    for k, row in enumerate(C):
        at = first.setdefault(row.tobytes(), len(upper))
        if at == len(upper):
            upper.append(k)
            lower.append(k)
            continue
        if problem.u[k] < problem.u[upper[at]]:
            upper[at] = k
        if problem.l[k] > problem.l[lower[at]]:
            lower[at] = k
    keep = [at for row, at in first.items() if any(row)]
    kept = np.array(upper, np.int64)[keep]
    return kept, kept, np.array(lower, np.int64)[keep]


def _independent(C: Floats, equal: npt.NDArray[np.bool_]) -> Ints:
    """Return all rows that are inequalities, and independent ones among the equalities."""
    rows = np.flatnonzero(equal)
    if len(rows) < 2:
        return np.arange(len(C))
    _, R, order = qr(C[rows].T, mode="economic", pivoting=True)
    pivots = np.abs(np.diag(R))
    kept = np.ones(len(C), bool)
    kept[rows[order[int((pivots > RANK * pivots[0]).sum()) :]]] = False
    return np.flatnonzero(kept)
