"""Non-smooth contact dynamics with the exact Coulomb cone."""

from __future__ import annotations

from math import inf
from time import perf_counter
from typing import Literal

from pydantic import Field

from footfall.kernels.compile import bind
from footfall.kernels.table import table_of
from footfall.plugin import Capability, PluginConfig
from footfall.problem.blocks import BlockKind
from footfall.problem.contact_problem import ContactProblem
from footfall.roles.contact import ImpulseLaw, LawState
from footfall_coulomb import kernels
from footfall_coulomb.soundness import require_definite, require_finite
from footfall_coulomb.workspace import allocate

NEWTON_ROWS = 240
"""Largest problem on which Newton steps are tried: they solve a dense system."""
SLICE = 10
"""Sweeps between two looks at the clock."""
PATIENCE = 200
"""Sweeps after which the way over soft contacts is tried."""
CONTINUATION_STEPS = 1000
"""Most Newton steps on that way."""
LocalSolver = Literal["hybrid", "enumerative", "newton", "duriez"]
Acceleration = Literal["newton", "none"]
KERNELS = {
    "hybrid": kernels.hybrid,
    "enumerative": kernels.enumerative,
    "newton": kernels.local_newton,
    "duriez": kernels.duriez,
}


class CoulombConfig(PluginConfig):
    """Settings of the law."""

    tolerance: float = Field(default=1e-9, gt=0.0, le=1e-3)
    """Natural-map residual at which the sweeps stop, [m/s]."""
    max_iterations: int = Field(default=1000, ge=1)
    """Most Gauss-Seidel sweeps a step; the best answer is kept and its residual recorded."""
    time_budget: float = Field(default=0.0, ge=0.0)
    """Wall time after the first ten sweeps at which no more are begun, [s]; 0: none. With a budget
    results depend on the machine and on what else it does."""
    relaxation: float = Field(default=1.0, gt=0.0, lt=2.0)
    """Over-relaxation of the sweeps, [-]; 1 is plain Gauss-Seidel."""
    local_solver: LocalSolver = "hybrid"
    """How one contact is solved with the others fixed: ``enumerative`` (open, stick, or slip by a
    scan of all directions), ``newton`` (Alart and Curnier's function, line search), ``duriez`` (one
    projected step), ``hybrid`` (enumerative, slip by Newton's method on its angle, by the scan
    where that fails)."""
    acceleration: Acceleration = "newton"
    """What is done where sweeps are slow: ``newton`` (Newton steps on the whole problem and, after
    200 sweeps, a way from soft contacts to rigid ones) or ``none`` (sweeps alone)."""
    compliance: float = Field(default=0.0, ge=0.0)
    """Depth at which a contact rests over the normal force that it carries, [m/N]; 0: rigid."""
    damping_time: float = Field(default=0.0, ge=0.0)
    """Time in which a compliant contact relaxes: its damping over its stiffness, [s]."""
    position_gain: float = Field(default=0.2, ge=0.0, le=1.0)
    """Part of the penetration beyond the slop that is removed in a step, [-]; 0: none is."""
    position_slop: float = Field(default=1e-5, ge=0.0)
    """Penetration that is left alone, [m]."""
    margin: float = Field(default=1e-3, gt=0.0)
    """Gap up to which a point takes part, [m]."""


