"""The impact-model role: what happens to the velocity when points newly touch."""

from __future__ import annotations

from footfall.interfaces.impact import ImpactModel

__all__ = [
    "ImpactModel",
]
