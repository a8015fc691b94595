"""Springs, dampers, and friction that grows with the slip speed, often called soft contact."""

from __future__ import annotations

from math import inf
from typing import Annotated

import numpy as np
from pydantic import Field

from footfall.api.contact import Claims, ContactProblem, ForceLaw, LawState
from footfall.api.plugin import Capability, Floats, PluginConfig, Tunable
from footfall_small_laws.capabilities import CAPABILITIES

SLIP_SPEED = 0.01


class RegularizedConfig(PluginConfig):
    """Settings of the law.

    Forces are constant over a step dt. For a stable step, with W [1/kg] the velocity per unit of
    impulse at the point:

    - along the normal: ``W (k dt^2 + 2 d dt) < 4``,
    - along the ground, with the friction force ``mu f_n``: ``W mu f_n dt / slip_speed < 2``.

    Lighter bodies and longer steps need softer springs or a higher slip speed. The defaults are
    stable for 1 ms and W up to 18 /kg (the corner of a 1 kg cube has 4 /kg).
    """

    stiffness: Annotated[float, Tunable(1e2, 1e6, logarithmic=True)] = Field(default=2e4, gt=0.0)
    """Stiffness k of a point, [N/m]."""
    damping: Annotated[float, Tunable(0.0, 1e3)] = Field(default=1e2, ge=0.0)
    """Damping d of a point, [N s/m]."""
    slip_speed: Annotated[float, Tunable(1e-4, 1.0, logarithmic=True)] = Field(
        default=SLIP_SPEED, gt=0.0
    )
    """Slip speed v_s below which friction is proportional to the slip speed, [m/s]."""


class Regularized(ForceLaw):
    """Law ``f_n = max(0, -k gap - d u_n)``, ``f_t = -mu f_n u_t / max(|u_t|, v_s)``.

    Points above the ground have no force. A force along the ground makes bodies creep. The normal
    force jumps by ``d |u_n|`` when a point touches.

    Sources: Kelvin-Voigt model without tension; friction of Azad and Featherstone, ACRA 2010.
    """

    name = "regularized"
    Config = RegularizedConfig
    needs = frozenset()
    absorbs_impacts = True
    claims = Claims(
        creep=SLIP_SPEED,
        misses={
            "coplanar": "the springs of 30 feet on one body together are too stiff for steps of "
            "1 ms: lower the stiffness with the number of points, or integrate in continuous time",
        },
    )
    capabilities = CAPABILITIES - {Capability.DIRECTIONAL_FRICTION}

    def __init__(self, config: RegularizedConfig) -> None:
        self.config = config

    def retune(self, config: PluginConfig) -> None:
        """Use another stiffness, damping and slip speed."""
        assert isinstance(config, RegularizedConfig)
        self.config = config

    def force(self, problem: ContactProblem, state: LawState, rate: LawState, out: Floats) -> None:
        """Overwrite ``out`` with the forces, [N].

        Raises:
            SolverError: if the problem is not finite.
        """
        problem.require_finite(self.name)
        u, f = problem.velocity.reshape(-1, 3), out.reshape(-1, 3)
        f[:, 2] = np.where(problem.gap <= 0.0, np.maximum(self._pressing(problem), 0.0), 0.0)
        speed = np.maximum(np.hypot(u[:, 0], u[:, 1]), self.config.slip_speed)
        f[:, :2] = -(problem.mu * f[:, 2] / speed)[:, None] * u[:, :2]
        problem.report.write()

    def slopes(self, problem: ContactProblem, state: LawState) -> tuple[Floats, ...]:
        """Return the derivatives of the force by old velocities, gaps and friction."""
        c, dt, n = self.config, problem.dt, problem.n_blocks
        u, pressing = problem.velocity.reshape(n, 3), self._pressing(problem)
        f = np.where((problem.gap <= 0.0) & (pressing > 0.0), pressing, 0.0)
        slip = np.hypot(u[:, 0], u[:, 1])
        along = u[:, :2] / np.maximum(slip, c.slip_speed)[:, None]
        of_normal = np.concatenate([-problem.mu[:, None] * along, np.ones((n, 1))], axis=1)
        of_u = np.zeros((n, 3, n, 3))
        of_gap, of_mu = np.zeros((2, n, 3, n))
        i = np.arange(n)
        of_gap[i, :, i] = -c.stiffness * (f > 0.0)[:, None] * of_normal
        of_u[i, :, i, 2] = -c.damping * (f > 0.0)[:, None] * of_normal
        of_mu[i, :2, i] = -f[:, None] * along
        across = (
            np.eye(2) - (slip > c.slip_speed)[:, None, None] * along[:, :, None] * along[:, None]
        )
        rate = problem.mu * f / np.maximum(slip, c.slip_speed)
        of_u[i, :2, i, :2] = -rate[:, None, None] * across
        rows = 3 * n
        held = np.eye(rows), np.zeros((rows, rows))
        by = (of_u.reshape(rows, rows), of_gap.reshape(rows, n), of_mu.reshape(rows, n))
        return *held, *(-dt * d for d in by)

    def switching(self, problem: ContactProblem, state: LawState, out: Floats) -> None:
        """Overwrite ``out``: contact while below the ground and pressed, slip above v_s."""
        u = problem.velocity.reshape(-1, 3)
        depth, pressed = -problem.gap, self._pressing(problem) / self.config.stiffness
        out[problem.candidate, 0] = np.minimum(depth, pressed)
        out[problem.candidate, 1] = np.hypot(u[:, 0], u[:, 1]) - self.config.slip_speed

    def stored_energy(self, problem: ContactProblem, state: LawState) -> float:
        """Return ``sum 1/2 k gap^2`` of the points below the ground, [J]."""
        depth = np.minimum(problem.gap, 0.0)
        return float(0.5 * self.config.stiffness * (depth @ depth))

    def rest_depth(self, force: float) -> float:
        """Return the depth of a point at rest under a normal force, ``f / k``, [m]."""
        return force / self.config.stiffness

    def softness(
        self, force: Floats, speed: Floats, mobility: Floats
    ) -> tuple[Floats, Floats, float]:
        """Return k and d along the normal.

        Friction that is too steep for the step makes points chatter. But its force has a bound, so
        the chatter does not grow: friction does not count here.
        """
        normal = np.array([0.0, 0.0, 1.0]) * np.ones((len(force), 1))
        return self.config.stiffness * normal, self.config.damping * normal, inf

    def _pressing(self, problem: ContactProblem) -> Floats:
        """Return ``-k gap - d u_n``, the normal force if it is positive, [N]."""
        u_n = problem.velocity[2::3]
        return -self.config.stiffness * problem.gap - self.config.damping * u_n
