"""The impulse of maximum dissipation, contact by contact, by bisection."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from footfall.api.contact import Claims
from footfall.api.plugin import Capability, PluginConfig
from footfall_small_laws.bisection import kernels
from footfall_small_laws.bisection.kernels import Sweeps
from footfall_small_laws.capabilities import CAPABILITIES
from footfall_small_laws.group_law import GroupLaw
from footfall_small_laws.kernels import DenseGroups


class BisectionConfig(PluginConfig):
    """Settings of the law."""

    tolerance: float = Field(default=1e-8, gt=0.0, le=1e-3)
    """Largest error of a contact at which the sweeps stop, [m/s]."""
    max_iterations: int = Field(default=1000, ge=1)
    """Largest number of sweeps."""
    least_step: float = Field(default=0.3, gt=0.0, le=1.0)
    """Smallest step factor, [-]. The first sweep has the factor 1."""
    step_decay: float = Field(default=0.99, gt=0.0, le=1.0)
    """Number that multiplies the step factor after each sweep, [-]."""
    margin: float = Field(default=1e-3, gt=0.0)
    """Largest gap of a point in the contact problem, [m]."""


class Bisection(GroupLaw):
    """Each contact opens, sticks, or slips with the impulse that dissipates most energy.

    A slipping contact i gets the impulse that minimises ``u'W_ii^-1 u`` on the friction cone with
    u_n = 0. Bisection finds it, in Gauss-Seidel sweeps. A step factor multiplies each
    change of an impulse.

    Source: Hwangbo, Lee, Hutter, IEEE RA-L 3(2), 2018.
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

    kernel = kernels.solve

    def __init__(self, config: BisectionConfig) -> None:
        self.config = config

    def own_arrays(self, groups: DenseGroups) -> tuple[Sweeps]:
        """Return settings and scratch of the sweeps."""
        c = self.config
        settings = np.array([c.max_iterations]), np.array([c.least_step]), np.array([c.step_decay])
        return (Sweeps(*settings, np.zeros((3, 9))),)
