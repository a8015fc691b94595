"""The classical Runge-Kutta scheme with a fixed step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from pydantic import Field

from footfall.api.advanced import InnerStep
from footfall.api.plugin import Floats, PluginConfig
from footfall.api.world import Continuous

Rates = Callable[[float, Floats], Floats]
"""Function ``rates(t, x)`` that returns the time derivative of x at time t [s]."""
EVENT_TOLERANCE = 1e-10
"""Default width of the interval in which an event is located, [s]."""

SLIVER = 1e-9
"""Rest of a tick that is added to the last step, relative to a step."""


class RungeKutta4Config(PluginConfig):
    """Settings."""

    substeps: int = Field(default=1, ge=1, le=1_000_000)
    """Number of steps per ``simulation.time_step``."""
    event_tolerance: float = Field(default=EVENT_TOLERANCE, gt=0.0)
    """Accuracy of the times of events, [s]."""


class RungeKutta4(Continuous):
    """Classical Runge-Kutta scheme, ``x+ = x + h/6 (k1 + 2 k2 + 2 k3 + k4)``. Fourth order.

    The step length does not depend on the error, so very short contacts can be missed. A step also
    ends at each event.
    """

    name = "rk4"
    Config = RungeKutta4Config
    order = 4

    def __init__(self, config: RungeKutta4Config) -> None:
        self.config = config

    @property
    def event_tolerance(self) -> float:
        """Width of the interval in which an event is located, [s]."""
        return self.config.event_tolerance

    def step(
        self, rates: Rates, now: float, x: Floats, rate: Floats, end: float, size: float
    ) -> InnerStep:
        """Make one step; ``end`` is the length of the tick."""
        h = end / self.config.substeps
        last = end - now <= (1.0 + SLIVER) * h
        h = end - now if last else h
        time = end if last else now + h
        k2 = rates(now + 0.5 * h, x + 0.5 * h * rate)
        k3 = rates(now + 0.5 * h, x + 0.5 * h * k2)
        k4 = rates(time, x + h * k3)
        new = x + h / 6.0 * (rate + 2.0 * (k2 + k3) + k4)
        after = rates(time, new)

        def interpolate(t: float) -> Floats:
            """Interpolate by a cubic Hermite polynomial (Hairer, Norsett, Wanner I, eq. II.6.7)."""
            s = (t - now) / h
            inner = (1.0 - 2.0 * s) * (new - x) + h * ((s - 1.0) * rate + s * after)
            return np.asarray((1.0 - s) * x + s * new + s * (s - 1.0) * inner)

        return InnerStep(time, new, after, size, interpolate)
