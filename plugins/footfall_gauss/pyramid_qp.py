"""The QPs of Gauss's principle with friction pyramids, and what is done when one fails."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footfall.errors import SolverError
from footfall.problem.contact_problem import ContactProblem
from footfall.roles.contact import LawState
from footfall.roles.solver import QPSolution, QPSolver, QPStatus
from footfall_gauss import kernels
from footfall_gauss.group_qp import GroupQP
from footfall_gauss.loops import INVERSES, Elimination
from footfall_gauss.pyramid import directions
from footfall_gauss.settings import GaussConfig

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Settled:
    """The answer of one group.

    Attributes:
        solution: of the last QP that may be used, or of the one that failed.
        residual: what the law reports, in units of g.
        iterations: of the solver, or solves.
    """

    solution: QPSolution
    residual: float
    iterations: int


class PyramidQP:
    """Solves ``min_f 1/2 f'Wf + g'f`` over the friction pyramids, one QP a collision group.

    W is the Delassus matrix in contact frames, symmetrised, without regularisation, after loops
    have been eliminated. What is kept between calls is work space only.
    """

    def __init__(
        self, law: str, solver: QPSolver, config: GaussConfig, touch: float, look_ahead: float = 0.0
    ) -> None:
        self._law, self._solver, self._config = law, solver, config
        self._touch, self._look_ahead = touch, look_ahead
        self.directions = directions(config.sides)
        self._inverse = INVERSES[config.loops]
        self._spaces: dict[tuple[int, int], GroupQP] = {}
        self.allocate(0)

    def allocate(self, blocks: int) -> None:
        """Make room for so many blocks."""
        self._group, self._order, self._at, self._cones = np.zeros((4, blocks), np.int64)
        self._start = np.zeros(blocks + 1, np.int64)

    def solve(
        self, problem: ContactProblem, weights: Floats, answer: Floats, state: LawState
    ) -> float:
        """Solve a contact problem; return the residual, in units of g.

        Args:
            problem: contacts and loops; ``report`` takes iterations and whether a QP failed.
            weights: shape (4,), ``g = w0 free_velocity + w1 velocity + w2 jdot_v + w3 offset``.
            answer: shape (rows,), in: warm start, which is the last valid answer; out: the answer,
                unchanged where a QP failed.
            state: the law's; holds ``multiplier`` (candidates, sides), in: warm start, out:
                multipliers; and ``failures`` (1, 1), solves in a row that failed, this one
                included.

        Raises:
            SolverError: if the problem is not finite or holds other blocks, or after so many
                failures in a row.
        """
        if problem.n_blocks > len(self._group):
            self.allocate(problem.n_blocks)
        worst, iterations, failed = 0.0, 0, None
        for k in range(self._find_groups(problem, answer)):
            blocks = self._order[self._start[k] : self._start[k + 1]]
            settled = self._solve_group(
                problem, blocks, int(self._cones[k]), weights, answer, state
            )
            if settled is None:
                continue
            iterations += settled.iterations
            worst = max(worst, settled.residual)
            failed = failed if settled.solution.ok else settled.solution
        problem.arrays.report[:] = iterations, 0.0, 0.0 if failed is None else 1.0, 0.0
        failures = state["failures"]
        failures[0, 0] = 0.0 if failed is None else failures[0, 0] + 1.0
        if failed is not None:
            self._tolerate(failed, int(failures[0, 0]))
        return worst

    def settle(self, work: GroupQP, contacts: Ints, state: LawState) -> Settled:
        """Solve one group's QP once, from its warm start."""
        solution = self._solver.solve(work.qp, (work.x, work.z))
        return Settled(solution, solution.residuals.stationarity, solution.iterations)

    def _find_groups(self, problem: ContactProblem, answer: Floats) -> int:
        horizon = self._look_ahead * problem.dt
        places = self._group, self._order, self._start, self._cones
        groups: int = kernels.group_contacts(problem.table, answer, self._touch, horizon, *places)
        if groups == kernels.NOT_FINITE:
            raise SolverError(f"{self._law}: the contact problem is not finite")
        if groups == kernels.NOT_TAKEN:
            raise SolverError(f"{self._law}: takes contacts and equality rows only")
        return groups

    def _solve_group(
        self,
        problem: ContactProblem,
        blocks: Ints,
        cones: int,
        weights: Floats,
        answer: Floats,
        state: LawState,
    ) -> Settled | None:
        multiplier = state["multiplier"]
        loops = problem.rows_of(blocks[cones:]) if cones < len(blocks) else None
        work = self._space(cones, 0 if loops is None else len(loops))
        qp = work.qp
        kernels.gather(
            problem.table, weights, answer, multiplier, self.directions, blocks, cones,
            self._group, self._at, work.W, work.g, qp.C, work.x, work.z,
        )  # fmt: skip
        eliminated = None if loops is None else self._eliminate(work)
        settled = None
        if cones:
            settled = self.settle(work, blocks[:cones], state)
            solution = settled.solution
            if solution.ok:
                kernels.scatter(
                    problem.table, self.directions, blocks, cones, solution.x, solution.z, answer,
                    multiplier,
                )  # fmt: skip
        if eliminated is not None:
            answer[loops] = eliminated.forces(answer[problem.rows_of(blocks[:cones])])
        return settled

    def _space(self, cones: int, loop_rows: int) -> GroupQP:
        size = cones, loop_rows
        work = self._spaces.get(size)
        if work is None:
            work = self._spaces[size] = GroupQP.allocate(*size, self._config.sides)
        return work

    def _eliminate(self, work: GroupQP) -> Elimination:
        """Eliminate the loops from a group's matrices."""
        if not (np.isfinite(work.W).all() and np.isfinite(work.g).all()):
            raise SolverError(f"{self._law}: the contact problem is not finite")
        n = len(work.qp.g)
        inverse = self._inverse(work.W[n:, n:], self._config.loop_damping)
        eliminated = Elimination.of(work.W, work.g, inverse, n)
        eliminated.reduce(work.W, work.g, work.qp.H, work.qp.g)
        return eliminated

    def _tolerate(self, failed: QPSolution, count: int) -> None:
        """Raise if the failure, the ``count``-th in a row, is one too many."""
        reason = f"{failed.status.value} (KKT residual {failed.residuals.worst:.1e})"
        detail = f": {failed.message}" if failed.message else ""
        if failed.status is QPStatus.INVALID:
            raise SolverError(f"{self._law}: the contact problem is not finite")
        limit = self._config.max_consecutive_failures
        if count >= limit:
            raise SolverError(
                f"{self._law}: QP solver {self._solver.name} failed {count} times in a row, "
                f"allowed by max_consecutive_failures: {limit - 1}; last: {reason}{detail}"
            )
