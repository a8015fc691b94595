"""Signorini's condition and Coulomb's law, solved by Pinocchio's constraint solvers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from footfall.api.contact import BlockKind, Claims, ContactProblem, ImpulseLaw, LawState
from footfall.api.plugin import Capability, Floats, PluginConfig
from footfall_pinocchio_constraints.algorithms import ALGORITHMS
from footfall_pinocchio_constraints.scaled_group import ScaledGroup

CORRECTED = 1e-7
"""Natural-map residual at which split impulses are good enough, [m/s]."""
TIGHTER = 0.1
"""Factor on the solver's tolerance when it stops too early."""
PATIENCE = 500
"""Iterations after which another start is tried."""
STARTS = 2
FIRST = 0.2
"""First tolerance of the solver, relative to ours: its answers are seldom five times worse."""


class PinocchioConstraintsConfig(PluginConfig):
    """Settings of the law."""

    algorithm: Literal["admm", "pgs"] = "admm"
    """Alternating direction method of multipliers, or projected Gauss-Seidel."""
    tolerance: float = Field(default=1e-9, gt=0.0, le=1e-3)
    """Largest error (natural map) of an accepted answer, [m/s]."""
    max_iterations: int = Field(default=2000, ge=1)
    """Largest number of iterations."""
    margin: float = Field(default=1e-3, gt=0.0)
    """Largest gap of a point in the contact problem, [m]."""


class PinocchioConstraints(ImpulseLaw):
    """The equations of the law ``coulomb``, solved by Pinocchio's constraint solvers."""

    name = "pinocchio_constraints"
    Config = PinocchioConstraintsConfig
    claims = Claims(
        residual=1e-6,
        misses={
            "random_rods": "if a tip starts to slip at mu = 10, both of Pinocchio's solvers may "
            "fail to converge: 3 of 8000 answers have errors up to 1e-2 m/s, reported as failed"
        },
    )
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

    def __init__(self, config: PinocchioConstraintsConfig) -> None:
        self.config = config
        self._algorithm = ALGORITHMS[config.algorithm](config.max_iterations)

    @property
    def margin(self) -> float:
        """Gap up to which a point enters the problem, [m]."""
        return self.config.margin

    def solve(self, problem: ContactProblem, state: LawState) -> None:
        """Overwrite the impulses, [N s]; split impulses remove penetration.

        Raises:
            SolverError: if the problem is not finite, or W cannot be a Delassus matrix.
        """
        problem.require_finite(self.name)
        problem.write_offset()
        iterations, worst, limit = 0, 0.0, self.config.tolerance
        problem.correction[:] = 0.0
        b, push = problem.free_velocity + problem.offset, problem.push_out()
        guess = problem.impulse.copy()
        problem.impulse[:] = 0.0
        for group in ScaledGroup.of(problem, self.name):
            answer, done, residual = self._settle(group, b, guess, limit)
            problem.impulse[group.rows] = answer
            iterations, worst = iterations + done, max(worst, residual)
            if push is not None:
                cold, enough = problem.correction, max(limit, CORRECTED * problem.arrays.metre[0])
                problem.correction[group.rows] = self._settle(group, push, cold, enough)[0]
        corrects = bool(problem.correction.any())
        problem.report.write(iterations, worst, failed=worst > limit, corrects=corrects)

    def _settle(
        self, group: ScaledGroup, b: Floats, guess: Floats, limit: float
    ) -> tuple[Floats, int, float]:
        """Return a group's impulse, the number of iterations, and its natural map, [m/s].

        If the solver is not content after ``PATIENCE`` iterations, it starts again from the impulse
        that holds every block at rest, which leads to sticking answers. After ``PATIENCE`` more
        iterations it starts again from the best known impulse.

        Args:
            group: group with m rows.
            b: shape (rows of the problem,), velocity without impulses, [m/s].
            guess: shape (rows of the problem,), [N s].
            limit: natural map that is good enough, [m/s].
        """
        free, s = b[group.rows], group.scale
        best = x = guess[group.rows] / s
        least, spent, asked = group.natural_map(free, s * best), 0, FIRST * limit / group.unit
        run, starts = self._algorithm.bound(group.W, s * free, group.constraints), 0
        while spent == 0 or (least > limit and spent < self.config.max_iterations):
            answer = run(x, asked)
            x, spent = answer.x, spent + answer.iterations
            residual = group.natural_map(free, s * x)
            if residual < least:
                best, least = x, residual
            if answer.content:
                asked *= TIGHTER
            elif spent >= (starts + 1) * PATIENCE and starts < STARTS:
                x = group.holding(free) if starts == 0 else best
                starts += 1
        return s * best, spent, least
