"""The integrator role: how the state moves on."""

from __future__ import annotations

from footfall.interfaces.integrator import (
    EVENT_TOLERANCE,
    Continuous,
    InnerStep,
    Integrator,
    OneStep,
    Rates,
)

__all__ = [
    "EVENT_TOLERANCE",
    "Continuous",
    "InnerStep",
    "Integrator",
    "OneStep",
    "Rates",
]
