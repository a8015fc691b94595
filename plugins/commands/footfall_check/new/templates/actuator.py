"""The actuator ``new_plugin``: from commands of joints to torques of their drives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from pydantic import Field

from footfall.api.device import Actuator, Drive
from footfall.api.plugin import PluginConfig, StatePart


class NewPluginConfig(PluginConfig):
    """Settings: the keys of ``[[bodies.NAME.actuators]]`` beside its joints."""

    time_constant: float = Field(default=0.01, gt=0.0)
    """Time constant T of the lag, [s]."""


class NewPlugin(Actuator):
    """The drive: REPLACE THIS EQUATION BY YOURS.

    ``T tau' + tau = command``: a first-order lag, solved exactly over a step in which the command
    is held. The command, gains included, is evaluated at the state that the step would reach
    without further acceleration.
    """

    name = "new_plugin"
    Config = NewPluginConfig
    state_parts = (StatePart("torque", per="joint"),)

    def __init__(self, config: NewPluginConfig) -> None:
        self.config = config

    def start(self, drive: Drive) -> None:
        """Start without torque."""
        drive.state["torque"][:] = 0.0

    def bound(self, drive: Drive) -> Callable[[], None]:
        """Return the call of each step: commands in, torques out, both in ``drive.arrays``."""
        a, torque = drive.arrays, drive.state["torque"][:, 0]

        def call() -> None:
            i, dt = a.dof, a.dt[0]
            error = a.q[a.coordinate] + dt * a.v[i] - a.target[i]
            rate = a.v[i] - a.target_rate[i]
            command = a.tau[i] - a.stiffness[i] * error - a.rate_gain[i] * rate
            torque[:] = command + np.exp(-dt / self.config.time_constant) * (torque - command)
            a.tau[i] = torque
            a.stiffness[i] = a.rate_gain[i] = 0.0

        return call
