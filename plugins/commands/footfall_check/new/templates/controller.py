"""The controller ``new_plugin``: commands of one body's joints."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from footfall.api.device import Command, Controller, Observation
from footfall.api.engine import TreeModel
from footfall.api.plugin import Floats, PluginConfig


class NewPluginConfig(PluginConfig):
    """Settings: the keys of ``[bodies.NAME.controller]`` in a scene."""

    stiffness: float = Field(default=100.0, ge=0.0)
    """Proportional gain of every joint, [N m/rad or N/m]."""
    damping: float = Field(default=10.0, ge=0.0)
    """Derivative gain of every joint, [N m s/rad or N s/m]."""


class NewPlugin(Controller):
    """The control law: REPLACE THIS EQUATION BY YOURS.

    ``tau = -K (s - s_0) - D s_dot`` with s_0 the posture at the start. Declare values that you keep
    from call to call in ``state_parts``, and find them in ``observation.state``.
    """

    name = "new_plugin"
    Config = NewPluginConfig

    def __init__(self, config: NewPluginConfig) -> None:
        self.config = config

    def setup(self, model: TreeModel, posture: Floats) -> None:
        """Store the joints' indices in positions and velocities, and their initial positions."""
        n = len(posture)
        self._coordinates, self._dofs = slice(model.nq - n, None), slice(model.nv - n, None)
        self._posture = np.array(posture, float)

    def command(self, observation: Observation, command: Command) -> None:
        """Overwrite the torques, shape (n_joints,), [N m or N]."""
        error = observation.q[self._coordinates] - self._posture
        rate = observation.v[self._dofs]
        command.tau[:] = -self.config.stiffness * error - self.config.damping * rate
