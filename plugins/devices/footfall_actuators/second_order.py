"""An actuator whose torque follows its command with a transfer function."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from pydantic import Field

from footfall.api.device import Actuator, Drive
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Floats, PluginConfig, StatePart
from footfall_actuators import kernels


class SecondOrderConfig(PluginConfig):
    """Settings of the transfer function."""

    natural_frequency: float = Field(gt=0.0)
    """Natural frequency w_n of the lag, [rad/s]."""
    damping_ratio: float = Field(default=0.7, gt=0.0)
    """Damping ratio zeta, [-]."""


class SecondOrder(Actuator):
    """The torque lags the command: ``tau'' + 2 zeta w_n tau' + w_n^2 tau = w_n^2 command``.

    The equation is solved exactly, with a constant command during a step. The joint gets the mean
    torque of the step, and the rotor's inertia as with ``reflected``. Gains act with the delay of
    the lag, so a large stiffness is unstable.
    """

    name = "second_order"
    Config = SecondOrderConfig
    state_parts = (StatePart("torque", per="joint", width=2),)

    def __init__(self, config: SecondOrderConfig) -> None:
        self.config = config

    def start(self, drive: Drive) -> None:
        """Start with zero torque."""
        drive.state["torque"][:] = 0.0

    def bound(self, drive: Drive) -> Callable[[], None]:
        """Return the step of all joints of the group."""
        step = transition(
            self.config.natural_frequency, self.config.damping_ratio, float(drive.arrays.dt[0])
        )
        own = table_of(kernels.FollowerArrays(drive.state["torque"], step))
        return bind(kernels.follow, table_of(drive.arrays), own)


def transition(frequency: float, damping_ratio: float, dt: float) -> Floats:
    """Return the matrix of one step of the transfer function with a constant command.

    Args:
        frequency: w, [rad/s].
        damping_ratio: zeta, [-].
        dt: length of the step, [s].

    Returns:
        Shape (3, 3): rows torque at the end, rate at the end, mean torque; columns torque, rate and
        command at the start.
    """
    from scipy.linalg import expm

    # The state, its integral and the held command in one linear system.
    A = np.zeros((4, 4))
    A[0, 1] = 1.0
    A[1] = -(frequency**2), -2.0 * damping_ratio * frequency, 0.0, frequency**2
    A[2, 0] = 1.0 / dt
    whole = expm(A * dt)
    return np.ascontiguousarray(whole[:3][:, [0, 1, 3]])
