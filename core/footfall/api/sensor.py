"""The sensor role: what is measured of a body in a step."""

from __future__ import annotations

from footfall.interfaces.sensor import Body, Mount, Sensor, Signal
from footfall.kernels.dynamics.bias_acceleration import link_motion
from footfall.kernels.dynamics.frames import quaternion_of

__all__ = [
    "Body",
    "Mount",
    "Sensor",
    "Signal",
    "link_motion",
    "quaternion_of",
]
