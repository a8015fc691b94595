"""Inelastic impact with friction, in two phases."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from footfall.api.contact import Claims, ContactProblem, ImpactModel
from footfall.api.plugin import Capability, Floats, PluginConfig, SolverError
from footfall.api.solver import QPProblem, QPSolution, QPSolver, QPStatus
from footfall_impacts.frictional.two_phases import friction_phase, into_pyramids, normal_phase
from footfall_impacts.groups import DenseGroup

ACCEPTED = 1e-6
"""Scaled KKT residual up to which an inaccurate answer is used, [-]; it is reported."""
GRAZING = 1e-6
"""Approach speed, relative to the largest velocity, [-], up to which phase II is left out: friction
could change velocities by at most mu times as much, and phase II is degenerate for solvers."""


class FrictionalConfig(PluginConfig):
    """Settings of the model."""

    sides: int = Field(default=4, ge=3, le=64)
    """Sides of the pyramid around the friction cone, [-]. Friction is up to 41 % too large with 4
    sides, up to 2 % with 16."""
    damping: float = Field(default=0.0, ge=0.0, le=1.0)
    """Damping k of closed loops, [1/kg]: for the rows of loops, ``W (W W + k^2 1)^-1`` replaces the
    inverse of W. A large k lets loops open. Guedelha et al. use 1e-3."""


class Frictional(ImpactModel):
    """Impact in two phases: normal impulses first, then friction.

    In each collision group, with ``W = J M^-1 J'`` and ``u = J v-``:

    * Phase I, without friction: ``min 1/2 f'W_nn f + u_n'f, f >= 0``; ``kappa = sum f``.
    * Phase II: ``min 1/2 r'Wr + u'r`` over the friction pyramids, with ``W_n r + u_n >= 0`` and
      ``sum r_n <= kappa``.

    The objective is the change of kinetic energy, so the impact never adds energy.

    Limits: phase II cannot raise the sum of normal impulses. If friction presses a point down, the
    result violates Coulomb's law. Joint limits and joint friction are ignored.

    Sources: Drumwright and Shell, WAFR 2010; loops as in Guedelha et al., IRC 2022.
    """

    name = "frictional"
    Config = FrictionalConfig
    array_keys = frozenset({"damping"})
    claims = Claims(
        anisotropy=float(np.sqrt(2.0)) - 1.0,  # for the default of four sides
        misses={
            "rocking_block": "phase II may use no more normal impulse than phase I, which has no "
            "friction: for a block tilted by 30 degrees 1.14 m b omega, but a corner that sticks "
            "needs 1.63",
            "pendulum_landing": "no more normal impulse than without friction: if friction "
            "presses the tip down, it is not the single impulse of Coulomb's law",
        },
    )
    uses_solver = True
    capabilities = frozenset(
        {
            Capability.FRICTION,
            Capability.DIRECTIONAL_FRICTION,
            Capability.TILTED_TERRAIN,
            Capability.MOVING_GROUND,
            Capability.SEVERAL_BODIES,
            Capability.CLOSED_CHAINS,
        }
    )

    def __init__(self, config: FrictionalConfig, solver: QPSolver) -> None:
        self.config, self._solver = config, solver
        angles = 2.0 * np.pi * np.arange(config.sides) / config.sides
        self._directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)

    def resolve(self, problem: ContactProblem) -> None:
        """Overwrite the impulse, [N s]; the report counts the solver's iterations.

        Raises:
            SolverError: if the problem is invalid (not finite, W not symmetric or indefinite), or a
                QP has no answer.
        """
        problem.impulse[:] = problem.offset[:] = 0.0
        worst, iterations = 0.0, 0
        try:
            for group in DenseGroup.of(problem, damping=self.config.damping):
                impulse, phases = self._two_phases(group)
                group.write(problem, impulse)
                iterations += sum(phase.iterations for phase in phases)
                worst = max(worst, *(phase.residuals.worst for phase in phases), 0.0)
        except SolverError as error:
            raise SolverError(f"{self.name}: {error}") from error
        problem.report.write(iterations, worst)

    def _two_phases(self, group: DenseGroup) -> tuple[Floats, list[QPSolution]]:
        """Return the contacts' impulse, shape (3 n,), and the QP solutions."""
        if not (group.u[2::3] < 0.0).any():
            return np.zeros(len(group.u)), []
        first = self._solve("I", normal_phase(group))
        normal = np.zeros(len(group.u))
        normal[2::3] = np.maximum(first.x, 0.0)
        if -group.u[2::3].min() <= GRAZING * np.abs(group.u).max():
            return normal, [first]
        second = self._solve("II", friction_phase(group, self._directions, normal))
        impulse = into_pyramids(normal + second.x, group.mu, self._directions)
        return impulse, [first, second]

    def _solve(self, phase: str, qp: QPProblem) -> QPSolution:
        solution = self._solver.solve(qp, None)
        usable = solution.status is QPStatus.INACCURATE and solution.residuals.scaled <= ACCEPTED
        if not (solution.ok or usable):
            detail = f": {solution.message}" if solution.message else ""
            raise SolverError(
                f"QP solver {self._solver.name} failed in phase {phase} of an impact: "
                f"{solution.status.value} (KKT residual {solution.residuals.worst:.1e}){detail}"
            )
        return solution
