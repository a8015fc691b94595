"""The input device ``new_plugin``: the pose of a hand, and the force on its user."""

from __future__ import annotations

import numpy as np

from footfall.api.plugin import Floats, PluginConfig, Vector3
from footfall.api.viewer import InputDevice, Reading


class NewPluginConfig(PluginConfig):
    """Settings: the keys of ``[hands.NAME.device]`` in a scene."""

    center: Vector3 = (0.0, 0.0, 0.5)
    """Centre of the circle on which the hand moves, world frame, [m]."""


class NewPlugin(InputDevice):
    """The motion of the hand: REPLACE THIS EQUATION BY THE READING OF YOUR DEVICE.

    ``p(t) = center + 0.1 m (cos t, sin t, 0)``. ``read`` and ``feel`` are called once per step and
    must not block. A device that waits needs its own thread, and sets ``live``.
    """

    name = "new_plugin"
    Config = NewPluginConfig
    live = False  # a function of time and settings

    def __init__(self, config: NewPluginConfig) -> None:
        self.config = config

    def read(self, time: float) -> Reading | None:
        """Return the hand's reading at a simulated time [s]; None if nobody holds the device."""
        circle = 0.1 * np.array([np.cos(time), np.sin(time), 0.0])
        return Reading(holds=True, position=np.array(self.config.center) + circle)

    def feel(self, time: float, force: Floats, moment: Floats) -> None:
        """Take force [N] and moment [N m], shape (3,) each, world frame."""
