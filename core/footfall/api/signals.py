"""Dynamics and kinematics of a body at one instant, evaluated when asked for."""

from __future__ import annotations

from footfall.interfaces.signals import BodySignals, FrameSignals

__all__ = [
    "BodySignals",
    "FrameSignals",
]
