"""The law's solver for problems in which contacts have torsional and rolling friction."""

from __future__ import annotations

from math import inf
from time import perf_counter
from typing import TYPE_CHECKING

from footfall.api.contact import ContactProblem
from footfall.api.errors import SceneError
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Floats
from footfall_coulomb import kernels_moments as kernels
from footfall_coulomb.soundness import require_definite, require_finite
from footfall_coulomb.workspace import NEWTON_ROWS, allocate

if TYPE_CHECKING:
    from footfall_coulomb.settings import CoulombConfig

FIRST, SLICE = 200, 10
"""Sweeps of the first call, and between two looks at the clock."""
DEFINITE_ROWS = 1500
"""Largest problem without an answer whose matrix is looked at for the reason."""


class MomentSweeps:
    """Solves what is in a problem's arrays, which must not move, by sweeps alone.

    Attributes:
        first: does the first sweeps; returns whether they left it unsolved: then ``go_on``.

    Raises:
        SceneError: for settings that act on contacts without moments only.
    """

    def __init__(self, problem: ContactProblem, config: CoulombConfig, compliance: Floats) -> None:
        if config.local_solver != "hybrid" or config.relaxation != 1.0:
            raise SceneError(
                "has no effect where contacts have torsional or rolling friction: leave out "
                "local_solver and relaxation",
                key="contact",
            )
        self.problem, self.config = problem, config
        most = config.max_iterations
        position = config.position_gain, config.position_slop
        settings = (config.tolerance, config.relaxation, *position, config.damping_time)
        self._work = allocate(problem, 0, settings, compliance)
        self._soft = bool(compliance.any())
        self._first = min(most, SLICE if config.time_budget > 0.0 else FIRST)
        self._work.sweeps[:] = 0, self._first, most
        space = table_of(self._work, kernels.allocate_six_rows())
        self.first = bind(kernels.solve, problem.table, space)

    def go_on(self) -> None:
        """Go on where the first sweeps did not reach the tolerance.

        Raises:
            SolverError: if the problem holds NaN or infinity, or its Delassus matrix is indefinite.
        """
        report, config, budget = self.problem.report, self.config, self.config.time_budget
        require_finite(report)
        deadline = perf_counter() + budget if budget > 0.0 else inf
        done, most, unsolved = self._first, config.max_iterations, True
        few = self.problem.n_rows <= NEWTON_ROWS and not self._soft
        try:
            if few and config.acceleration == "newton" and budget == 0.0 and done < most:
                unsolved = self._help(most)
            while unsolved and done < most and perf_counter() < deadline:
                stop = min(done + SLICE, most)
                self._work.sweeps[:] = done, stop, most
                unsolved = bool(self.first())
                done = stop
        finally:
            self._work.sweeps[:] = 0, self._first, most
        require_finite(report)
        if unsolved and self.problem.n_rows <= DEFINITE_ROWS:
            require_definite(self.problem.delassus())
        report.failed = unsolved  # counted; the best impulse known acts

    def _help(self, most: int) -> bool:
        """Try Newton's method; return whether the problem is left unsolved."""
        from footfall_coulomb.moments_newton import MomentsNewton

        impulse, way = self.problem.impulse, MomentsNewton(self.problem)
        impulse[:] = way.solve(impulse.copy(), self.config.tolerance)
        self._work.sweeps[:] = self._first, self._first + 1, most
        return bool(self.first())
