"""The QPs of Gauss's principle with friction pyramids, and the handling of failed ones."""

from __future__ import annotations

import numpy as np

from footfall.api.advanced import Elimination, allocated
from footfall.api.contact import ContactProblem, LawState
from footfall.api.kernels import table_of
from footfall.api.plugin import Floats, SolverError
from footfall.api.solver import QPSolution, QPStatus
from footfall_gauss import kernels
from footfall_gauss.group_qp import GroupQP, Settle, Settled
from footfall_gauss.pyramid import directions
from footfall_gauss.settings import PyramidConfig


class PyramidQP:
    """Solver of ``min_f 1/2 f'Wf + g'f`` over the friction pyramids, one QP per collision group.

    W is the Delassus matrix in contact frames, symmetrised, without regularisation, after loops
    have been eliminated. Only work space is kept between calls.
    """

    def __init__(
        self,
        law: str,
        solver: str,
        settle: Settle,
        config: PyramidConfig,
        reach: tuple[float, float],
    ) -> None:
        """Store the settings.

        Args:
            law: name of the law, for errors.
            solver: name of the QP solver, for errors.
            settle: function that finds the answer of a group.
            config: settings.
            reach: gap up to which a contact takes part [m]; number of steps: a contact that would
                reach the ground within them takes part as well.
        """
        self._law, self._solver, self._settle = law, solver, settle
        self._config, self._reach = config, reach
        self.directions = directions(config.sides)
        self._spaces: dict[tuple[int, int], GroupQP] = {}
        self.allocate(0)

    def allocate(self, blocks: int) -> None:
        """Allocate room for a number of blocks."""
        self._groups = allocated(kernels.Grouping, blocks, start=blocks + 1)
        self._table = table_of(self._groups)

    def solve(
        self, problem: ContactProblem, weights: Floats, answer: Floats, state: LawState
    ) -> float:
        """Solve a contact problem; return the residual, in units of g.

        Args:
            problem: contacts and loops; its ``report`` receives iterations and whether a QP failed.
            weights: shape (4,), ``g = w0 free_velocity + w1 velocity + w2 jdot_v + w3 offset``.
            answer: shape (rows,), in: warm start, which is the last valid answer; out: the answer,
                unchanged in groups with a failed QP.
            state: state of the law; holds ``multiplier`` (candidates, sides), in: warm start, out:
                multipliers; and ``failures`` (1, 1), failed solves in a row, this one included.

        Raises:
            SolverError: if the problem is not finite, holds other blocks, or W cannot be a Delassus
                matrix; or after ``max_consecutive_failures`` failures in a row.
        """
        if problem.n_blocks > len(self._groups.group):
            self.allocate(problem.n_blocks)
        worst, iterations, failed = 0.0, 0, None
        for k in range(self._find_groups(problem, answer)):
            settled = self._solve_group(problem, k, weights, answer, state)
            if settled is None:
                continue
            iterations += settled.iterations
            worst = max(worst, settled.residual)
            failed = failed if settled.solution.ok else settled.solution
        problem.report.write(iterations, failed=failed is not None)
        failures = state["failures"]
        failures[0, 0] = 0.0 if failed is None else failures[0, 0] + 1.0
        if failed is not None:
            self._tolerate(failed, int(failures[0, 0]))
        return worst

    def _find_groups(self, problem: ContactProblem, answer: Floats) -> int:
        touch, steps = self._reach
        groups: int = kernels.group_contacts(
            problem.table, self._table, answer, touch, steps * problem.dt
        )
        if groups == kernels.NOT_FINITE:
            raise SolverError(f"{self._law}: the contact problem is not finite")
        if groups == kernels.NOT_TAKEN:
            raise SolverError(f"{self._law}: the problem may hold contacts and equality rows only")
        return groups

    def _solve_group(
        self, problem: ContactProblem, k: int, weights: Floats, answer: Floats, state: LawState
    ) -> Settled | None:
        found, multiplier = self._groups, state["multiplier"]
        blocks, cones = found.order[found.start[k] : found.start[k + 1]], int(found.cones[k])
        loops = problem.rows_of(blocks[cones:]) if cones < len(blocks) else None
        work = self._space(cones, 0 if loops is None else len(loops))
        tables = problem.table, self._table, work.table
        if not kernels.gather(*tables, weights, answer, multiplier, k):
            if not np.isfinite(work.arrays.W).all():
                raise SolverError(f"{self._law}: the contact problem is not finite")
            problem.sound_delassus(blocks, self._law)
        eliminated = None if loops is None else self._eliminate(work)
        settled = None
        if cones:
            settled = self._settle(work, problem, blocks[:cones], state)
            if settled.solution.ok:
                kernels.scatter(*tables, settled.x, settled.solution.z, answer, multiplier, k)
        if eliminated is not None:
            answer[loops] = eliminated.impulses(answer[problem.rows_of(blocks[:cones])])
        return settled

    def _space(self, cones: int, loop_rows: int) -> GroupQP:
        size = cones, loop_rows
        work = self._spaces.get(size)
        if work is None:
            work = self._spaces[size] = GroupQP.allocate(*size, self.directions)
        return work

    def _eliminate(self, work: GroupQP) -> Elimination:
        """Eliminate the loops from a group's matrices."""
        W, g = work.arrays.W, work.arrays.g
        if not (np.isfinite(W).all() and np.isfinite(g).all()):
            raise SolverError(f"{self._law}: the contact problem is not finite")
        n, config = len(work.qp.g), self._config
        damping = config.loop_damping if config.loops == "damped" else 0.0
        eliminated = Elimination.of(W, g, n, damping=damping)
        work.qp.H[:], work.qp.g[:] = eliminated.reduce(W, g)
        return eliminated

    def _tolerate(self, failed: QPSolution, count: int) -> None:
        """Raise if the number of failures in a row, ``count``, has reached the limit."""
        reason = f"{failed.status.value} (KKT residual {failed.residuals.worst:.1e})"
        detail = f": {failed.message}" if failed.message else ""
        if failed.status is QPStatus.INVALID:
            raise SolverError(f"{self._law}: the contact problem is not finite")
        limit = self._config.max_consecutive_failures
        if count >= limit:
            raise SolverError(
                f"{self._law}: QP solver {self._solver} failed {count} times in a row, "
                f"allowed by max_consecutive_failures: {limit - 1}; last: {reason}{detail}"
            )
