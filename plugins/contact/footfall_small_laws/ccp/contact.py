"""Convex cone complementarity: friction as a convex problem, which lifts sliding points."""

from __future__ import annotations

from pydantic import Field

from footfall.api.advanced import Cones
from footfall.api.contact import Claims
from footfall.api.plugin import Capability, PluginConfig
from footfall_small_laws.capabilities import CAPABILITIES
from footfall_small_laws.ccp import kernels
from footfall_small_laws.ccp.kernels import Descent
from footfall_small_laws.group_law import GroupLaw
from footfall_small_laws.kernels import DenseGroups


class CCPConfig(PluginConfig):
    """Settings of the law."""

    tolerance: float = Field(default=1e-9, gt=0.0, le=1e-3)
    """Residual of the convex problem at which the iterations stop, [m/s]."""
    max_iterations: int = Field(default=10000, ge=1)
    """Largest number of gradient steps."""
    margin: float = Field(default=1e-3, gt=0.0)
    """Largest gap of a point in the contact problem, [m]."""


class ConeComplementarity(GroupLaw):
    """Law ``min_r 1/2 r'W r + b'r`` over the friction cones ``|r_t| <= mu r_n``.

    b is u_free; for open points, ``gap / dt`` is added along the normal. Newton's method solves
    groups of up to 100 contacts, gradient steps solve larger groups.

    Limit: sliding points rise at ``u_n = mu |u_t|`` instead of Coulomb's ``u_n = 0``.

    Sources: Anitescu and Tasora, Computational Optimization and Applications 47, 2010; for larger
    groups Mazhar, Heyn, Negrut, Tasora, ACM Transactions on Graphics 34(3), 2015.
    """

    name = "ccp"
    Config = CCPConfig
    claims = Claims(slides=False)
    capabilities = CAPABILITIES | {Capability.WARM_START}

    kernel = kernels.solve

    def __init__(self, config: CCPConfig) -> None:
        self.config = config

    def own_arrays(self, groups: DenseGroups) -> tuple[Cones, Descent]:
        """Return the arrays of Newton's method and of the descent."""
        shared = {name: getattr(groups, name) for name in ("W", "b", "mu", "r")}
        cones = Cones.allocate("cone", len(groups.mu), **shared, J=groups.factor)
        return cones, Descent.allocate(len(groups.r), self.config.max_iterations)
