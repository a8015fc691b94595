"""The impulse of maximum dissipation, contact by contact, by bisection."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from footfall.api.advanced import DenseGroup
from footfall.api.contact import Claims, ContactProblem, ImpulseLaw, LawState
from footfall.api.plugin import Capability, Floats, PluginConfig
from footfall_small_laws.bisection import kernels
from footfall_small_laws.capabilities import CAPABILITIES


class BisectionConfig(PluginConfig):
    """Settings of the law."""

    tolerance: float = Field(default=1e-8, gt=0.0, le=1e-3)
    """Distance of contacts from their own answers that stops the sweeps, [m/s]."""
    max_iterations: int = Field(default=1000, ge=1)
    """Largest number of sweeps; beyond it the answer counts as failed."""
    least_step: float = Field(default=0.3, gt=0.0, le=1.0)
    """Final step of a contact towards its own answer, [-]; the first is 1."""
    step_decay: float = Field(default=0.99, gt=0.0, le=1.0)
    """Factor of the step per sweep, [-]."""
    margin: float = Field(default=1e-3, gt=0.0)
    """Gap up to which a point takes part, [m]."""


class Bisection(ImpulseLaw):
    """Law in which each contact opens, sticks, or slips with the impulse that dissipates most.

    With the other contacts fixed, ``u = W_ii r + c``. A contact that neither opens (``c_n >= 0``)
    nor sticks (``-W_ii^-1 c`` in the cone) gets ``argmin_r u'W_ii^-1 u`` over the impulses on the
    cone with u_n = 0: a conic, searched by bisection, in Gauss-Seidel sweeps with a shrinking step.

    Limits: the impulse is off the slip by ``arctan(mu W_nt / W_nn)``. Convergence is not
    guaranteed.

    Source: Hwangbo, Lee, Hutter, "Per-contact iteration method for solving contact dynamics", IEEE
    RA-L 3(2), 2018.
    """

    name = "bisection"
    Config = BisectionConfig
    claims = Claims(
        misses=dict.fromkeys(
            ("slope_slide", "slip_threshold", "sliding_cube"),
            "friction is not exactly opposite to the slip, and therefore slightly weaker",
        )
        | {"symmetry": "of redundant contacts the answer depends on their order"}
    )
    capabilities = CAPABILITIES | {Capability.RESTITUTION, Capability.WARM_START}

    def __init__(self, config: BisectionConfig) -> None:
        self.config = config
        self._settings = (
            float(config.tolerance),
            int(config.max_iterations),
            float(config.least_step),
            float(config.step_decay),
        )
        self._work = np.zeros((3, 9))

    @property
    def margin(self) -> float:
        """Gap up to which a point enters the problem, [m]."""
        return self.config.margin

    def solve(self, problem: ContactProblem, state: LawState) -> None:
        """Overwrite the impulses, [N s]; split impulses remove penetration.

        Raises:
            SolverError: if the problem is not finite, or W cannot be a Delassus matrix.
        """
        DenseGroup.solve_each(problem, self._sweep, law=self.name, tolerance=self.config.tolerance)

    def _sweep(self, W: Floats, b: Floats, mu: Floats, r: Floats) -> tuple[float, float]:
        """Sweep over the contacts of a group; return the sweep count and the residual, [m/s]."""
        sweeps, residual = kernels.solve(W, b, mu, r, *self._settings, self._work)
        return sweeps, residual
