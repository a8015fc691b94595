"""The law's solver for contacts with torsional and rolling friction."""

from __future__ import annotations

from math import inf
from time import perf_counter

from footfall.api.contact import ContactProblem
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Floats, SceneError
from footfall_coulomb.gauss_seidel import DEFINITE_ROWS
from footfall_coulomb.kernels.moments import sweeps as kernels
from footfall_coulomb.kernels.moments.six_rows import allocate_six_rows
from footfall_coulomb.settings import CoulombConfig
from footfall_coulomb.soundness import require_definite, require_finite
from footfall_coulomb.workspace import NEWTON_ROWS, allocate

EXACT = 0.1
"""Natural map at which its sweeps end, relative to the tolerance: sweeps leave all of it."""
FIRST, SLICE = 50, 10
"""Sweeps of the first call; sweeps between two readings of the clock."""


class MomentSweeps:
    """Solver of the problem in a problem's arrays, which must not move.

    Attributes:
        first: does the first sweeps; returns whether the problem is unsolved; if so call ``go_on``.

    Raises:
        SceneError: for settings that only apply to contacts without moments.
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
        self._tolerance = EXACT * config.tolerance
        settings = (self._tolerance, config.relaxation, *position, config.damping_time)
        newton_rows = NEWTON_ROWS if config.acceleration == "newton" else 0
        self._work = allocate(problem, newton_rows, settings, compliance)
        self._six = allocate_six_rows(len(self._work.kept))
        self._first = min(most, SLICE if config.time_budget > 0.0 else FIRST)
        self._work.sweeps[:] = 0, self._first, most
        space = table_of(self._work, self._six)
        self.first = bind(kernels.solve, problem.table, space)

    def go_on(self) -> None:
        """Continue if the first sweeps did not reach the tolerance.

        Raises:
            SolverError: if the problem holds NaN or infinity, or its Delassus matrix is indefinite.
        """
        report, config, budget = self.problem.report, self.config, self.config.time_budget
        require_finite(report.failed, report.residual)
        deadline = perf_counter() + budget if budget > 0.0 else inf
        done, most, unsolved = self._first, config.max_iterations, True
        try:
            while unsolved and done < most and perf_counter() < deadline:
                stop = min(done + SLICE, most)
                self._work.sweeps[:] = done, stop, most
                unsolved = bool(self.first())
                done = stop
        finally:
            self._work.sweeps[:] = 0, self._first, most
        require_finite(report.failed, report.residual)
        if unsolved and self.problem.n_rows <= DEFINITE_ROWS:
            require_definite(self.problem.delassus())
        report.failed = unsolved  # counted; the best known impulse is used
