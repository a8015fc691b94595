"""Linear complementarity: friction pyramids, solved by pivoting."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from footfall.api.advanced import DenseGroup
from footfall.api.contact import Claims, ContactProblem, ImpulseLaw, LawState
from footfall.api.plugin import Capability, Floats, PluginConfig
from footfall_small_laws.capabilities import CAPABILITIES
from footfall_small_laws.lcp.pivoting import solve_lcp
from footfall_small_laws.lcp.pyramid import PyramidLCP


class LCPConfig(PluginConfig):
    """Settings of the law."""

    sides: int = Field(default=8, ge=4, le=64, multiple_of=2)
    """Sides of the pyramid, even, [-]."""
    max_pivots: int = Field(default=1000, ge=1)
    """Largest number of pivots for a group; beyond it, sweeps solve contact by contact."""
    max_sweeps: int = Field(default=200, ge=1)
    """Largest number of sweeps."""
    tolerance: float = Field(default=1e-7, gt=0.0, le=1e-3)
    """Residual above which an answer counts as failed, [m/s]."""
    margin: float = Field(default=1e-3, gt=0.0)
    """Gap up to which a point takes part, [m]."""


class LinearComplementarity(ImpulseLaw):
    """Signorini's condition, and friction in a pyramid of ``sides`` sides around the cone.

    Lemke's pivoting solves the equations of ``PyramidLCP`` to rounding; if it fails, sweeps solve
    the contacts one by one.

    Limits: friction is up to ``mu / cos(pi / sides)`` across the corners; the slip turns aside.
    """

    name = "lcp"
    Config = LCPConfig
    claims = Claims()
    capabilities = CAPABILITIES | {Capability.RESTITUTION}

    def __init__(self, config: LCPConfig) -> None:
        self.config = config
        self.claims = Claims(anisotropy=float(1.0 / np.cos(np.pi / config.sides)) - 1.0)

    @property
    def margin(self) -> float:
        """Gap up to which a point enters the problem, [m]."""
        return self.config.margin

    def solve(self, problem: ContactProblem, state: LawState) -> None:
        """Overwrite the impulses, [N s]; split impulses remove penetration.

        Raises:
            SolverError: if the problem is not finite, or W cannot be a Delassus matrix.
        """
        DenseGroup.solve_each(problem, self._solve, law=self.name, tolerance=self.config.tolerance)

    def _solve(self, W: Floats, b: Floats, mu: Floats, r: Floats) -> tuple[float, float]:
        """Solve a group by pivoting; return the number of pivots and the residual, [m/s]."""
        c = self.config
        lcp = PyramidLCP.write(W, b, mu, c.sides)
        z, pivots = solve_lcp(lcp, c.tolerance, c.max_pivots, c.max_sweeps)
        r[:] = lcp.impulses(z)
        return pivots, lcp.residual(z)
