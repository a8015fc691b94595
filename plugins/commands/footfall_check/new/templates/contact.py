"""The contact law ``new_plugin``: impulses over one step."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from footfall.api.contact import Claims, ContactProblem, ImpulseLaw, LawState
from footfall.api.plugin import Capability, Floats, PluginConfig, SolverError


class NewPluginConfig(PluginConfig):
    """Settings of the law: the keys of ``[contact]`` in a scene."""

    tolerance: float = Field(default=1e-9, gt=0.0)
    """Largest change of a contact's velocity in a sweep at which the sweeps end, [m/s]."""
    max_sweeps: int = Field(default=1000, ge=1)
    """Largest number of sweeps per step."""


class NewPlugin(ImpulseLaw):
    """The law: REPLACE THIS EQUATION BY YOURS, and ``sweep`` by your method.

    ``u = W r + b``; for each contact ``0 <= r_n  perp  u_n >= 0`` (Signorini) and
    ``r_t = -mu r_n u_t / |u_t|`` if it slips (Coulomb). W: Delassus matrix, [1/kg]; r: impulses,
    [N s]; u: velocities of the contact points at the end of the step, [m/s].
    """

    name = "new_plugin"
    Config = NewPluginConfig
    margin = 1e-3  # points up to this gap take part, [m]
    claims = Claims(residual=None)  # no claim: sweeps may not converge
    capabilities = frozenset(
        {Capability.FRICTION, Capability.TILTED_TERRAIN, Capability.SEVERAL_BODIES}
    )

    def __init__(self, config: NewPluginConfig) -> None:
        self.config = config

    def solve(self, problem: ContactProblem, state: LawState) -> None:
        """Overwrite impulse, offset, correction and report of the problem.

        Three rows per contact: first tangent, second tangent, normal. There may be no contact.

        Raises:
            SolverError: if the problem is not finite.
        """
        problem.correction[:] = 0.0
        problem.offset[:] = 0.0
        if not problem.impulsive:  # a point may close its gap within the step
            problem.offset[2::3] = np.maximum(problem.gap, 0.0) / problem.dt
        W, b = problem.delassus(), problem.free_velocity + problem.offset
        if not np.isfinite(W.sum() + b.sum() + problem.mu.sum()):
            raise SolverError(f"{self.name}: the contact problem is not finite")
        sweeps, change = 0, np.inf
        while change > self.config.tolerance and sweeps < self.config.max_sweeps:
            change = sweep(W, b, problem.mu, problem.impulse)
            sweeps += 1
        problem.report.write(sweeps, change)


def sweep(W: Floats, b: Floats, mu: Floats, r: Floats) -> float:
    """Update each contact's impulse in place (projected Gauss-Seidel).

    Args:
        W: shape (3 n, 3 n), [1/kg].
        b: shape (3 n,), velocities without impulses, [m/s].
        mu: shape (n,), coefficients of friction, [-].
        r: shape (3 n,), impulses, [N s].

    Returns:
        The largest change of a contact's velocity, [m/s].
    """
    largest = 0.0
    for i in range(len(mu)):
        at = slice(3 * i, 3 * i + 3)
        w0, w1, wn = W[at, at].diagonal()
        u, old = W[at] @ r + b[at], r[at].copy()
        gives = np.array([max(w0, w1), max(w0, w1), wn])
        # A direction blocked by a loop has no mobility: it needs no impulse.
        new = old - np.divide(u, gives, out=np.zeros(3), where=gives > 0.0)
        new[2] = max(new[2], 0.0)
        size, bound = np.hypot(new[0], new[1]), mu[i] * new[2]
        if size > bound:
            new[:2] *= bound / size
        r[at] = new
        largest = max(largest, float(np.abs((w0, w1, wn) * (new - old)).max()))
    return largest
