"""Embedded Runge-Kutta pairs with an adaptive step: SciPy's solvers, one step at a time."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy.integrate import DOP853, RK45

from footfall.api.advanced import InnerStep
from footfall.api.plugin import Floats, PluginConfig
from footfall.api.world import Continuous
from footfall_integrators.integrator import EVENT_TOLERANCE, Rates

PAIRS: dict[str, tuple[Any, int]] = {"5(4)": (RK45, 4), "8(5,3)": (DOP853, 7)}
"""SciPy's solvers, and the order of the error that controls the step."""


class DormandPrinceConfig(PluginConfig):
    """Settings."""

    pair: Literal["5(4)", "8(5,3)"] = "8(5,3)"
    """Order 5 with an error estimate of order 4 (Dormand and Prince 1980), or order 8 with
    estimates of order 5 and 3 (Hairer, Norsett, Wanner I, II.5)."""
    rtol: float = Field(default=1e-8, ge=1e-13, le=1e-1)
    """Allowed error of a step relative to each entry of the state, [-]."""
    atol: float = Field(default=1e-12, ge=0.0, le=1e-1)
    """Allowed absolute error of a step, [m, rad, m/s, rad/s]. It must be far smaller than the depth
    of compliant contacts (1e-5 to 2e-3 m)."""
    max_step: float | None = Field(default=None, gt=0.0)
    """Longest step, [s]; default and limit: ``simulation.time_step``."""
    event_tolerance: float = Field(default=EVENT_TOLERANCE, gt=0.0)
    """Accuracy of the times of events, [s]."""


class DormandPrince(Continuous):
    """Dormand and Prince's method with adaptive steps.

    The root mean square of ``error / (atol + rtol |x|)`` over the state x stays below 1. The state
    consists of positions, velocities and continuous states of laws.
    """

    name = "dormand_prince"
    Config = DormandPrinceConfig
    order = 5

    def __init__(self, config: DormandPrinceConfig) -> None:
        self.config = config
        self._solver_class, self._error_order = PAIRS[config.pair]
        self._solver: Any = None
        self._atol: float | Floats = config.atol
        self._rates: Rates = _nothing

    @property
    def event_tolerance(self) -> float:
        """Width of the interval in which an event is located, [s]."""
        return self.config.event_tolerance

    def prepare(self, controlled: npt.NDArray[np.bool_]) -> None:
        """Allow any error in entries that are not controlled."""
        self._atol = np.where(controlled, self.config.atol, np.inf)

    def step(
        self, rates: Rates, now: float, x: Floats, rate: Floats, end: float, size: float
    ) -> InnerStep | None:
        """Make one step; return None if even the shortest step exceeds the tolerance."""
        if size <= 0.0:
            size = self._first_size(rates, now, x, rate, end)
        solver = self._solver_at(x)
        self._rates = rates
        solver.t, solver.y, solver.f, solver.t_bound = now, x, rate, end
        solver.h_abs, solver.status = min(size, end - now), "running"
        cut = size > end - now
        # A trial may overflow: its error is then NaN, and a shorter step is tried.
        with np.errstate(over="ignore", invalid="ignore"):
            solver.step()
        if solver.status == "failed":
            return None
        # A step cut short by the end of the tick is no measure for the next one.
        whole = solver.t == end and cut
        suggested = max(size, solver.h_abs) if whole else float(solver.h_abs)
        dense: list[Any] = []

        def interpolate(t: float) -> Floats:
            if not dense:
                dense.append(solver.dense_output())
            return np.asarray(dense[0](t), float)

        return InnerStep(float(solver.t), solver.y, solver.f, suggested, interpolate)

    def _solver_at(self, x: Floats) -> Any:
        """Return SciPy's solver; ``step`` sets its whole state before each step."""
        if self._solver is None:
            longest = self.config.max_step
            self._rates = _nothing
            self._solver = self._solver_class(
                lambda t, y: self._rates(t, y),
                *(0.0, x, 1.0),
                max_step=np.inf if longest is None else longest,
                rtol=self.config.rtol,
                atol=self._atol,
                first_step=1e-3,
            )
        return self._solver

    def _first_size(self, rates: Rates, now: float, x: Floats, rate: Floats, end: float) -> float:
        """Estimate the first step (Hairer, Norsett, Wanner I, section II.4, starting step size)."""
        scale = self._atol + np.abs(x) * self.config.rtol
        d0, d1 = _size(x / scale), _size(rate / scale)
        h0 = min(1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1, end - now)
        d2 = _size((rates(now + h0, x + h0 * rate) - rate) / scale) / h0
        largest = max(d1, d2)
        h1 = max(1e-6, 1e-3 * h0)
        if largest > 1e-15:
            h1 = (0.01 / largest) ** (1.0 / (self._error_order + 1))
        return float(min(100.0 * h0, h1))


def _nothing(t: float, x: Floats) -> Floats:
    """Return zero rates: a new solver evaluates once, which must have no side effect."""
    return np.zeros_like(x)


def _size(x: Floats) -> float:
    return float(np.linalg.norm(x) / np.sqrt(len(x)))
