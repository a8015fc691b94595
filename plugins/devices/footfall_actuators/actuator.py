"""Actuators that deliver the commanded torque."""

from __future__ import annotations

from collections.abc import Callable

from footfall.api.device import Actuator, Drive
from footfall.api.plugin import PluginConfig, PluginError


class Reflected(Actuator):
    """Apply the command at once, and add the rotor's inertia I to the joint's.

    With a coupling T, the joints' inertia grows by ``T^-T diag(gear_ratio^2 I) T^-1``. Gyroscopic
    forces of rotors are ignored. Source: Featherstone, Rigid Body Dynamics Algorithms (2008),
    section 9.6.
    """

    name = "reflected"

    def __init__(self, config: PluginConfig) -> None:
        self.config = config

    def start(self, drive: Drive) -> None:
        """Do nothing."""

    def bound(self, drive: Drive) -> Callable[[], None] | None:
        """Return None: the command is delivered unchanged."""
        return None


class Ideal(Reflected):
    """Apply the command at once. The motor has no inertia."""

    name = "ideal"

    def start(self, drive: Drive) -> None:
        """Reject a rotor inertia, which would have no effect.

        Raises:
            PluginError: if a rotor inertia is given.
        """
        if drive.arrays.inertia.any():
            raise PluginError('rotor_inertia has no effect: the actuator is "ideal"')
