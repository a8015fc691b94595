"""Impact with restitution and Coulomb friction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from pydantic import Field

from footfall.api.contact import Claims, ContactProblem, ImpactModel
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Capability, PluginConfig, SolverError
from footfall_impacts.groups import DenseGroup
from footfall_impacts.restitution.kernels.impact import KERNELS
from footfall_impacts.restitution.workspace import MOST_CONTACTS, allocate


class RestitutionConfig(PluginConfig):
    """Settings of the model."""

    hypothesis: Literal["newton", "poisson"] = "newton"
    """Law of restitution: Newton's or Poisson's hypothesis."""
    tolerance: float = Field(default=1e-10, gt=0.0, le=1e-3)
    """Largest residual, relative to the largest approach velocity, [-]."""
    max_iterations: int = Field(default=1000, ge=1)
    """Largest number of sweeps."""
    damping: float = Field(default=0.0, ge=0.0, le=1.0)
    """Damping k of closed loops, [1/kg]: for the rows of loops, ``W (W W + k^2 1)^-1`` replaces the
    inverse of W. A large k lets loops open. Guedelha et al. use 1e-3."""


class Restitution(ImpactModel):
    """Newton's or Poisson's hypothesis with Coulomb friction in the exact cone, at every point.

    With ``u+ = W r + u-`` and the coefficient of restitution e of the pair:

    * ``newton``: ``0 <= r_n perp u_n+ - e max(-u_n-, 0) >= 0``, and Coulomb's law for u_t+.
    * ``poisson``: first an inelastic impact with friction; then each contact gets at least e times
      its first normal impulse, with friction.

    Newton's hypothesis can add energy (Kane and Levinson 1985). All coefficients e of the collision
    group are then multiplied by the largest factor that adds no energy. If restitution has no
    solution, the factor is 0.

    If friction cannot be solved, the group gets the inelastic impulse without friction, and a
    failure is counted. Of several exact answers the model takes that of equally stiff springs at
    all contacts, as they become rigid. Joint limits and joint friction are ignored.

    Source: Glocker and Pfeiffer, "Multiple impacts with friction in rigid multibody systems",
    Nonlinear Dynamics 7, 1995.
    """

    name = "restitution"
    Config = RestitutionConfig
    array_keys = frozenset({"damping"})
    cuts = True
    claims = Claims(residual=1e-6)
    capabilities = frozenset(
        {
            Capability.FRICTION,
            Capability.DIRECTIONAL_FRICTION,
            Capability.RESTITUTION,
            Capability.TILTED_TERRAIN,
            Capability.MOVING_GROUND,
            Capability.SEVERAL_BODIES,
            Capability.CLOSED_CHAINS,
        }
    )

    def __init__(self, config: RestitutionConfig) -> None:
        self.config = config
        self._whole, self._one = KERNELS[config.hypothesis]
        self._problem: ContactProblem | None = None

    def resolve(self, problem: ContactProblem) -> None:
        """Overwrite the impulse, [N s], and the offset; report iterations, residual, failure, cuts.

        Raises:
            SolverError: if the problem is invalid (not finite, W not symmetric or indefinite,
                coefficients out of range).
        """
        if problem is not self._problem:
            self._kernel, self._cut = self.bound(problem), self.cut(problem)
        again: object = True
        while again:
            if self._kernel():
                self.go_on()
            again = self._cut()

    def bound(self, problem: ContactProblem) -> Callable[[], object]:
        """Bind the kernel to a problem's arrays."""
        self._problem, blocks = problem, len(problem.arrays.kind)
        self._space = allocate(blocks, min(blocks, MOST_CONTACTS))
        limits = self.config.tolerance, self.config.max_iterations
        return bind(self._whole, problem.table, table_of(*self._space), *limits)

    def go_on(self) -> None:
        """Resolve groups that the kernel has not: loops, large groups.

        Raises:
            SolverError: as for ``resolve``.
        """
        assert self._problem is not None
        problem, label = self._problem, self._space[0].label
        report = problem.report
        iterations, worst, failed = report.iterations, report.residual, report.failed
        try:
            for group in DenseGroup.of(problem, damping=self.config.damping):
                block = np.searchsorted(problem.row, group.rows[:1], side="right") - 1
                if (label[block] < 0).any():
                    continue
                done, left, solved = self._resolve(problem, group)
                iterations, worst = iterations + done, max(worst, left)
                failed = failed or not solved
        except SolverError as error:
            raise SolverError(f"{self.name}: {error}") from error
        report.write(iterations, worst, failed=failed)

    def _resolve(self, problem: ContactProblem, group: DenseGroup) -> tuple[int, float, bool]:
        """Resolve one group; return sweeps, residual, and whether it is solved."""
        work, cones = allocate(0, len(group.mu))
        cones.W[:], cones.mu[:], work.u[:], work.e[:] = (
            group.W,
            group.mu,
            group.u,
            group.restitution,
        )
        table = table_of(work, cones)
        found: tuple[int, float, bool] = self._one(
            table, self.config.tolerance, self.config.max_iterations
        )
        group.write(problem, cones.r)
        problem.offset[group.rows[2::3]] = work.offset
        return found
