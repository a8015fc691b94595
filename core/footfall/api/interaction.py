"""The interaction role: hands that reach into a simulation, what they find of it, live runs."""

from __future__ import annotations

from footfall.interfaces.interaction import HandPlan, Interaction, Reach
from footfall.recording.layout import Variable
from footfall.simulation.report import ProgressBar

__all__ = [
    "HandPlan",
    "Interaction",
    "ProgressBar",
    "Reach",
    "Variable",
]
