"""Hands that reach into a simulation: the interaction role, and the devices that move them.

An input device says where the hand of a user is, and lets it feel; an interaction finds what hands
touch and acts on it, in live runs too.
"""

from __future__ import annotations

from footfall.interfaces.input_device import HandMode, InputDevice, LiveDevice, Reading
from footfall.interfaces.interaction import HandPlan, Interaction, Reach
from footfall.recording.layout import Variable
from footfall.serving import Allowance, bound_frames
from footfall.simulation.report import ProgressBar

__all__ = [
    "Allowance",
    "HandMode",
    "HandPlan",
    "InputDevice",
    "Interaction",
    "LiveDevice",
    "ProgressBar",
    "Reach",
    "Reading",
    "Variable",
    "bound_frames",
]
