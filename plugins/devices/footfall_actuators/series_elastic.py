"""An actuator with a spring between its rotor and the joint."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from pydantic import Field

from footfall.api.device import Actuator, Drive
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import PluginConfig, PluginError, StatePart
from footfall_actuators import kernels


class SeriesElasticConfig(PluginConfig):
    """Settings of the spring, behind the gear."""

    stiffness: float = Field(gt=0.0)
    """K: stiffness of the spring, [N m/rad or N/m]."""
    damping: float = Field(default=0.0, ge=0.0)
    """D: damping parallel to the spring, [N m s/rad or N s/m]."""


class SeriesElastic(Actuator):
    """A motor with a rotor drives the joint through a spring.

    The rotor obeys ``B w' = command - K (theta - s) - D (w - s_dot) - b w``, with its inertia B
    behind the gear and its viscous friction b. The joint gets ``K (theta - s) + D (w - s_dot)``.
    Implicit Euler solves rotor and joint together, so any stiffness and inertia are stable.
    Oscillations faster than the step are damped.

    Source: Pratt and Williamson, Series elastic actuators (1995).
    """

    name = "series_elastic"
    Config = SeriesElasticConfig
    reflects = False
    held_step = True
    state_parts = (StatePart("rotor", per="joint", width=4),)

    def __init__(self, config: SeriesElasticConfig) -> None:
        self.config = config

    def start(self, drive: Drive) -> None:
        """Start with springs at rest and rotors that move with their joints.

        Raises:
            PluginError: if there is no rotor inertia, or motors and joints are coupled.
        """
        if drive.coupled:
            raise PluginError('actuator "series_elastic" takes no coupling')
        if not (drive.arrays.inertia > 0.0).all():
            raise PluginError('actuator "series_elastic" needs a rotor_inertia')
        rotor = drive.state["rotor"]
        rotor[:, 0] = drive.arrays.q[drive.arrays.coordinate]
        rotor[:, 1] = drive.arrays.v[drive.arrays.dof]
        rotor[:, 2:] = 0.0

    def bound(self, drive: Drive) -> Callable[[], None]:
        """Return the step of all joints of the group."""
        spring = np.array([[self.config.stiffness, self.config.damping]])
        own = table_of(kernels.SpringArrays(drive.state["rotor"], spring))
        return bind(kernels.stretch, table_of(drive.arrays), own)
