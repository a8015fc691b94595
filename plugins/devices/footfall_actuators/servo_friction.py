"""An actuator with the friction of a geared servo: Stribeck's, with load, quadratic."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from footfall.api.device import Drive
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import NonNegative, PluginConfig, Positive
from footfall_actuators import kernels
from footfall_actuators.actuator import Reflected

OfLoad = NonNegative | tuple[NonNegative, NonNegative]


class FrictionConfig(PluginConfig):
    """Settings of the dry friction beyond ``coulomb_friction``; terms left out are zero."""

    load_friction: OfLoad = 0.0
    """K_l: friction per transmitted torque, [-]. Two numbers: K_m (motor side), K_e (load side)."""
    stribeck_friction: NonNegative = 0.0
    """K_cs: friction that fades with speed, [N m or N]."""
    stribeck_load_friction: OfLoad = 0.0
    """K_ls: friction per transmitted torque; it fades with speed, [-]. Two numbers: K_ms, K_es."""
    quadratic_friction: OfLoad = 0.0
    """K_mq and K_eq: friction per square of the smaller torque (motor's or joint's),
    [1/(N m) or 1/N]. It fades with speed. One number sets both."""
    stribeck_speed: Positive = 0.2
    """w_s: speed at which friction fades, [rad/s or m/s]."""
    stribeck_exponent: Positive = 2.0
    """Exponent a of the fading, [-]."""


class ServoFriction(Reflected):
    """Apply the command as ``reflected`` does, with gear friction that depends on speed and load.

        F = K_c + |K_m t_m - K_e t_e| + exp(-|w / w_s|^a) (K_cs + |K_ms t_m - K_es t_e| + Q),
        Q = K_eq t_e^2 if |t_m| > |t_e| else K_mq t_m^2

    F is the largest dry friction. K_c is ``coulomb_friction`` plus the joint's own, t_m the applied
    torque, t_e all other torque on the joint, w the joint's speed. All are taken at the start of
    the step; torques of contacts are those of the last step. The error is of first order in the
    step.

    Source: Duclusaud, Passault, Padois, Ly (2024), models M1 (K_c), M2 (K_cs), M3 (K_l), M4 (K_cs,
    K_l, K_ls), M5 (K_m, K_e, K_ms, K_es), M6 (K_mq, K_eq).
    """

    name = "servo_friction"
    Config: ClassVar[type[PluginConfig]] = FrictionConfig
    config: FrictionConfig
    held_step = True

    def __init__(self, config: FrictionConfig) -> None:
        self.config = config

    @property
    def rubs(self) -> bool:
        """Whether a term of the friction beyond Coulomb's is set."""
        c = self.config
        loads = c.load_friction, c.stribeck_load_friction, c.quadratic_friction
        return bool(c.stribeck_friction or any(np.any(x) for x in loads))

    def rub(self, drive: Drive) -> Callable[[], None] | None:
        """Return the friction of all joints of the group."""
        if not self.rubs:
            return None
        c = self.config
        loads = c.load_friction, c.stribeck_load_friction, c.quadratic_friction
        load = np.array([np.broadcast_to(np.array(x, float), 2) for x in loads])
        fading = np.array([c.stribeck_friction, c.stribeck_speed, c.stribeck_exponent])
        own = table_of(kernels.FrictionArrays(load, fading))
        return bind(kernels.rub_gears, table_of(drive.arrays), own)
