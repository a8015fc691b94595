"""The contact law ``new_plugin``: forces as a function of the state, as one compiled kernel."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from pydantic import Field

from footfall.api.contact import (
    Claims,
    ContactProblem,
    ForceLaw,
    LawState,
    ProblemSize,
    problem_from_arrays,
)
from footfall.api.kernels import bind, kernel
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


@kernel
def forces(table, stiffness, damping, slip_speed, out):
    """Write the forces: REPLACE THIS EQUATION BY YOURS, and ``slopes`` by its derivative.

    ``f_n = max(0, -k gap - c u_n)`` at touching points, ``f_t = -mu f_n u_t / max(|u_t|, s)``.
    Return whether a number is not finite. A kernel is Python of loops, numbers and arrays.
    """
    problem, sound = problem_from_arrays(table), 0.0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        gap, mu, row = problem.gap[i], problem.mu[i], 3 * i
        u0, u1, un = problem.velocity[row], problem.velocity[row + 1], problem.velocity[row + 2]
        pressed = max(-stiffness * gap - damping * un, 0.0) if gap <= 0.0 else 0.0
        friction = mu * pressed / max(math.sqrt(u0 * u0 + u1 * u1), slip_speed)
        out[row], out[row + 1], out[row + 2] = -friction * u0, -friction * u1, pressed
        sound += 0.0 * (gap + mu + u0 + u1 + un)  # NaN if one of them is not finite
    for k in range(len(problem.report)):
        problem.report[k] = 0.0
    return sound != 0.0


class NewPlugin(ForceLaw):
    """The law of the kernel ``forces``.

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

    def bound(
        self, problem: ContactProblem, state: LawState, rate: LawState, out: Floats
    ) -> Callable[[], object]:
        """Bind the kernel to arrays that never move: the step calls it without Python."""
        c = self.config
        call: Callable[[], object] = bind(
            forces, problem.table, c.stiffness, c.damping, c.slip_speed, out
        )
        return call

    def force(self, problem: ContactProblem, state: LawState, rate: LawState, out: Floats) -> None:
        """Do the same for any problem."""
        if self.bound(problem, state, rate, out)():
            self.go_on()

    def go_on(self) -> None:
        """Say why the kernel has no answer.

        Raises:
            SolverError: if gap, velocity or friction coefficient of a point is not a number.
        """
        raise SolverError(f"{self.name}: the contact problem is not finite")

    def slopes(self, problem: ContactProblem, state: LawState) -> tuple[Floats, ...]:
        """Return A, B, C, D, E of ``A dr + B du + C dw + D dgap + E dmu = 0``, for gradients.

        Here ``r = dt f(w, gap, mu)``: A is the identity, B is zero; C, D and E are -dt times the
        derivatives of the forces by velocity, gap and friction.
        """
        c, dt, n = self.config, problem.dt, problem.n_blocks
        by_w, by_gap, by_mu = np.zeros((3 * n, 3 * n)), np.zeros((3 * n, n)), np.zeros((3 * n, n))
        for i, (gap, mu) in enumerate(zip(problem.gap, problem.mu, strict=True)):
            at, u = slice(3 * i, 3 * i + 3), problem.velocity[3 * i : 3 * i + 3]
            pressed = -c.stiffness * gap - c.damping * u[2]
            if gap > 0.0 or pressed <= 0.0:
                continue
            slip = float(np.hypot(u[0], u[1]))
            speed = max(slip, c.slip_speed)
            along = np.array([u[0], u[1], 0.0]) / speed
            by_normal = np.array([0.0, 0.0, 1.0]) - mu * along
            across = np.diag([1.0, 1.0, 0.0]) - (slip > c.slip_speed) * np.outer(along, along)
            by_w[at, at] = -mu * pressed / speed * across
            by_w[at, 3 * i + 2] -= c.damping * by_normal
            by_gap[at, i], by_mu[at, i] = -c.stiffness * by_normal, -pressed * along
        held = np.eye(3 * n), np.zeros((3 * n, 3 * n))
        return *held, -dt * by_w, -dt * by_gap, -dt * by_mu

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
