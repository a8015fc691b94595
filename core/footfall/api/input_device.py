"""The input-device role: where the hand of a user is, and what it feels."""

from __future__ import annotations

from footfall.interfaces.input_device import HandMode, InputDevice, LiveDevice, Reading

__all__ = [
    "HandMode",
    "InputDevice",
    "LiveDevice",
    "Reading",
]
