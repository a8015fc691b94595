"""The QP of one collision group: its work space, its answer, and its solution method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from footfall.api.contact import ContactProblem, LawState
from footfall.api.plugin import Floats, Ints
from footfall.api.solver import QPProblem, QPSolution, QPSolver


@dataclass(frozen=True, slots=True)
class GroupQP:
    """Arrays of a group of n contacts with pyramids of s sides and r rows of loops.

    Every solve overwrites all of them.

    Attributes:
        qp: 3 n variables (tangent, tangent, normal), s n rows ``C x <= 0``.
        x: shape (3 n,), warm start.
        z: shape (s n,), warm start.
        W: shape (3 n + r, 3 n + r), Delassus matrix with the loops; without loops ``qp.H`` itself.
        g: shape (3 n + r,), gradient with the loops; without loops ``qp.g`` itself.
        factor: shape (3 n + r, 3 n + r), scratch for the factorisation that proves W semidefinite.
    """

    qp: QPProblem
    x: Floats
    z: Floats
    W: Floats
    g: Floats
    factor: Floats

    @classmethod
    def allocate(cls, contacts: int, loop_rows: int, sides: int) -> GroupQP:
        """Allocate a work space."""
        n, m, rows = 3 * contacts, sides * contacts, 3 * contacts + loop_rows
        H, g, C = np.zeros((n, n)), np.zeros(n), np.zeros((m, n))
        qp = QPProblem(H, g, C, np.full(m, -np.inf), np.zeros(m))
        with_loops = (np.zeros((rows, rows)), np.zeros(rows)) if loop_rows else (H, g)
        return cls(qp, np.zeros(n), np.zeros(m), *with_loops, np.zeros((rows, rows)))


@dataclass(frozen=True, slots=True)
class Settled:
    """The answer of one group.

    Attributes:
        solution: solution of the accepted QP, or of the QP that failed.
        residual: residual that the law reports, in units of g.
        iterations: iterations of the solver, or number of solves.
    """

    solution: QPSolution
    residual: float
    iterations: int


Settle = Callable[[GroupQP, ContactProblem, Ints, LawState], Settled]
"""Function that finds the answer of a group from its warm start, the contact problem, the group's
contact blocks (n,), and the law's state."""


class Once:
    """A single solve of the QP: the source's law."""

    def __init__(self, solver: QPSolver) -> None:
        self._solver = solver

    def __call__(
        self, work: GroupQP, problem: ContactProblem, contacts: Ints, state: LawState
    ) -> Settled:
        """Return the QP's answer with its stationarity residual."""
        solution = self._solver.solve(work.qp, (work.x, work.z))
        return Settled(solution, solution.residuals.stationarity, solution.iterations)
