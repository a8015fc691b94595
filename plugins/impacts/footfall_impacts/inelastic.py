"""Perfectly inelastic impact: a projection of the velocity."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from footfall.api.advanced import Elimination
from footfall.api.contact import BlockKind, ContactProblem, ImpactModel
from footfall.api.plugin import Capability, Ints, PluginConfig, SolverError

AT_REST = (BlockKind.CONE, BlockKind.EQUALITY)


class InelasticConfig(PluginConfig):
    """Settings of the model."""

    relative_cut: float = Field(default=1e-12, ge=1e-15, le=1e-3)
    """Eigenvalues of W below this share of the largest one count as zero, [-]."""
    damping: float = Field(default=0.0, ge=0.0, le=1.0)
    """Damping k of closed loops, [1/kg]: for the rows of loops, ``W (W W + k^2 1)^-1`` replaces the
    inverse of W. A large k lets loops open. Guedelha et al. use 1e-3."""


class Inelastic(ImpactModel):
    """Inelastic impact: all three velocity components of every touching point become zero.

    In each collision group ``r = -W^+ u``, with ``u = J v-`` and the pseudo-inverse W^+ of ``W = J
    M^-1 J'``. In groups with closed loops, ``damping`` changes W^+, and the points keep a small
    velocity.

    Limits: friction is unlimited, so a sliding point stops. Contacts can pull, so a leaving point
    stops too. Joint limits and joint friction are ignored.

    Source: Guedelha et al., International Journal of Semantic Computing, 2024, equations (6) to
    (8).
    """

    name = "inelastic"
    Config = InelasticConfig
    array_keys = frozenset({"damping"})
    bilateral = True
    capabilities = frozenset(
        {
            Capability.TILTED_TERRAIN,
            Capability.MOVING_GROUND,
            Capability.SEVERAL_BODIES,
            Capability.CLOSED_CHAINS,
        }
    )

    def __init__(self, config: InelasticConfig) -> None:
        self.config = config

    def resolve(self, problem: ContactProblem) -> None:
        """Overwrite the impulse, [N s], with the one that brings the points to rest.

        The report counts one iteration per collision group.

        Raises:
            SolverError: if the problem is not finite, or W cannot be a Delassus matrix.
        """
        problem.impulse[:] = 0.0
        problem.offset[:] = 0.0
        worst, groups = 0.0, 0.0
        for blocks in problem.groups():
            stopped = blocks[np.isin(problem.kind[blocks], AT_REST)]
            if len(stopped):
                worst, groups = max(worst, self._stop(problem, stopped)), groups + 1.0
        problem.report.write(groups, worst)

    def _stop(self, problem: ContactProblem, blocks: Ints) -> float:
        """Stop one group; return the largest remaining velocity, [m/s]."""
        rows = problem.rows_of(blocks)
        W, u = problem.sound_delassus(blocks, self.name), problem.free_velocity[rows]
        if not np.isfinite(u).all():
            raise SolverError(f"{self.name}: the impact problem is not finite")
        loops = bool((problem.kind[blocks] == BlockKind.EQUALITY).any())
        damping = self.config.damping if loops else 0.0
        impulse = -(Elimination.damped_inverse(W, damping, self.config.relative_cut) @ u)
        problem.impulse[rows] = impulse
        return float(np.abs(W @ impulse + u).max())
