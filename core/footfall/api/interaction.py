"""Hands that reach into a simulation: the interaction role, and the devices that move them.

An input device says where the hand of a user is, and lets it feel; an interaction finds what hands
touch and acts on it, in live runs too.
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
