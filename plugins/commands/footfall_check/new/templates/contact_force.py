"""The contact law ``new_plugin``: forces as a function of the state."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from footfall.api.contact import Claims, ContactProblem, ForceLaw, LawState
from footfall.api.plugin import Capability, Floats, PluginConfig, SolverError

SLIP_SPEED = 0.01


class NewPluginConfig(PluginConfig):
    """Settings of the law: the keys of ``[contact]``; for bodies of about 1 kg and 1 ms steps."""

    stiffness: float = Field(default=2e4, gt=0.0)
    """Stiffness of a point's spring, [N/m]."""
    damping: float = Field(default=100.0, ge=0.0)
    """Damping of a point's damper, [N s/m]."""
    slip_speed: float = Field(default=SLIP_SPEED, gt=0.0)
    """Speed below which friction is proportional to the speed, [m/s]."""


class NewPlugin(ForceLaw):
    """The law: REPLACE THIS EQUATION BY YOURS, and ``force`` by your evaluation.

    ``f_n = max(0, -k gap - c u_n)`` at touching points, ``f_t = -mu f_n u_t / max(|u_t|, s)``.
    A body sinks in by ``m g / (n k)`` on n points, and creeps below the friction limit.
    """

    name = "new_plugin"
    Config = NewPluginConfig
    needs = frozenset()
    absorbs_impacts = True
    claims = Claims(creep=SLIP_SPEED)
    capabilities = frozenset(
        {
            Capability.FRICTION,
            Capability.TILTED_TERRAIN,
            Capability.MOVING_GROUND,
            Capability.SEVERAL_BODIES,
        }
    )

    def __init__(self, config: NewPluginConfig) -> None:
        self.config = config

    def force(self, problem: ContactProblem, state: LawState, rate: LawState, out: Floats) -> None:
        """Overwrite ``out``, shape (3 n,), with forces: two tangents and the normal per point, [N].

        Raises:
            SolverError: if gap, velocity or friction coefficient of a point is not a number.
        """
        u, f, c = problem.velocity.reshape(-1, 3), out.reshape(-1, 3), self.config
        pressed = np.maximum(-c.stiffness * problem.gap - c.damping * u[:, 2], 0.0)
        f[:, 2] = pressed * (problem.gap <= 0.0)
        speed = np.maximum(np.hypot(u[:, 0], u[:, 1]), c.slip_speed)
        f[:, :2] = -(problem.mu * f[:, 2] / speed)[:, None] * u[:, :2]
        if not np.isfinite(out).all():
            raise SolverError(f"{self.name}: the contact problem is not finite")

    def rest_depth(self, force: float) -> float:
        """Return the depth of one point at rest under a normal force [N], [m]."""
        return force / self.config.stiffness

    def softness(
        self, force: Floats, speed: Floats, mobility: Floats
    ) -> tuple[Floats, Floats, float]:
        """Return stiffness [N/m] and damping [N s/m] of each row: REPLACE THEM BY YOURS.

        Footfall rejects time steps that are too long for them.
        """
        normal = np.outer(np.ones(len(force)), (0.0, 0.0, 1.0))
        return self.config.stiffness * normal, self.config.damping * normal, np.inf
