"""Non-smooth contact dynamics with the exact Coulomb cone."""

from __future__ import annotations

from pydantic import Field

from footfall.errors import SolverError
from footfall.kernels.compile import bind
from footfall.kernels.table import table_of
from footfall.plugin import Capability, PluginConfig
from footfall.problem.blocks import BlockKind
from footfall.problem.contact_problem import ContactProblem
from footfall.roles.contact import ImpulseLaw, LawState
from footfall_coulomb import kernels
from footfall_coulomb.workspace import allocate

NEWTON_ROWS = 240
"""Largest problem on which Newton steps are tried: they solve a dense system."""


class CoulombConfig(PluginConfig):
    """Settings of the law."""

    tolerance: float = Field(default=1e-9, gt=0.0, le=1e-3)
    """Natural-map residual at which the sweeps stop, [m/s]."""
    max_iterations: int = Field(default=1000, ge=1)
    """Most Gauss-Seidel sweeps a step; the best answer is kept and its residual recorded."""
    relaxation: float = Field(default=1.0, gt=0.0, lt=2.0)
    """Over-relaxation of the sweeps, [-]; 1 is plain Gauss-Seidel."""
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
    contact exactly (enumeration of open, stick, slip). Penetration is removed by split impulses,
    which move positions and leave velocities alone.

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
        self._arguments = (
            float(config.tolerance),
            int(config.max_iterations),
            float(config.relaxation),
            float(config.position_gain),
            float(config.position_slop),
        )

    @property
    def margin(self) -> float:
        """Gap up to which a point enters the problem, [m]."""
        return self.config.margin

    def solve(self, problem: ContactProblem, state: LawState) -> None:
        """Solve for the impulses; see ``kernels.solve``.

        Raises:
            SolverError: if the problem holds NaN or infinity.
        """
        if problem is not self._bound:
            self._bind(problem)
        if not self._solve():
            raise SolverError(
                'contact "coulomb": the contact problem holds values that are not finite'
            )

    def _bind(self, problem: ContactProblem) -> None:
        """Bind the kernel to a problem's arrays, which a simulator never moves."""
        rows = problem.arrays.impulse.size
        self._work = allocate(rows, NEWTON_ROWS)
        space = table_of(self._work)
        self._solve = bind(kernels.solve, problem.table, space, *self._arguments)
        self._bound = problem
