"""Linear complementarity: friction pyramids, solved by pivoting."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from footfall.api.contact import Claims
from footfall.api.plugin import Capability, PluginConfig
from footfall_small_laws.capabilities import CAPABILITIES
from footfall_small_laws.group_law import GroupLaw
from footfall_small_laws.kernels import DenseGroups
from footfall_small_laws.lcp import kernels
from footfall_small_laws.lcp.pyramid import Pyramids


class LCPConfig(PluginConfig):
    """Settings of the law."""

    sides: int = Field(default=8, ge=4, le=64, multiple_of=2)
    """Sides of the pyramid, an even number, [-]."""
    max_pivots: int = Field(default=1000, ge=1)
    """Largest number of pivots for a group."""
    max_sweeps: int = Field(default=200, ge=1)
    """Largest number of sweeps."""
    tolerance: float = Field(default=1e-7, gt=0.0, le=1e-3)
    """Residual above which an answer counts as failed, [m/s]."""
    margin: float = Field(default=1e-3, gt=0.0)
    """Largest gap of a point in the contact problem, [m]."""


class LinearComplementarity(GroupLaw):
    """Signorini's condition, and Coulomb's law with a pyramid around the friction cone.

    Lemke's method solves the linear complementarity problem of Stewart and Trinkle (1996) exactly,
    up to rounding. If it fails, sweeps solve one contact after another.
    """

    name = "lcp"
    Config = LCPConfig
    claims = Claims()
    capabilities = CAPABILITIES | {Capability.RESTITUTION}
    kernel = kernels.solve

    def __init__(self, config: LCPConfig) -> None:
        self.config = config
        self.claims = Claims(anisotropy=float(1.0 / np.cos(np.pi / config.sides)) - 1.0)

    def own_arrays(self, groups: DenseGroups) -> tuple[Pyramids]:
        """Return the arrays of the complementarity problem of a group."""
        c = self.config
        return (Pyramids.allocate(len(groups.mu), c.sides, c.max_pivots, c.max_sweeps),)
