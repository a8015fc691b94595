"""The impact model ``new_plugin``: a jump of the velocity at striking points."""

from __future__ import annotations

import numpy as np

from footfall.api.contact import BlockKind, ContactProblem, ImpactModel
from footfall.api.plugin import Capability, Ints, PluginConfig, SolverError

CUT = 1e-12
"""Eigenvalues of the Delassus matrix below this fraction of the largest count as zero, [-]."""


class NewPlugin(ImpactModel):
    """The model: REPLACE THIS EQUATION BY YOURS, and ``resolve`` by your method.

    ``r = -W^+ u``: every touching point comes to rest, tangentially too. W: Delassus matrix of a
    group of coupled points, [1/kg]; u: their velocities before the impact, [m/s]; r: impulses,
    [N s]. It is a projection in the metric of the inertia, so it never adds energy.
    """

    name = "new_plugin"
    bilateral = True  # it also stops points that separate, so it may pull
    capabilities = frozenset(
        {Capability.TILTED_TERRAIN, Capability.MOVING_GROUND, Capability.SEVERAL_BODIES}
    )

    def __init__(self, config: PluginConfig) -> None:
        self.config = config

    def resolve(self, problem: ContactProblem) -> None:
        """Overwrite impulse, [N s], offset and report of the problem; three rows per contact.

        Raises:
            SolverError: if the problem is not finite, or W cannot be a Delassus matrix.
        """
        problem.impulse[:] = 0.0
        problem.offset[:] = 0.0
        worst, groups = 0.0, 0.0
        for blocks in problem.groups():
            cones = blocks[problem.kind[blocks] == BlockKind.CONE]
            if len(cones):
                worst, groups = max(worst, self._stop(problem, cones)), groups + 1.0
        problem.report.write(groups, worst)

    def _stop(self, problem: ContactProblem, blocks: Ints) -> float:
        """Stop one group; return the largest remaining velocity, [m/s]."""
        rows = problem.rows_of(blocks)
        W, u = problem.sound_delassus(blocks, self.name), problem.free_velocity[rows]
        if not np.isfinite(u).all():
            raise SolverError(f"{self.name}: the impact problem is not finite")
        impulse = -(np.linalg.pinv(W, CUT, hermitian=True) @ u)
        problem.impulse[rows] = impulse
        return float(np.abs(W @ impulse + u).max())
