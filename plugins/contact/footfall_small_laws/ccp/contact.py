"""Convex cone complementarity: friction as a convex problem, which lifts sliding points."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from footfall.api.advanced import Cones, DenseGroup
from footfall.api.contact import Claims, ContactProblem, ImpulseLaw, LawState
from footfall.api.kernels import Table, table_of
from footfall.api.plugin import Capability, Floats, PluginConfig
from footfall_small_laws.capabilities import CAPABILITIES
from footfall_small_laws.ccp import kernels

NEWTON_ROWS = 300
"""Most rows of a group for which the answer of least norm is looked for."""


class CCPConfig(PluginConfig):
    """Settings of the law."""

    tolerance: float = Field(default=1e-9, gt=0.0, le=1e-3)
    """Residual of the convex problem that stops the iterations, [m/s]."""
    max_iterations: int = Field(default=10000, ge=1)
    """Largest number of gradient steps if Newton's method fails; beyond it the best answer counts
    as failed."""
    margin: float = Field(default=1e-3, gt=0.0)
    """Gap up to which a point takes part, [m]."""


class ConeComplementarity(ImpulseLaw):
    """Law ``min_r 1/2 r'W r + b'r`` over the cones ``|r_t| <= mu r_n``, b the free velocity.

    Optimality: ``K r perp W r + b K*`` with the friction cones K and their duals K*; b includes
    ``gap / dt`` of open points. The velocity is unique; W may be singular. Newton's method solves
    groups of up to 300 rows and takes the impulse of least norm.

    Limit: sliding points are lifted, ``u_n = mu |u_t|`` instead of Coulomb's ``u_n = 0``. Sticking
    and rolling are as in Coulomb's law.

    Sources: Anitescu and Tasora, Computational Optimization and Applications 47, 2010; larger
    groups: Mazhar, Heyn, Negrut, Tasora, ACM Transactions on Graphics 34(3), 2015.
    """

    name = "ccp"
    Config = CCPConfig
    claims = Claims(slides=False)
    capabilities = CAPABILITIES | {Capability.WARM_START}

    def __init__(self, config: CCPConfig) -> None:
        self.config = config
        self._spaces: dict[int, tuple[Cones, Table]] = {}

    @property
    def margin(self) -> float:
        """Gap up to which a point enters the problem, [m]."""
        return self.config.margin

    def solve(self, problem: ContactProblem, state: LawState) -> None:
        """Overwrite the impulses, [N s]; split impulses remove penetration.

        Raises:
            SolverError: if the problem is not finite, or W cannot be a Delassus matrix.
        """
        DenseGroup.solve_each(
            problem, self._minimise, law=self.name, tolerance=self.config.tolerance
        )

    def _minimise(self, W: Floats, b: Floats, mu: Floats, r: Floats) -> tuple[float, float]:
        """Minimise over a group; return the gradient steps and the residual, [m/s]."""
        c, contacts = self.config, len(mu)
        if len(r) <= NEWTON_ROWS:
            if contacts not in self._spaces:
                cones = Cones.allocate("cone", contacts)
                self._spaces[contacts] = cones, table_of(cones)
            cones, table = self._spaces[contacts]
            cones.W[:], cones.b[:], cones.mu[:], cones.r[:] = W, b, mu, r
            residual = kernels.least_norm(table, contacts, c.tolerance)
            r[:] = cones.r
            if residual <= c.tolerance:
                return 0, residual
        work = np.zeros((8, len(r)))
        steps, residual = kernels.minimise(W, b, mu, r, c.tolerance, c.max_iterations, work)
        return steps, residual
