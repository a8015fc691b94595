"""The integrator role: advances the state; each stepper takes one family."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from footfall.interfaces.plugin import Plugin, StatePart
from footfall.typing import Floats

Rates = Callable[[float, Floats], Floats]
"""``rates(t, x)``: the time derivative of x at time t [s]; a new array at each call."""
STEP_SIZE = StatePart("step_size", "global", low=0.0)
"""The step size that an integrator suggests next, [s]; 0 if none yet."""
EVENT_TOLERANCE = 1e-10
"""Default width of the interval in which an event is located, [s]."""


class Integrator(Plugin):
    """Base class of integrators; a stepper takes one family of them."""

    order: ClassVar[int] = 1
    """Order of the error of positions and velocities at the end of a smooth motion."""
    flight_order: ClassVar[int | None] = None
    """Order for a rigid body without contact; None if it is equal to ``order``."""


class OneStep(Integrator):
    """A time-stepping scheme: ``q+ = q (+) dt (theta v+ + (1 - theta) v)`` on the manifold.

    The velocity step is ``v+ = v + dt a`` in the mixed (world-aligned) representation. Rigid bodies
    without joints are stepped by their momentum, which is exact for any theta. With theta > 0,
    bodies in flight move by the mean of both velocities, and robots in flight keep their momentum.
    """

    by_middle: ClassVar[bool] = False
    """Whether forces and contacts are evaluated half a step ahead: ``q_mid = q (+) dt/2 v``, ``q+ =
    q_mid (+) dt/2 v+``; theta is then 1/2."""

    @property
    @abstractmethod
    def theta(self) -> float:
        """Weight of the new velocity in the position update, 0 (explicit) to 1 (semi-implicit)."""


@dataclass(frozen=True, slots=True)
class InnerStep:
    """A step made by a continuous integrator.

    Attributes:
        time: its end, [s].
        x: shape (n,), at the end.
        rate: shape (n,), ``rates(time, x)``.
        size: suggested size of the next step, [s].
        interpolate: returns x at any time within the step, shape (n,), a new array at each call.
    """

    time: float
    x: Floats
    rate: Floats
    size: float
    interpolate: Callable[[float], Floats]


class Continuous(Integrator):
    """An integrator of ``dx/dt = rates(t, x)``; for force laws only.

    x is a plain vector: positions with quaternions, velocities, the continuous state of laws, and
    quadratures. A quaternion may leave unit length by the error of the scheme: the rates do not
    depend on its length. Results must not depend on values kept in the object between two calls:
    the step size is passed in and out, and stored in the simulation's ``State``.
    """

    state_parts = (STEP_SIZE,)

    @abstractmethod
    def step(
        self, rates: Rates, now: float, x: Floats, rate: Floats, end: float, size: float
    ) -> InnerStep | None:
        """Make one step from ``now``, at most to ``end``; return None if none is accurate enough.

        Args:
            rates: the derivative. If the last call was at the returned x, the stepper reuses its
                evaluation; otherwise it repeats it.
            now: [s], counted from the start of the tick (a ``time_step`` of the simulation).
            x: shape (n,), at ``now``; do not change it.
            rate: shape (n,), ``rates(now, x)``; do not change it.
            end: end of the tick, [s].
            size: suggestion of the last step, [s]; 0 if none yet.
        """

    def prepare(self, controlled: npt.NDArray[np.bool_]) -> None:
        """Receive the mask of x's entries that count in a step's error, shape (n,); called once."""

    @property
    def event_tolerance(self) -> float:
        """Width of the interval in which an event is located, [s]."""
        return EVENT_TOLERANCE
