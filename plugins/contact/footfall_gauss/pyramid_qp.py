"""The QPs of Gauss's principle with friction pyramids, and the handling of failed ones."""

from __future__ import annotations

import numpy as np

from footfall.api.advanced import Elimination
from footfall.api.contact import ContactProblem, LawState
from footfall.api.plugin import Floats, Ints, SolverError
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
        self._group, self._order, self._at, self._cones = np.zeros((4, blocks), np.int64)
        self._start = np.zeros(blocks + 1, np.int64)

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
        problem.report.write(iterations, failed=failed is not None)
        failures = state["failures"]
        failures[0, 0] = 0.0 if failed is None else failures[0, 0] + 1.0
        if failed is not None:
            self._tolerate(failed, int(failures[0, 0]))
        return worst

    def _find_groups(self, problem: ContactProblem, answer: Floats) -> int:
        touch, steps = self._reach
        places = self._group, self._order, self._start, self._cones
        groups: int = kernels.group_contacts(
            problem.table, answer, touch, steps * problem.dt, *places
        )
        if groups == kernels.NOT_FINITE:
            raise SolverError(f"{self._law}: the contact problem is not finite")
        if groups == kernels.NOT_TAKEN:
            raise SolverError(f"{self._law}: the problem may hold contacts and equality rows only")
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
        sound = kernels.gather(
            problem.table, weights, answer, multiplier, self.directions, blocks, cones,
            self._group, self._at, work.W, work.factor, work.g, qp.C, work.x, work.z,
        )  # fmt: skip
        if not sound:
            if not np.isfinite(work.W).all():
                raise SolverError(f"{self._law}: the contact problem is not finite")
            problem.sound_delassus(blocks, self._law)
        eliminated = None if loops is None else self._eliminate(work)
        settled = None
        if cones:
            settled = self._settle(work, problem, blocks[:cones], state)
            solution = settled.solution
            if solution.ok:
                kernels.scatter(
                    problem.table, self.directions, blocks, cones, settled.x, solution.z, answer,
                    multiplier,
                )  # fmt: skip
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
        if not (np.isfinite(work.W).all() and np.isfinite(work.g).all()):
            raise SolverError(f"{self._law}: the contact problem is not finite")
        n, config = len(work.qp.g), self._config
        damping = config.loop_damping if config.loops == "damped" else 0.0
        eliminated = Elimination.of(work.W, work.g, n, damping=damping)
        work.qp.H[:], work.qp.g[:] = eliminated.reduce(work.W, work.g)
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
