"""The two Euler schemes."""

from __future__ import annotations

from footfall.api.integrator import OneStep
from footfall.api.plugin import PluginConfig


class SemiImplicitEuler(OneStep):
    """Symplectic Euler: ``v+ = v + dt a(q, v)``, ``q+ = q (+) dt v+``. First order.

    A rigid body in flight is moved by the mean of both velocities: exact on the parabola, second
    order in its rotation, with constant momentum and energy.
    """

    name = "semi_implicit_euler"
    flight_order = 2

    def __init__(self, config: PluginConfig) -> None:
        self.config = config

    @property
    def theta(self) -> float:
        """Positions follow the new velocity."""
        return 1.0


class ExplicitEuler(OneStep):
    """Explicit Euler: ``q+ = q (+) dt v``, ``v+ = v + dt a(q, v)``. First order; gains energy."""

    name = "explicit_euler"

    def __init__(self, config: PluginConfig) -> None:
        self.config = config

    @property
    def theta(self) -> float:
        """Positions follow the old velocity."""
        return 0.0
