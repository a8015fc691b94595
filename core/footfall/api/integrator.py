"""The integrator role: how the state moves on."""

from __future__ import annotations

from footfall.interfaces.integrator import (
    Continuous,
    InnerStep,
    Integrator,
    OneStep,
    Rates,
)

__all__ = [
    "Continuous",
    "InnerStep",
    "Integrator",
    "OneStep",
    "Rates",
]
