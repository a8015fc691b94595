"""The QP of one collision group: its work space, its answer, and its solution method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from footfall.api.advanced import Cones
from footfall.api.contact import ContactProblem, LawState
from footfall.api.kernels import Table, bind, table_of
from footfall.api.plugin import Floats, Ints
from footfall.api.solver import QPProblem, QPSolution, QPSolver
from footfall_gauss import kernels
from footfall_gauss.kernels import GroupArrays


@dataclass(frozen=True, slots=True)
class GroupQP:
    """A group of n contacts with pyramids of s sides and r rows of loops; solves overwrite it.

    Attributes:
        qp: 3 n variables (tangent, tangent, normal), s n rows ``C x <= 0``.
        arrays: arrays of the QP; W and g with the loops, without loops ``qp.H`` and ``qp.g``.
        table: the same for kernels.
        least_norm: overwrites x, an answer of the QP, with that of least norm; returns its natural
            map, in units of g.
    """

    qp: QPProblem
    arrays: GroupArrays
    table: Table
    least_norm: Callable[[], float]

    @classmethod
    def allocate(cls, contacts: int, loop_rows: int, directions: Floats) -> GroupQP:
        """Allocate a work space."""
        n, m, rows = 3 * contacts, len(directions) * contacts, 3 * contacts + loop_rows
        H, g, C = np.zeros((n, n)), np.zeros(n), np.zeros((m, n))
        qp = QPProblem(H, g, C, np.full(m, -np.inf), np.zeros(m))
        W, u = (np.zeros((rows, rows)), np.zeros(rows)) if loop_rows else (H, g)
        x, mu = np.zeros(n), np.zeros(contacts)
        arrays = GroupArrays(W, np.zeros_like(W), u, C, x, np.zeros(m), mu, directions)
        given = {"W": H, "b": g, "mu": mu, "r": x, "directions": directions}
        cones = table_of(Cones.allocate("pyramid", contacts, **given))
        least_norm = bind(kernels.least_norm, cones, contacts)
        return cls(qp, arrays, table_of(arrays), least_norm)


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
        x, z = work.arrays.x, work.arrays.z
        solution = self._solver.solve(work.qp, (x, z))
        residual = solution.residuals.stationarity
        if solution.ok:
            x[:] = solution.x
            residual = work.least_norm()
        return Settled(x, solution, residual, solution.iterations)
