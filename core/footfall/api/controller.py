"""The controller role: torques, and gains that the step may treat implicitly."""

from __future__ import annotations

from footfall.interfaces.controller import Command, Controller, Observation
from footfall.model.joint_patterns import assign, select

__all__ = [
    "Command",
    "Controller",
    "Observation",
    "assign",
    "select",
]
