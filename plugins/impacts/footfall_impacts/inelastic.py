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
    """Eigenvalues of the Delassus matrix below this part of the largest, [-], count as zero."""
    damping: float = Field(default=0.0, ge=0.0, le=1.0)
    """Damping of the inverse for groups with loops, [1/kg]; 0: none, 1e-3: as in the source."""


class Inelastic(ImpactModel):
    """Inelastic impact: all three velocity components of every touching point become zero.

    ``r = -W^+ u`` with u = J v- and W^+ the pseudo-inverse of the Delassus matrix W = J M^-1 J', by
    its eigenvectors, one collision group at a time. A singular W, as of three or more coplanar
    points of one foot, is no problem: r is then the smallest impulse that stops the points, and v+
    does not depend on this choice.

    It never adds energy. ``v+ = (I - Q) v-`` with ``Q = M^-1 J' W^+ J``. As ``W^+ W W^+ = W^+``
    (true for the truncated inverse as well) ``Q Q = Q``, and ``M Q = J' W^+ J`` is symmetric: Q is
    an orthogonal projection in the metric of M, ``v-' M v- = v+' M v+ + (Q v-)' M (Q v-)``, and the
    kinetic energy falls by half of ``u' W^+ u``.

    Limits: friction has no bound (a sliding point stops at once) and contacts may pull (a leaving
    point is stopped as well). Joint limits and joint friction take no part.

    For a group with loops (equality rows) you can use the source's damped inverse instead,
    ``W (W W + k^2 1)^-1`` with ``k = damping``: it removes less energy than the projection, and
    leaves loops and contacts a small velocity.

    Guedelha et al., "A Flexible MATLAB/Simulink Simulator for Robotic Floating-base Systems in
    Contact with the Ground: Theoretical Background and Implementation Details", International
    Journal of Semantic Computing, 2024, equations (6) to (8); there with an inverse, which does not
    exist for three coplanar points.
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
