"""The actuator role: from what is commanded of joints to what their drives deliver."""

from __future__ import annotations

from footfall.interfaces.actuator import Actuator, Drive
from footfall.kernels.joints.drives import demanded, drive, give

__all__ = [
    "Actuator",
    "Drive",
    "demanded",
    "drive",
    "give",
]
