"""The integrator role: advances the state."""

from __future__ import annotations

from footfall.interfaces.integrator import (
    Continuous as Continuous,
    InnerStep as InnerStep,
    Integrator as Integrator,
    OneStep as OneStep,
)
