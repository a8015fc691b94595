"""Non-smooth contact dynamics with the exact Coulomb cone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

import numpy as np

from footfall.api.contact import BlockKind, ContactProblem, ImpulseLaw, LawState
from footfall.api.plugin import Capability, Floats, SolverError
from footfall_coulomb.compliances import compliances_of
from footfall_coulomb.gauss_seidel import DEFINITE_ROWS, GaussSeidel
from footfall_coulomb.moments import MomentSweeps
from footfall_coulomb.settings import CoulombConfig
from footfall_coulomb.soundness import require_matrix
from footfall_coulomb.workspace import FEW_ROWS

__all__ = ["Coulomb", "CoulombConfig"]


class Coulomb(ImpulseLaw):
    """Signorini's condition and Coulomb's law at the end of the step.

    ``u = W r + u_free + offset``; for each contact ``0 <= r_n perp u_n >= 0``, ``|r_t| <= mu r_n``.
    A slipping contact has ``r_t = -mu r_n u_t / |u_t|``. The offset is along the normal: ``gap /
    dt`` for an open point, ``e u_n-`` in an impact. Split impulses remove penetration: they change
    positions, not velocities.

    A loaded contact with a ``compliance`` c has the normal force ``f = -(gap + dt u_n +
    damping_time u_n) / c``. In impacts it is rigid.

    Sources: Moreau 1988; Jean, "The non-smooth contact dynamics method", 1999.
    """

    name = "coulomb"
    Config = CoulombConfig
    blocks = frozenset({BlockKind.CONE, BlockKind.UNILATERAL, BlockKind.BOX, BlockKind.MOMENT})
    capabilities = frozenset(
        {
            Capability.FRICTION,
            Capability.DIRECTIONAL_FRICTION,
            Capability.RESTITUTION,
            Capability.TILTED_TERRAIN,
            Capability.MOVING_GROUND,
            Capability.SEVERAL_BODIES,
            Capability.IMPLICIT_GAINS,
            Capability.WARM_START,
        }
    )

    _solver: GaussSeidel | MomentSweeps

    def __init__(self, config: CoulombConfig) -> None:
        self.config = config
        self._problem: ContactProblem | None = None
        self._given: Floats | None = None

    @property
    def margin(self) -> float:
        """Gap up to which a point enters the problem, [m]."""
        return self.config.margin

    @property
    def whole_matrix_rows(self) -> float:
        """Number of rows up to which all of W is written: Newton's method needs a factor alone."""
        config = self.config
        rigid = config.compliance == 0.0 and not config.compliances
        return FEW_ROWS if rigid and config.acceleration == "newton" else inf

    @property
    def correction_gain(self) -> float:
        """Part of a contact's depth that is removed in a step, [-]."""
        return self.config.position_gain

    def rest_depth(self, force: float) -> float:
        """Return the depth at which the softest contact rests under a normal force [N], [m]."""
        return max(self.config.compliance, *self.config.compliances.values(), 0.0) * force

    def name_contacts(self, names: Sequence[str]) -> None:
        """Give each contact its compliance.

        Raises:
            SceneError: if a pattern of ``compliances`` matches no contact.
        """
        config = self.config
        self._given = compliances_of(names, config.compliance, config.compliances)

    def solve(self, problem: ContactProblem, state: LawState) -> None:
        """Solve for the impulses; see ``gauss_seidel`` and ``kernels``.

        Raises:
            SolverError: if the problem holds NaN or infinity, or its Delassus matrix is indefinite.
        """
        if problem is not self._problem:
            # A problem given as arrays may have a matrix that no masses can have.
            if problem.n_rows <= DEFINITE_ROWS and problem.is_finite():
                require_matrix(problem.delassus())
            self._first = self.bound(problem, state)
        if self._first():
            self.go_on()

    def bound(self, problem: ContactProblem, state: LawState) -> Callable[[], object]:
        """Bind the solver's first sweeps to a problem's arrays; a simulator never moves them."""
        compliance = self._given
        if compliance is None:
            if self.config.compliances:
                raise SolverError(
                    'contact "coulomb": compliances are by name, but these contacts have no names'
                )
            compliance = np.full(problem.arrays.kind.size, self.config.compliance)
        solver = MomentSweeps if len(problem.arrays.moments) else GaussSeidel
        self._problem, self._solver = problem, solver(problem, self.config, compliance)
        return self._solver.first

    def go_on(self) -> None:
        """Continue if the first sweeps did not reach the tolerance.

        Raises:
            SolverError: if the problem holds NaN or infinity, or its Delassus matrix is indefinite.
        """
        self._solver.go_on()
