"""The two Euler schemes."""

from __future__ import annotations

from footfall.api.plugin import PluginConfig
from footfall.api.world import OneStep


class SemiImplicitEuler(OneStep):
    """Symplectic Euler: ``v+ = v + dt a(q, v)``, ``q+ = q (+) dt v+``. First order.

    Exception: a floating base in flight moves by the mean of its old and new velocity. Its parabola
    is then exact, and its rotation is of second order.
    """

    name = "semi_implicit_euler"
    flight_order = 2
    theta = 1.0
    """Positions follow the new velocity."""

    def __init__(self, config: PluginConfig) -> None:
        self.config = config


class ExplicitEuler(OneStep):
    """Explicit Euler: ``q+ = q (+) dt v``, ``v+ = v + dt a(q, v)``. First order. It adds energy."""

    name = "explicit_euler"
    theta = 0.0
    """Positions follow the old velocity."""

    def __init__(self, config: PluginConfig) -> None:
        self.config = config


class MoreauMidpoint(OneStep):
    """Moreau's midpoint: ``q_m = q (+) dt/2 v``, ``v+ = v + dt a(q_m)``, ``q+ = q_m (+) dt/2 v+``.

    Second order for smooth motion. Contacts, joint limits, joint friction and gains of controllers
    act at the end of the step and are of first order. Each step computes the dynamics twice.
    """

    name = "moreau_midpoint"
    order = 2
    by_middle = True
    theta = 0.5
    """Positions follow the mean."""

    def __init__(self, config: PluginConfig) -> None:
        self.config = config
