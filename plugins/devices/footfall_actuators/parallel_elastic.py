"""An actuator with a spring beside it, between the joint's two links."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from pydantic import Field

from footfall.api.actuator import Drive
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import PluginConfig
from footfall_actuators import kernels
from footfall_actuators.actuator import Reflected


class ParallelElasticConfig(PluginConfig):
    """The spring."""

    stiffness: float = Field(gt=0.0)
    """K, [N m/rad or N/m]."""
    rest: float = 0.0
    """s_0, the position in which it is at rest, [rad or m]."""


class ParallelElastic(Reflected):
    """Delivers what is commanded as ``reflected`` does, and a spring acts beside it.

    ``tau + K (s_0 - s+)``, taken at the end of the step as a controller's implicit gains are, so
    that any stiffness is stable (and oscillations faster than the step are damped). No limit of the
    motor cuts it. Its energy is counted as work in the joint. The joints' own damping, if any, is
    theirs.
    """

    name = "parallel_elastic"
    Config = ParallelElasticConfig
    config: ParallelElasticConfig
    passive = True

    def __init__(self, config: ParallelElasticConfig) -> None:
        self.config = config

    def bound(self, drive: Drive) -> Callable[[], None]:
        """Return the springs of all joints of the group."""
        spring = np.array([[self.config.stiffness, self.config.rest]])
        call: Callable[[], None] = bind(kernels.pull_back, table_of(drive.arrays), spring)
        return call
