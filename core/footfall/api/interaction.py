"""Hands that act on a simulation: the interaction role, and the devices that move the hands.

An input device reads the position of a user's hand and returns the force on it. An interaction
finds the links that hands touch and acts on them, also in live runs.
"""

from __future__ import annotations

from footfall.interfaces.input_device import (
    Allowance as Allowance,
    HandMode as HandMode,
    InputDevice as InputDevice,
    LiveDevice as LiveDevice,
    Reading as Reading,
    bound_frames as bound_frames,
)
from footfall.interfaces.interaction import (
    HandPlan as HandPlan,
    Interaction as Interaction,
    Reach as Reach,
)
from footfall.recording.layout import Variable as Variable
