"""The two Euler schemes."""

from __future__ import annotations

from footfall.plugin import NoConfig
from footfall.roles.integrator import OneStep


class SemiImplicitEuler(OneStep):
    """Symplectic Euler: ``v+ = v + dt a(q, v)``, ``q+ = q (+) dt v+``. First order.

    In free fall its energy error is ``m g^2 dt / 2`` a second.
    """

    name = "semi_implicit_euler"

    def __init__(self, config: NoConfig) -> None:
        self.config = config

    @property
    def theta(self) -> float:
        """Positions follow the new velocity."""
        return 1.0


class ExplicitEuler(OneStep):
    """Explicit Euler: ``q+ = q (+) dt v``, ``v+ = v + dt a(q, v)``. First order; gains energy."""

    name = "explicit_euler"

    def __init__(self, config: NoConfig) -> None:
        self.config = config

    @property
    def theta(self) -> float:
        """Positions follow the old velocity."""
        return 0.0
