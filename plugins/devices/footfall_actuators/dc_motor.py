"""A DC motor: its torque falls with speed, within limits of voltage and current."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from pydantic import Field

from footfall.api.device import Drive
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import NonNegative, PluginError, Positive, StatePart
from footfall_actuators import kernels
from footfall_actuators.servo_friction import FrictionConfig, ServoFriction


class DCMotorConfig(FrictionConfig):
    """Settings of the motor, behind its gear, and of the gear's friction."""

    voltage: Positive
    """Largest voltage V, [V]."""
    torque_constant: Positive
    """k: torque per current [N m/A or N/A], and back-EMF per speed [V s/rad or V s/m], both behind
    the gear."""
    resistance: Positive
    """R: resistance of the windings, [ohm]."""
    current_limit: Positive = Field(default=1e9)
    """Largest current, [A]."""
    control: Literal["voltage", "current"] = "voltage"
    """``voltage`` [name]: the command sets the voltage; the back-EMF brakes. ``current``: the
    torque equals the command, within the limits."""
    delay: NonNegative = 0.0
    """Time from a command to its effect, [s]. Targets and torques
    are delayed; gains act on the present position and velocity."""


class DCMotor(ServoFriction):
    """A DC motor without inductance: ``tau = k i``, ``R i = u - k w``, ``|u| <= V``.

    The driver sets the voltage u for the command tau_c: ``u = R tau_c / k`` (control ``voltage``)
    or ``u = R tau_c / k + k w`` (control ``current``). It limits the current first, then the
    voltage. Above the no-load speed ``V / k`` the current may exceed its limit. The back-EMF ``k
    w`` acts at the end of the step, so any motor is stable. Friction is that of
    ``servo_friction``.

    Sources: Duclusaud et al. (2024), section II; Chapman, Electric machinery fundamentals, ch. 8.
    """

    name = "dc_motor"
    Config = DCMotorConfig
    config: DCMotorConfig

    def __init__(self, config: DCMotorConfig) -> None:
        self.config = config
        if config.delay:
            self.state_parts = (StatePart("line", per="joint", width=1 + 3 * kernels.LINE),)

    def start(self, drive: Drive) -> None:
        """Start without past commands: the first one acts until another has arrived.

        Raises:
            PluginError: if motors and joints are coupled, or the delay is too many steps.
        """
        if drive.coupled:
            raise PluginError('actuator "dc_motor" takes no coupling')
        if self.config.delay > (kernels.LINE - 2) * drive.arrays.dt[0]:
            longest = (kernels.LINE - 2) * float(drive.arrays.dt[0])
            raise PluginError(f"delay must be at most {longest:g} s with this time step")
        if self.config.delay:
            drive.state["line"][:] = 0.0

    def bound(self, drive: Drive) -> Callable[[], None]:
        """Return the step of all motors of the group."""
        c = self.config
        motor = c.voltage, c.torque_constant, c.resistance, c.current_limit, c.delay
        line = drive.state.get("line", np.zeros((len(drive.joints), 0)))
        own = kernels.MotorArrays(np.array(motor), np.array([float(c.control == "current")]), line)
        return bind(kernels.turn_motor, table_of(drive.arrays), table_of(own))
