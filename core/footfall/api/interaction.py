"""The interaction role: hands that reach into a simulation, what they find of it, live runs."""

from __future__ import annotations

from footfall.interfaces.interaction import FIXED, HandPlan, Interaction, Reach
from footfall.recording.layout import Layout, Variable
from footfall.simulation.report import ProgressBar
from footfall.simulation.run import ENDLESS

__all__ = [
    "ENDLESS",
    "FIXED",
    "HandPlan",
    "Interaction",
    "Layout",
    "ProgressBar",
    "Reach",
    "Variable",
]
