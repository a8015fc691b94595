"""The sensor role: what is measured of a body in a step."""

from __future__ import annotations

from footfall.interfaces.sensor import Body, Mount, Sensor, Signal
from footfall.kernels.dynamics.bias_acceleration import chain_bias
from footfall.kernels.dynamics.frames import quaternion_of

__all__ = [
    "Body",
    "Mount",
    "Sensor",
    "Signal",
    "chain_bias",
    "quaternion_of",
]
