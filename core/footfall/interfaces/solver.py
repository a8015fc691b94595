"""The QP-solver role: a problem, an answer, and residuals computed by the host."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from enum import Enum

import numpy as np

from footfall.interfaces.plugin import Plugin
from footfall.typing import Floats


class QPStatus(Enum):
    """How a solve ended, by the host's own KKT residual and the backend's report."""

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
        l: shape (m,), -inf where there is none.
        u: shape (m,), +inf where there is none.
    """

    H: Floats
    g: Floats
    C: Floats
    l: Floats  # noqa: E741 - the field's letter
    u: Floats

    def is_finite(self) -> bool:
        """Whether H, g, C are finite and the bounds are not NaN, not crossed and can be met.

        Sums of entries beyond the range of floats count as not finite.
        """
        from footfall.problem.kkt import well_posed

        return bool(well_posed(*_contiguous(self.H, self.g, self.C, self.l, self.u)))

    def residuals(self, x: Floats, z: Floats) -> KKTResiduals:
        """Compute the KKT residuals of an answer, the one yardstick for every backend.

        The Lagrangian is ``1/2 x'Hx + g'x + z'(Cx)`` with ``z > 0`` at upper and ``z < 0`` at lower
        bounds (Boyd and Vandenberghe, Convex Optimization, section 5.5.3). An answer that is not
        finite has residuals of infinity.
        """
        from footfall.problem.kkt import kkt

        parts = self.H, self.g, self.C, self.l, self.u, x, z
        return KKTResiduals(*kkt(*_contiguous(*parts)))


@dataclass(frozen=True, slots=True)
class KKTResiduals:
    """Residuals of the optimality conditions, each an infinity norm.

    Attributes:
        stationarity: ``|H x + g + C' z|``.
        feasibility: distance of ``C x`` to ``[l, u]``.
        complementarity: ``|min(z+, u - Cx)|`` and ``|min(z-, Cx - l)|``, the larger.
        scaled: the largest of the three in scale: each divided by the largest of the terms that it
            is the difference of (``Hx``, ``g``, ``C'z``; ``Cx``), or by 1 if that is smaller, but
            never by more than 1e4 times what the problem's data suggest. The two sides of
            complementarity are scaled apart. Answers are accepted by this one.
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
        status: how it ended.
        iterations: the backend's count, 0 if unknown.
        residuals: computed by the host from x and z.
        message: the backend's own words, for errors.
        polished: whether the backend's own answer was too coarse and the host made it exact.
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
        """Return the answer to a problem that no backend may see: not finite, or crossed bounds."""
        infinite = KKTResiduals(np.inf, np.inf, np.inf, np.inf)
        n, m = len(problem.g), len(problem.l)
        return cls(np.zeros(n), np.zeros(m), QPStatus.INVALID, 0, infinite, message)

    @property
    def ok(self) -> bool:
        """Whether the answer may be used."""
        return self.status is QPStatus.SOLVED


def _contiguous(*arrays: Floats) -> list[Floats]:
    """Return the arrays in C order, as the kernels are compiled for; copies only what is not."""
    return [np.ascontiguousarray(array, np.float64) for array in arrays]


class QPSolver(Plugin):
    """A QP solver without hidden state: the same call gives the same bits.

    ``warm_start`` is the previous ``(x, z)``, which the caller keeps in the simulator's state; a
    solver without the capability WARM_START ignores it.
    """

    @abstractmethod
    def solve(self, problem: QPProblem, warm_start: tuple[Floats, Floats] | None) -> QPSolution:
        """Solve one problem in bounded time; never raise for a problem that has no solution."""
