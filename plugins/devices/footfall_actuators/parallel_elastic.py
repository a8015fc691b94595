"""An actuator with a spring beside it, between the joint's two links."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from pydantic import Field

from footfall.api.device import Drive
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import PluginConfig
from footfall_actuators import kernels
from footfall_actuators.actuator import Reflected


class ParallelElasticConfig(PluginConfig):
    """Settings of the spring."""

    stiffness: float = Field(gt=0.0)
    """K: stiffness of the spring, [N m/rad or N/m]."""
    rest: float = 0.0
    """Rest position s_0, [rad or m]."""


class ParallelElastic(Reflected):
    """Apply the command as ``reflected`` does, with a spring parallel to the motor.

    The joint gets ``tau + K (s_0 - s+)``. Any stiffness is stable. Oscillations faster than the
    step are damped. The motor's limits do not apply to the spring. The recorded
    ``work`` includes that of the spring.
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
        return bind(kernels.pull_back, table_of(drive.arrays), spring)
