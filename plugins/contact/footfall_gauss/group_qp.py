"""The QP of one collision group: its work space, its answer, and its solution method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from footfall.api.advanced import Cones
from footfall.api.contact import ContactProblem, LawState
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Floats, Ints
from footfall.api.solver import QPProblem, QPSolution, QPSolver
from footfall_gauss import kernels


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
        mu: shape (n,).
        least_norm: overwrites x, an answer of the QP, with that of least norm; returns its natural
            map, in units of g.
    """

    qp: QPProblem
    x: Floats
    z: Floats
    W: Floats
    g: Floats
    factor: Floats
    mu: Floats
    least_norm: Callable[[], float]

    @classmethod
    def allocate(cls, contacts: int, loop_rows: int, directions: Floats) -> GroupQP:
        """Allocate a work space."""
        sides = len(directions)
        n, m, rows = 3 * contacts, sides * contacts, 3 * contacts + loop_rows
        H, g, C = np.zeros((n, n)), np.zeros(n), np.zeros((m, n))
        qp = QPProblem(H, g, C, np.full(m, -np.inf), np.zeros(m))
        with_loops = (np.zeros((rows, rows)), np.zeros(rows)) if loop_rows else (H, g)
        x, mu = np.zeros(n), np.zeros(contacts)
        given = {"W": H, "b": g, "mu": mu, "r": x, "directions": directions}
        cones = Cones.allocate("pyramid", contacts, **given)
        least_norm = bind(kernels.least_norm, table_of(cones), contacts)
        scratch = np.zeros((rows, rows))
        return cls(qp, x, np.zeros(m), *with_loops, scratch, mu, least_norm)


@dataclass(frozen=True, slots=True)
class Settled:
    """The answer of one group.

    Attributes:
        x: shape (3 n,).
        solution: solution of the accepted QP, or of the QP that failed.
        residual: residual that the law reports, in units of g.
        iterations: iterations of the solver, or number of solves.
    """

    x: Floats
    solution: QPSolution
    residual: float
    iterations: int


Settle = Callable[[GroupQP, ContactProblem, Ints, LawState], Settled]
"""Function that finds the answer of a group from its warm start, the contact problem, the group's
contact blocks (n,), and the law's state."""


class Once:
    """A single solve of the QP: the source's law; of its answers that of least norm."""

    def __init__(self, solver: QPSolver) -> None:
        self._solver = solver

    def __call__(
        self, work: GroupQP, problem: ContactProblem, contacts: Ints, state: LawState
    ) -> Settled:
        """Return the QP's answer of least norm; its residual is the natural map."""
        solution = self._solver.solve(work.qp, (work.x, work.z))
        residual = solution.residuals.stationarity
        if solution.ok:
            work.x[:], work.mu[:] = solution.x, problem.mu[contacts]
            residual = work.least_norm()
        return Settled(work.x, solution, residual, solution.iterations)
