"""The QP-solver role: a problem, an answer, and residuals computed by core."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from enum import Enum

import numpy as np

from footfall.interfaces.plugin import Plugin
from footfall.typing import Floats


class QPStatus(Enum):
    """Status of an answer, from core's own KKT residual and the backend's report."""

    SOLVED = "solved"
    INACCURATE = "inaccurate"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    INVALID = "invalid input"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class QPProblem:
    """``min_x 1/2 x'Hx + g'x  subject to  l <= C x <= u``.

    Attributes:
        H: shape (n, n), symmetric positive semidefinite.
        g: shape (n,).
        C: shape (m, n).
        l: shape (m,), -inf without a lower bound.
        u: shape (m,), +inf without an upper bound.
    """

    H: Floats
    g: Floats
    C: Floats
    l: Floats  # noqa: E741 - the field's letter
    u: Floats

    def is_finite(self) -> bool:
        """Return whether the problem is valid.

        H, g and C must be finite; bounds must not be NaN, not crossed and reachable. Sums of
        entries beyond the range of floats count as not finite.
        """
        from footfall.problem.kkt import well_posed

        return bool(well_posed(*_contiguous(self.H, self.g, self.C, self.l, self.u)))

    def residuals(self, x: Floats, z: Floats) -> KKTResiduals:
        """Compute the KKT residuals of an answer, the same for every backend.

        The Lagrangian is ``1/2 x'Hx + g'x + z'(Cx)`` with ``z > 0`` at upper and ``z < 0`` at lower
        bounds (Boyd and Vandenberghe, Convex Optimization, section 5.5.3). An answer that is not
        finite has residuals of infinity.

        Returns:
            ``stationarity``, ``feasibility``, ``complementarity``, their largest as ``worst``, and
            ``scaled``, by which answers are accepted: the largest of the three, each divided by the
            largest of its terms, by at least 1 and at most 1e4 times the scale of the data.
        """
        from footfall.problem.kkt import kkt

        return KKTResiduals(*kkt(*_contiguous(self.H, self.g, self.C, self.l, self.u, x, z)))


@dataclass(frozen=True, slots=True)
class KKTResiduals:
    """Residuals of the optimality conditions, each an infinity norm.

    Attributes:
        stationarity: ``|H x + g + C' z|``.
        feasibility: distance of ``C x`` to ``[l, u]``.
        complementarity: ``|min(z+, u - Cx)|`` and ``|min(z-, Cx - l)|``, the larger.
        scaled: the largest scaled residual; answers are accepted by it. Each residual is divided by
            the largest of its terms (``Hx``, ``g``, ``C'z``; ``Cx``), by at least 1, and by at
            most 1e4 times the scale of the problem's data. The two sides of complementarity are
            scaled separately.
    """

    stationarity: float
    feasibility: float
    complementarity: float
    scaled: float

    @property
    def worst(self) -> float:
        """The largest of the three."""
        return max(self.stationarity, self.feasibility, self.complementarity)


@dataclass(frozen=True, slots=True)
class QPSolution:
    """A solver's answer.

    Attributes:
        x: shape (n,).
        z: shape (m,), multiplier of ``l <= C x <= u``; positive at the upper bound.
        status: status of the solve.
        iterations: the backend's count, 0 if unknown.
        residuals: computed by core from x and z.
        message: the backend's own words, for errors.
        polished: whether the backend's answer was too coarse and core made it exact.
    """

    x: Floats
    z: Floats
    status: QPStatus
    iterations: int
    residuals: KKTResiduals
    message: str = ""
    polished: bool = False

    @classmethod
    def refused(
        cls, problem: QPProblem, message: str = "H, g, C, l or u is not valid"
    ) -> QPSolution:
        """Return the answer to an invalid problem, e.g. not finite or with crossed bounds."""
        infinite = KKTResiduals(np.inf, np.inf, np.inf, np.inf)
        n, m = len(problem.g), len(problem.l)
        return cls(np.zeros(n), np.zeros(m), QPStatus.INVALID, 0, infinite, message)

    @property
    def ok(self) -> bool:
        """Whether the answer may be used."""
        return self.status is QPStatus.SOLVED


def _contiguous(*arrays: Floats) -> list[Floats]:
    """Return the arrays in C order, as the kernels need them; copy only arrays in another order."""
    return [np.ascontiguousarray(array, np.float64) for array in arrays]


class QPSolver(Plugin):
    """A QP solver without hidden state: the same call gives the same bits.

    ``warm_start`` is the previous ``(x, z)``; the caller keeps it in the simulator's state. A
    solver without the capability WARM_START ignores it.
    """

    @abstractmethod
    def solve(self, problem: QPProblem, warm_start: tuple[Floats, Floats] | None) -> QPSolution:
        """Solve one problem in bounded time; never raise for a problem that has no solution."""
