"""The QP of Gauss's principle with friction pyramids, and what is done when it fails."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footfall.errors import SolverError
from footfall.problem.contact_problem import ContactProblem
from footfall.roles.solver import QPProblem, QPSolution, QPSolver, QPStatus
from footfall_gauss import kernels

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Workspace:
    """Arrays of a QP of n contacts, overwritten at every solve.

    Attributes:
        qp: 3 n variables (tangent, tangent, normal), 5 n rows.
        x: shape (3 n,), warm start.
        z: shape (5 n,), warm start.
    """

    qp: QPProblem
    x: Floats
    z: Floats

    @classmethod
    def allocate(cls, n: int) -> Workspace:
        """Make a workspace; only the friction coefficients are still to be written in C.

        Rows of each contact: ``f_1 <= mu f_n``, ``f_2 <= mu f_n``, ``-f_1 <= mu f_n``,
        ``-f_2 <= mu f_n``, ``-f_n <= 0``.
        """
        C = np.zeros((5 * n, 3 * n))
        for i in range(n):
            C[5 * i : 5 * i + 5, 3 * i : 3 * i + 3] = [
                [1.0, 0.0, 0.0],
                [0.0, 1.0, 0.0],
                [-1.0, 0.0, 0.0],
                [0.0, -1.0, 0.0],
                [0.0, 0.0, -1.0],
            ]
        H, g = np.zeros((3 * n, 3 * n)), np.zeros(3 * n)
        qp = QPProblem(H, g, C, np.full(5 * n, -np.inf), np.zeros(5 * n))
        return cls(qp, np.zeros(3 * n), np.zeros(5 * n))


class PyramidQP:
    """Solves ``min_f 1/2 f'Wf + g'f`` over the friction pyramids, one QP a collision group.

    W is the Delassus matrix in contact frames, symmetrised, without regularisation. Open contacts
    (gap beyond the touch distance) get no force. What is kept between calls is work space only.
    """

    def __init__(
        self, law: str, solver: QPSolver, touch_distance: float, max_consecutive_failures: int
    ) -> None:
        self._law, self._solver = law, solver
        self._touch_distance, self._limit = touch_distance, max_consecutive_failures
        self._workspaces: dict[int, Workspace] = {}
        self.allocate(0)

    def allocate(self, contacts: int) -> None:
        """Make room for so many contacts."""
        self._group, self._order, self._at = np.zeros((3, contacts), np.int64)
        self._start = np.zeros(contacts + 1, np.int64)

    def solve(
        self,
        problem: ContactProblem,
        weights: Floats,
        answer: Floats,
        multiplier: Floats,
        failures: Floats,
    ) -> float:
        """Solve a contact problem; return the stationarity residual, in units of g.

        Args:
            problem: contacts only; ``report`` takes iterations and whether a QP failed.
            weights: shape (3,), ``g = w0 free_velocity + w1 velocity + w2 jdot_v``.
            answer: shape (rows,), in: warm start, which is the last valid answer; out: the answer,
                unchanged where a QP failed.
            multiplier: shape (candidates, 5), in: warm start; out: multipliers.
            failures: shape (1, 1), solves in a row that failed, this one included.

        Raises:
            SolverError: if the problem is not finite, or after so many failures in a row.
        """
        if problem.n_blocks > len(self._group):
            self.allocate(problem.n_blocks)
        arrays = problem.arrays
        groups = kernels.group_contacts(
            arrays, answer, self._touch_distance, self._group, self._order, self._start
        )
        if groups < 0:
            raise SolverError(f"{self._law}: the contact problem is not finite")
        worst, iterations, failed = 0.0, 0, None
        for group in range(groups):
            blocks = self._order[self._start[group] : self._start[group + 1]]
            solution = self._solve_group(problem, blocks, weights, answer, multiplier)
            iterations += solution.iterations
            worst = max(worst, solution.residuals.stationarity)
            failed = failed if solution.ok else solution
        arrays.report[:] = iterations, 0.0, 0.0 if failed is None else 1.0, 0.0
        failures[0, 0] = 0.0 if failed is None else failures[0, 0] + 1.0
        if failed is not None:
            self._tolerate(failed, int(failures[0, 0]))
        return worst

    def _solve_group(
        self,
        problem: ContactProblem,
        blocks: Ints,
        weights: Floats,
        answer: Floats,
        multiplier: Floats,
    ) -> QPSolution:
        n = len(blocks)
        work = self._workspaces.get(n)
        if work is None:
            work = self._workspaces[n] = Workspace.allocate(n)
        qp, x, z = work.qp, work.x, work.z
        where = (blocks, self._group, self._at)
        kernels.gather(problem.arrays, weights, answer, multiplier, *where, qp.H, qp.g, qp.C, x, z)
        solution = self._solver.solve(qp, (x, z))
        if solution.ok:
            kernels.scatter(problem.arrays, blocks, solution.x, solution.z, answer, multiplier)
        return solution

    def _tolerate(self, failed: QPSolution, count: int) -> None:
        """Raise if the failure, the ``count``-th in a row, is one too many."""
        reason = f"{failed.status.value} (KKT residual {failed.residuals.worst:.1e})"
        detail = f": {failed.message}" if failed.message else ""
        if failed.status is QPStatus.INVALID:
            raise SolverError(f"{self._law}: the contact problem is not finite")
        if count >= self._limit:
            raise SolverError(
                f"{self._law}: QP solver {self._solver.name} failed {count} times in a row, "
                f"allowed by max_consecutive_failures: {self._limit - 1}; last: {reason}{detail}"
            )