class Coulomb(ImpulseLaw):
    """Signorini's condition and Coulomb's law at the end of the step.

    ``u = W r + J v_free + offset``; per contact ``0 <= r_n  perp  u_n >= 0``, ``|r_t| <= mu r_n``,
    and ``r_t = -mu r_n u_t / |u_t|`` where it slips. The normal offset is ``gap / dt`` for an open
    point (it may close its gap but not more) and ``e u_n-`` in an impact (Newton's restitution).
    Solved contact by contact (Moreau 1988; Jean 1999, The non-smooth contact dynamics method), each
    contact exactly (enumeration of open, stick, slip) unless ``local_solver`` says otherwise.
    Penetration is removed by split impulses, which move positions and leave velocities alone.

    With a ``compliance`` c the normal law is ``c f = -(gap + dt u_n) - damping_time u_n`` where f
    pushes, implicit in the step: a contact rests at the depth c f, friction is as before, and
    penetration is not removed. Restitution of impacts stays that of rigid contacts. The energy
    stored in such contacts is booked as dissipated, and given back.

    Accuracy: first order in the step; the impulse solves the equations to ``tolerance``.
    """

    name = "coulomb"
    Config = CoulombConfig
    blocks = frozenset({BlockKind.CONE, BlockKind.UNILATERAL, BlockKind.BOX})
    capabilities = frozenset(
        {
            Capability.FRICTION,
            Capability.RESTITUTION,
            Capability.TILTED_TERRAIN,
            Capability.MOVING_GROUND,
            Capability.SEVERAL_BODIES,
            Capability.IMPLICIT_GAINS,
            Capability.WARM_START,
        }
    )

    def __init__(self, config: CoulombConfig) -> None:
        self.config = config
        self._bound: ContactProblem | None = None
        self._settings = (
            float(config.tolerance),
            float(config.relaxation),
            float(config.position_gain),
            float(config.position_slop),
            float(config.compliance),
            float(config.damping_time),
        )

    @property
    def margin(self) -> float:
        """Gap up to which a point enters the problem, [m]."""
        return self.config.margin

    def rest_depth(self, force: float) -> float:
        """Return how deep a point at rest carries a normal force [N], [m]: compliance times it."""
        return self.config.compliance * force

    def solve(self, problem: ContactProblem, state: LawState) -> None:
        """Solve for the impulses; see ``kernels.solve_with``.

        Raises:
            SolverError: if the problem holds NaN or infinity, or its Delassus matrix is indefinite.
        """
        if problem is not self._bound:
            self._bind(problem)
        if not self._solve():
            self._solve_on(problem)

    def _bind(self, problem: ContactProblem) -> None:
        """Bind the kernel to a problem's arrays, which a simulator never moves."""
        rows, most = problem.arrays.impulse.size, self.config.max_iterations
        newton_rows = NEWTON_ROWS if self.config.acceleration == "newton" else 0
        self._work = allocate(rows, newton_rows, self._settings)
        self._first = min(most, SLICE if self.config.time_budget > 0.0 else PATIENCE)
        self._work.sweeps[:] = 0, self._first, most
        kernel = KERNELS[self.config.local_solver]
        self._solve = bind(kernel, problem.table, table_of(self._work))
        self._bound = problem

    def _solve_on(self, problem: ContactProblem) -> None:
        """Go on where the first sweeps did not reach the tolerance."""
        report, most = problem.arrays.report, self.config.max_iterations
        require_finite(report)
        try:
            self._sweep_on(problem, most)
        finally:
            self._work.sweeps[:] = 0, self._first, most
        require_finite(report)
        if report[1] > self.config.tolerance and problem.n_rows <= NEWTON_ROWS:
            require_definite(problem.delassus())

    def _sweep_on(self, problem: ContactProblem, most: int) -> None:
        """Do the rest of the sweeps, a few at a time; in between look at the clock."""
        budget, done = self.config.time_budget, self._first
        deadline = perf_counter() + budget if budget > 0.0 else inf
        while done < most:
            if done == PATIENCE and problem.n_rows <= len(self._work.u):
                self._continue(problem, deadline)
            stop = min(done + SLICE, most)
            if perf_counter() >= deadline:
                stop = most = done
            self._work.sweeps[:] = done, stop, most
            if self._solve():
                return
            done = stop

    def _continue(self, problem: ContactProblem, deadline: float) -> None:
        """Try the way from soft contacts to rigid ones, and keep the best impulse known."""
        from footfall_coulomb.continuation import Continuation

        n = problem.n_rows
        way = Continuation(problem, self.config.compliance, self.config.damping_time)
        known = [problem.impulse.copy(), self._work.kept[:n].copy()]
        way.solve(self.config.tolerance, CONTINUATION_STEPS, deadline)
        known.append(problem.impulse.copy())
        best = min(known, key=way.measure)
        self._work.kept[:n] = best
        problem.impulse[:] = best
