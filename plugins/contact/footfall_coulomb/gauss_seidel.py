"""The law's solver for problems that share one storage: sweeps, Newton steps, continuation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf
from time import perf_counter
from typing import Any

import numpy as np

from footfall.api.advanced import point_at
from footfall.api.contact import ContactProblem
from footfall.api.kernels import Table, bind, call, table_of
from footfall.api.plugin import Floats
from footfall_coulomb.kernels import gauss_seidel as kernels
from footfall_coulomb.kernels.newton.acceleration import (
    find_exact,
    try_columns,
    try_few_rows,
    try_more,
    try_rows,
)
from footfall_coulomb.settings import CoulombConfig
from footfall_coulomb.soundness import require_definite, require_finite
from footfall_coulomb.workspace import (
    GROUP_ROWS,
    NEWTON_ROWS,
    Acceleration,
    allocate,
    allocate_groups,
    allocate_low_rank,
    no_factor,
)

COLUMNS = 3000
"""Most velocities of the bodies of a collision group on which Newton steps are tried."""
SLICE = 10
"""Sweeps between two readings of the clock."""
PATIENCE = 200
"""Sweeps of the first call."""
DEFINITE_ROWS = 1500
"""Rows up to which the matrix of a problem without an answer is checked for the reason."""
SEVERAL_BODIES = 4
"""Number of bodies from which the kernels for jams load at start; loading in a run costs 0.1 s."""
KERNELS = {
    "hybrid": kernels.hybrid,
    "enumerative": kernels.enumerative,
    "newton": kernels.local_newton,
    "duriez": kernels.duriez,
}
OFTEN = {"few_rows": try_few_rows, "columns": try_columns, "more": try_more}
"""Kernels by the field of their address in ``Workspace``, which jams need again and again."""
LATE = OFTEN | {"exact": find_exact, "rows": try_rows}


class GaussSeidel:
    """Solver of the problem in a problem's arrays, which must not move.

    Attributes:
        compliance: shape (candidates,), [m/N].
        first: does the first sweeps; returns whether the problem is unsolved; if so call ``go_on``.
    """

    def __init__(self, problem: ContactProblem, config: CoulombConfig, compliance: Floats) -> None:
        self.problem, self.config, self.compliance = problem, config, compliance
        most = config.max_iterations
        position = config.position_gain, config.position_slop
        settings = (config.tolerance, config.relaxation, *position, config.damping_time)
        newton_rows = NEWTON_ROWS if config.acceleration == "newton" else 0
        work = allocate(problem, newton_rows, settings, compliance)
        self._low = allocate_low_rank(problem, GROUP_ROWS if newton_rows else 0, 0)
        self._first = min(most, SLICE if config.time_budget > 0.0 else PATIENCE)
        work.sweeps[:] = 0, self._first, most
        self._groups = allocate_groups(problem)
        self._late = {name: call.late() for name in LATE}
        cells: dict[str, Any] = {name: late.cell for name, late in self._late.items()}
        self._work = work._replace(**cells)
        self._tables = problem.table, self._space()
        tables = *self._tables, self._groups.part.table
        self.first = bind(KERNELS[config.local_solver], *tables)
        for name, late in self._late.items():
            late.bind(self.first, LATE[name], *tables)
            late.make(partial(self._with_room, LATE[name], *tables))
        if problem.factor is not None and len(problem.factor.tree_v) > SEVERAL_BODIES:
            for kernel in OFTEN.values():
                bind(kernel, *tables)

    def _space(self) -> Table:
        return table_of(
            *(self._work, self._low, self.problem.factor or no_factor()),
            *(self._groups.groups, self._groups.factor),
        )

    def _with_room(self, kernel: Any, *tables: Table) -> Callable[..., Any]:
        """Return a kernel that tries Newton steps; allocate their scratch on the first call."""
        if not len(self._low.y):
            whole = allocate_low_rank(self.problem, len(self._low.u), COLUMNS)
            self._low = whole._replace(u=self._low.u, counts=self._low.counts)
            point_at(self._tables[1], self._space())
        return bind(kernel, *tables)

    def go_on(self) -> None:
        """Continue if the first sweeps did not reach the tolerance.

        Raises:
            SolverError: if the problem holds NaN or infinity, or its Delassus matrix is indefinite.
        """
        report, config = self.problem.report, self.config
        self._check()
        require_finite(report.failed, report.residual)
        budget = config.time_budget
        try:
            deadline = perf_counter() + budget if budget > 0.0 else inf
            self._sweep_on(self._first, deadline)
        finally:
            self._work.sweeps[:] = 0, self._first, config.max_iterations
        require_finite(report.failed, report.residual)
        unsolved = report.residual > config.tolerance
        # The product Z Z' has no negative eigenvalue.
        if unsolved and self.problem.factor is None and self.problem.n_rows <= DEFINITE_ROWS:
            require_definite(self.problem.delassus())
        if not report.residual <= config.tolerance:
            report.failed = True  # counted; the best known impulse is used

    def _sweep_on(self, done: int, deadline: float) -> None:
        """Do the rest of the sweeps, a few at a time; read the clock in between."""
        most = self.config.max_iterations
        while done < most:
            stop = min(done + SLICE, most)
            if np.isnan(self.problem.report.residual):
                self.problem.impulse[:] = self._work.kept[: self.problem.n_rows]
                stop = most = done
            if perf_counter() >= deadline:
                stop = most = done
            self._work.sweeps[:] = done, stop, most
            unsolved = self.first()
            self._check()
            if not unsolved:
                return
            done = stop

    def _check(self) -> None:
        """Raise the error that occurred while Newton steps were compiled or run, if any."""
        self.problem.complete()
        self._work.system[Acceleration.FAILED] = 0
        for late in self._late.values():
            late.check()
