"""The input-device role: where the hand of a user is, and what it feels; bounds for its sockets."""

from __future__ import annotations

from footfall.interfaces.input_device import HandMode, InputDevice, LiveDevice, Reading
from footfall.serving.limits import Allowance, bound_frames

__all__ = [
    "Allowance",
    "HandMode",
    "InputDevice",
    "LiveDevice",
    "Reading",
    "bound_frames",
]
