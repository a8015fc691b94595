"""The integrator ``new_plugin``: the update of positions from velocities."""

from __future__ import annotations

from footfall.api.plugin import PluginConfig
from footfall.api.world import OneStep


class NewPlugin(OneStep):
    """The scheme: REPLACE THIS EQUATION BY YOURS.

    ``v+ = v + dt a(q, v)``, ``q+ = q (+) dt (theta v+ + (1 - theta) v)`` with theta = 1. First
    order; a rigid body in flight moves with the mean of both velocities, which is second order.
    """

    name = "new_plugin"
    order = 1
    flight_order = 2

    def __init__(self, config: PluginConfig) -> None:
        self.config = config

    @property
    def theta(self) -> float:
        """Weight of the new velocity in the position update, 0 to 1, [-]."""
        return 1.0
