"""The controller role, and the signals of a body that a controller sees."""

from __future__ import annotations

from footfall.interfaces.controller import Command, Controller, Observation
from footfall.interfaces.signals import BodySignals, FrameSignals
from footfall.model.joint_patterns import assign, select

__all__ = [
    "BodySignals",
    "Command",
    "Controller",
    "FrameSignals",
    "Observation",
    "assign",
    "select",
]
