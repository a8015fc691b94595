"""The call of a QP backend, with the same accuracy for every backend.

A backend gets the problem in scaled units (``ScaledQP``), without redundant rows. Only core's KKT
residual judges its answer. If the residual is too large, the answer is polished. If that does not
help, the backend is called again with ``eps/2 |x - x_k|^2`` added to the cost, where x_k is the
best answer so far. This is the proximal point method (Rockafellar, "Monotone operators and the
proximal point algorithm", SIAM J. Control Optim. 14, 1976), which converges to a solution of the
original problem. Backends that reject singular Hessians get this form from the start.

If many bounds meet in a point, rounding makes active-set methods call them contradictory. Therefore
the repeated calls widen each inequality by a slightly different amount, so that they do not meet;
polishing removes the widening. (Of 600 random problems full of such points quadprog fails on two in
five without it, DAQP on one in six, both on none with it.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from footfall.interfaces.solver import KKTResiduals, QPProblem, QPSolution
from footfall.qp.polish import polish
from footfall.qp.presolve import ScaledQP, distinct_rows
from footfall.qp.verdict import checked_solution
from footfall.typing import Floats

TOLERANCE = 1e-9
"""Default largest scaled KKT residual of a usable answer, for every backend."""
PROXIMAL = 1e-4
"""eps of the rounds after an answer that polishing cannot improve enough."""
ROOM = 1e-9
"""Least widening of inequalities in these rounds; the greatest is twice this."""
GOLDEN = 0.6180339887498949
"""Golden ratio; its multiples modulo 1 are well spread and reproducible."""
ROUNDS = 6
"""Most calls of the backend in a solve."""
GREAT_STEP = 0.1
"""If a proximal step leaves less than this share of the residual, another follows at once."""
WORTH = 0.5
"""If a round leaves less than this share of the residual, another round follows."""
FINER = 1e-2
"""Target residual of polishing relative to the tolerance; it usually ends at rounding anyway."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A backend's answer.

    Attributes:
        x: shape (n,); anything if it failed, NaN included.
        z: shape (m,), positive at upper bounds.
        iterations: the backend's count, 0 if unknown.
        message: the backend's own words.
    """

    x: Floats
    z: Floats
    iterations: int = 0
    message: str = ""


Backend = Callable[[QPProblem, Floats, Floats], Answer]
"""Function of a problem and a start (x, z), zeros if there is none."""


def solve_with(
    backend: Backend,
    problem: QPProblem,
    tolerance: float,
    *,
    shift: float = 0.0,
    start: tuple[Floats, Floats] | None = None,
) -> QPSolution:
    """Solve a problem with a backend.

    Args:
        backend: the backend to call.
        problem: the problem to solve; rejected if it is not finite.
        tolerance: largest ``KKTResiduals.scaled`` of a usable answer.
        shift: eps of the first call, 0 if the backend accepts singular Hessians.
        start: shapes (n,) and (m,), for backends that use a start.
    """
    if not problem.is_finite():
        return QPSolution.refused(problem)
    if start is not None and not all(np.isfinite(part).all() for part in start):
        start = None
    if start is not None:
        residuals = problem.residuals(*start)
        if residuals.scaled <= tolerance:
            x, z = start[0].copy(), start[1].copy()
            return checked_solution(
                problem, x, z, tolerance, residuals=residuals, message="at the start"
            )
    rows = distinct_rows(problem)
    if rows is None:
        return _Attempt(problem, tolerance).solve(backend, shift, start)
    part = None if start is None else (start[0], rows.gather(start[1]))
    found = _Attempt(rows.problem, tolerance).solve(backend, shift, part)
    z = rows.spread(found.z, len(problem.l))
    whole = checked_solution(
        problem, found.x, z, tolerance, iterations=found.iterations, message=found.message
    )
    return replace(whole, polished=found.polished)


class _Attempt:
    """One solve: the problem in original and scaled units, and the best answer so far."""

    def __init__(self, problem: QPProblem, tolerance: float) -> None:
        self.problem, self.tolerance = problem, tolerance
        self.scaled = ScaledQP.of(problem)
        self.x, self.z = np.full(len(problem.g), np.nan), np.zeros(len(problem.l))
        self.residuals = KKTResiduals(np.inf, np.inf, np.inf, np.inf)
        self.polished = False

    def solve(
        self, backend: Backend, shift: float, start: tuple[Floats, Floats] | None
    ) -> QPSolution:
        qp, iterations = self.scaled.problem, 0
        x, z = np.zeros(len(qp.g)), np.zeros(len(qp.l))
        if start is not None:
            x, z = self.scaled.into(*start)
        careful = False
        for _ in range(ROUNDS):
            eps = max(shift, PROXIMAL) if careful else shift
            before = self.residuals.scaled
            answer = backend(_centred(_widened(qp) if careful else qp, eps, x), x, z)
            iterations += answer.iterations
            advancing = self._take(answer, patient=shift > 0.0 and not careful)
            if self.residuals.scaled <= self.tolerance:
                break
            if careful and not self.residuals.scaled < WORTH * before:
                break
            careful = careful or not advancing
            if np.isfinite(self.x).all():
                x, z = self.x, self.z
        return replace(
            checked_solution(
                self.problem,
                *self.scaled.back(self.x, self.z),
                self.tolerance,
                residuals=self.residuals,
                iterations=iterations,
                message=answer.message,
            ),
            polished=self.polished,
        )

    def _take(self, answer: Answer, *, patient: bool) -> bool:
        """Keep an answer if it is the best so far; polish it if needed.

        Returns:
            Whether it is a large proximal step (``GREAT_STEP``) with ``patient``; such steps are
            not polished.
        """
        before = self.residuals.scaled
        self._keep(answer.x, answer.z, polished=False)
        if patient and self.residuals.scaled < GREAT_STEP * before:
            return True
        sound = np.isfinite(answer.x).all() and np.isfinite(answer.z).all()
        if sound and self.residuals.scaled > self.tolerance:
            x, z, _ = polish(self.scaled.problem, answer.x, answer.z, FINER * self.tolerance)
            self._keep(x, z, polished=True)
        return False

    def _keep(self, x: Floats, z: Floats, *, polished: bool) -> None:
        residuals = self.problem.residuals(*self.scaled.back(x, z))
        if residuals.scaled < self.residuals.scaled or np.isnan(self.x).any():
            self.x, self.z, self.residuals, self.polished = x, z, residuals, polished


def _centred(problem: QPProblem, eps: float, x: Floats) -> QPProblem:
    """Return the problem with ``eps/2 |y - x|^2`` added to the cost of y."""
    if eps == 0.0:
        return problem
    return replace(problem, H=problem.H + eps * np.eye(len(x)), g=problem.g - eps * x)


def _widened(problem: QPProblem) -> QPProblem:
    """Return the problem with slightly wider inequalities."""
    room = ROOM * (1.0 + (GOLDEN * np.arange(len(problem.l))) % 1.0)
    room[problem.l == problem.u] = 0.0
    return replace(problem, l=problem.l - room, u=problem.u + room)
