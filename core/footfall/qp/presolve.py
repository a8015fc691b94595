"""Presolve of a QP: redundant rows are merged, and the units are scaled.

Rows with the same coefficients become one, with the tighter bounds. Rows of zeros are left out. Of
the rows with ``l = u``, a linearly independent set is kept, found by a QR factorisation with column
pivoting (Golub, Van Loan, Matrix Computations, 4th ed., chapter 5); active-set methods fail or
cycle on dependent rows. Omitted rows have multiplier zero. If one contradicts the rest, the answer
violates it, and core's residual of the whole problem shows it.

Backends have absolute tolerances. With h the largest diagonal entry of H and c the largest entry of
g, ``x = (c / h) y`` turns ``min 1/2 x'Hx + g'x, l <= C x <= u`` into ``c^2 / h`` times
``min 1/2 y'(H/h)y + (g/c)'y, l h/c <= C y <= u h/c``, with multipliers ``z / c``. Then heavy and
light robots give similar problems, and so do newtons and newton seconds. Measured on problems of
two feet: without it DAQP fails on two in three of those with entries of g of order 1e4.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from footfall.interfaces.solver import QPProblem, QPSolution, QPStatus
from footfall.problem.kkt import scale
from footfall.qp.polish import polish
from footfall.qp.verdict import explain
from footfall.typing import Floats, Ints

RANK = 1e-10
"""Rows whose pivot is below this fraction of the first are dependent on the others."""


@dataclass(frozen=True, slots=True)
class DistinctRows:
    """A problem without redundant rows, and the origin of its bounds.

    Attributes:
        problem: the problem with m' rows.
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
    """Return the problem without redundant rows; None if it has none, as usual."""
    kept, upper, lower = _merge(problem)
    u = problem.u[upper]
    l = np.minimum(problem.l[lower], u)  # noqa: E741 - if bounds cross, the residual shows it
    independent = _independent(problem.C[kept], l == u)
    if len(independent) == len(problem.l):
        return None
    part = replace(problem, C=problem.C[kept][independent], l=l[independent], u=u[independent])
    return DistinctRows(part, upper[independent], lower[independent])


def _merge(problem: QPProblem) -> tuple[Ints, Ints, Ints]:
    """Return the first of each set of equal rows, and the rows of its upper and lower bounds."""
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
    """Return the indices of all inequalities and of independent equalities."""
    rows = np.flatnonzero(equal)
    if len(rows) < 2:
        return np.arange(len(C))
    from scipy.linalg import qr  # only such problems need it

    _, R, order = qr(C[rows].T, mode="economic", pivoting=True)
    pivots = np.abs(np.diag(R))
    kept = np.ones(len(C), bool)
    kept[rows[order[int((pivots > RANK * pivots[0]).sum()) :]]] = False
    return np.flatnonzero(kept)


LEAST = 1e-6
"""Smallest c: a smaller gradient is rounding error and must not be scaled up to order one."""


@dataclass(frozen=True, slots=True)
class ScaledQP:
    """A QP in scaled units, and those units.

    Attributes:
        problem: the QP with largest diagonal entry of H 1 and largest entry of g about 1.
        x_unit: unit of x, ``c / h``.
        z_unit: unit of z, ``c``.
    """

    problem: QPProblem
    x_unit: float
    z_unit: float

    @classmethod
    def of(cls, problem: QPProblem) -> ScaledQP:
        """Scale a problem; a zero Hessian stays zero.

        Raises:
            ValueError: if the problem is not ``is_finite``.
        """
        n, m, contiguous = len(problem.g), len(problem.l), np.ascontiguousarray
        H, g, low, high = np.empty((n, n)), np.empty(n), np.empty(m), np.empty(m)
        given = contiguous(problem.H), problem.g, contiguous(problem.C), problem.l, problem.u
        x_unit, z_unit = scale(*given, LEAST, H, g, low, high)
        if x_unit == 0.0:
            raise ValueError("H, g, C, l or u is not valid")
        return cls(QPProblem(H, g, problem.C, low, high), x_unit, z_unit)

    def into(self, x: Floats, z: Floats) -> tuple[Floats, Floats]:
        """Return an (x, z) of the original problem in the units of this one."""
        return x / self.x_unit, z / self.z_unit

    def back(self, x: Floats, z: Floats) -> tuple[Floats, Floats]:
        """Return an answer of this problem in the units of the original."""
        return x * self.x_unit, z * self.z_unit

    def polished(self, x: Floats, z: Floats, content: float) -> tuple[Floats, Floats]:
        """Return the answer, polished on its active rows if that is better.

        Args:
            x: shape (n,), in the units of the original problem, as the result.
            z: shape (m,), likewise.
            content: scaled residual at which to stop.
        """
        return self.back(*polish(self.problem, *self.into(x, z), content)[:2])

    def checked(self, problem: QPProblem, answer: QPSolution, tolerance: float) -> QPSolution:
        """Return an answer of the original problem with core's verdict; see ``QPStatus``.

        Args:
            problem: the original problem.
            answer: the answer, in its units, whose status does not count.
            tolerance: largest ``residuals.scaled`` of a usable answer.
        """
        solved = answer.residuals.scaled <= tolerance
        return replace(answer, status=QPStatus.SOLVED if solved else explain(problem, answer.x))
