"""An actuator with springs along the motors of a coupling: tendons that span several joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np
from pydantic import Field

from footfall.api.device import Drive
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Floats, PluginConfig, PluginError
from footfall_actuators import kernels
from footfall_actuators.actuator import Reflected

Stiffness = Annotated[float, Field(ge=0.0)]


class TendonElasticConfig(PluginConfig):
    """Settings of the springs."""

    stiffness: Stiffness | Annotated[tuple[Stiffness, ...], Field(strict=False)]
    """K: stiffness of the spring of each motor, [N m/rad or N/m]; 0: no spring."""
    rest: float | Annotated[tuple[float, ...], Field(strict=False)] = 0.0
    """l_0: position behind the gear at which each spring is slack, [rad or m]."""


class TendonElastic(Reflected):
    """Apply the command as ``reflected`` does, with springs parallel to the motors.

    The positions behind the gears are ``l = T^-1 s``. The springs add ``T^-T K (l_0 - l+)`` to the
    joint torques. Any stiffness is stable.
    """

    name = "tendon_elastic"
    Config = TendonElasticConfig
    config: TendonElasticConfig
    passive = True

    def __init__(self, config: TendonElasticConfig) -> None:
        self.config = config

    def start(self, drive: Drive) -> None:
        """Check the sizes.

        Raises:
            PluginError: if there is not one number for each motor.
        """
        n = len(drive.joints)
        for key in ("stiffness", "rest"):
            if np.size(getattr(self.config, key)) not in (1, n):
                raise PluginError(f'actuator "tendon_elastic": {key} needs 1 or {n} numbers')

    def motor_stiffness(self, n: int) -> Floats:
        """Return the stiffness of the spring beside each motor, shape (n,)."""
        return np.full(n, self.config.stiffness)

    def bound(self, drive: Drive) -> Callable[[], None]:
        """Return the springs of all motors of the group."""
        n = len(drive.joints)
        springs = np.zeros((n, 2))
        springs[:, 0], springs[:, 1] = self.config.stiffness, self.config.rest
        to_joint = drive.arrays.to_joint if drive.coupled else np.eye(n)
        return bind(kernels.pull_tendons, table_of(drive.arrays), springs, to_joint)
