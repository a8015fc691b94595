"""The integrator role: how the state moves on."""

from __future__ import annotations

from footfall.interfaces.integrator import (
    Continuous as Continuous,
    InnerStep as InnerStep,
    Integrator as Integrator,
    OneStep as OneStep,
)
