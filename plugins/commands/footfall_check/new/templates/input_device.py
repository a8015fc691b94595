"""The input device ``new_plugin``: where a hand is, and what it feels."""

from __future__ import annotations

import numpy as np

from footfall.api.config import Vector3
from footfall.api.interaction import InputDevice, Reading
from footfall.api.plugin import Floats, PluginConfig


class NewPluginConfig(PluginConfig):
    """Settings: the keys of ``[hands.NAME.device]`` in a scene."""

    center: Vector3 = (0.0, 0.0, 0.5)
    """Of the circle that the hand moves on, world frame, [m]."""


class NewPlugin(InputDevice):
    """A hand that somebody else moves: REPLACE THIS EQUATION BY WHAT YOUR DEVICE SAYS.

    ``p(t) = center + 0.1 m (cos t, sin t, 0)``. ``read`` and ``feel`` are called once a step and
    must not block: a device that waits keeps a thread of its own, and sets ``live``.
    """

    name = "new_plugin"
    Config = NewPluginConfig
    live = False  # a function of time and settings

    def __init__(self, config: NewPluginConfig) -> None:
        self.config = config

    def read(self, time: float) -> Reading | None:
        """Return where the hand is at a simulated time [s]; None: nobody holds the device."""
        circle = 0.1 * np.array([np.cos(time), np.sin(time), 0.0])
        return Reading(holds=True, position=np.array(self.config.center) + circle)

    def feel(self, time: float, force: Floats, moment: Floats) -> None:
        """Take force [N] and moment [N m], shape (3,) each, world frame."""
