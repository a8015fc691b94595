"""The call of a QP backend, whose answer is brought to the accuracy that all are held to.

What a backend sees is the problem in units of its own (``ScaledQP``), without rows that say the
same twice. What it answers is judged by the host's KKT residual alone. If that is too large, the
answer is polished; if that does not help, the backend is asked again with ``eps/2 |x - x_k|^2``
added to the cost, x_k being the best answer so far: the proximal point method (Rockafellar,
"Monotone operators and the proximal point algorithm", SIAM J. Control Optim. 14, 1976), which
converges to a solution of the original problem. Backends that refuse singular Hessians are asked
in this form from the start.

Where many bounds meet in a point, rounding makes active-set methods call them contradictory. When
asked again, the inequalities are a little wider, each by another amount, so that they do not meet;
polishing takes that back. (Of 600 random problems full of such points quadprog fails on two
in five without it, DAQP on one in six, both on none with it.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from footfall.interfaces.solver import KKTResiduals, QPProblem, QPSolution
from footfall.qp.polish import polish
from footfall.qp.presolve import ScaledQP, distinct_rows
from footfall.qp.verdict import judge
from footfall.typing import Floats

TOLERANCE = 1e-9
"""Largest KKT residual, in scale, of a usable answer by default: the same for every backend."""
PROXIMAL = 1e-4
"""eps of the rounds that follow an answer that polishing cannot save."""
ROOM = 1e-9
"""What inequalities are widened by at least, and twice of it at most, in these rounds."""
GOLDEN = 0.6180339887498949
"""Its multiples modulo 1 are well spread, and the same every time."""
ROUNDS = 6
"""Most calls of the backend a solve."""
GREAT_STEP = 0.1
"""A proximal step that leaves less than this of the residual is followed by another at once."""
WORTH = 0.5
"""Another round is worth it if this one left less than this of the residual."""
FINER = 1e-2
"""Asked of polishing relative to the tolerance; it usually ends at rounding anyway."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a backend says.

    Attributes:
        x: shape (n,); anything if it failed, NaN included.
        z: shape (m,), positive at upper bounds.
        iterations: its own count, 0 if unknown.
        message: its own words.
    """

    x: Floats
    z: Floats
    iterations: int = 0
    message: str = ""


Backend = Callable[[QPProblem, Floats, Floats], Answer]
"""Called with a problem and a start (x, z), zeros if there is none."""


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
        backend: what to call.
        problem: what is to be solved; refused if it is not finite.
        tolerance: largest ``KKTResiduals.scaled`` of an answer that may be used.
        shift: eps of the first call, 0 if the backend takes singular Hessians.
        start: shapes (n,) and (m,), for backends that start from one.
    """
    if not problem.is_finite():
        return QPSolution.refused(problem)
    if start is not None and not all(np.isfinite(part).all() for part in start):
        start = None
    if start is not None:
        residuals = problem.residuals(*start)
        if residuals.scaled <= tolerance:
            x, z = start[0].copy(), start[1].copy()
            return judge(problem, x, z, tolerance, residuals=residuals, message="at the start")
    rows = distinct_rows(problem)
    if rows is None:
        return _Attempt(problem, tolerance).solve(backend, shift, start)
    part = None if start is None else (start[0], rows.gather(start[1]))
    found = _Attempt(rows.problem, tolerance).solve(backend, shift, part)
    z = rows.spread(found.z, len(problem.l))
    whole = judge(
        problem, found.x, z, tolerance, iterations=found.iterations, message=found.message
    )
    return replace(whole, polished=found.polished)


class _Attempt:
    """One solve: the problem in both units, and the best answer so far."""

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
            judge(
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
        """Keep an answer if it is the best so far, polished if need be.

        Returns:
            Whether it is a great step of proximal ones; these are left to themselves (``patient``).
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
    """Return the problem with a little more room between the bounds of inequalities."""
    room = ROOM * (1.0 + (GOLDEN * np.arange(len(problem.l))) % 1.0)
    room[problem.l == problem.u] = 0.0
    return replace(problem, l=problem.l - room, u=problem.u + room)
