"""The integrator role: how the state moves on; one family for each stepper."""

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
STEP_SIZE = StatePart("step_size", "global")
"""The size that an integrator suggests for its next step, [s]; 0: none yet."""
EVENT_TOLERANCE = 1e-10
"""Width of the interval that an event is located in unless an integrator says otherwise, [s]."""


class Integrator(Plugin):
    """Base of integrators; a stepper takes one family of them."""

    order: ClassVar[int] = 1
    """Order of the error of positions and velocities at the end of a smooth motion."""
    flight_order: ClassVar[int | None] = None
    """The same of a rigid body that nothing touches, where it is another; None: it is not."""


class OneStep(Integrator):
    """A time-stepping scheme: ``q+ = q (+) dt (theta v+ + (1 - theta) v)`` on the manifold.

    The velocity step is ``v+ = v + dt a`` in the mixed (world-aligned) representation. Rigid bodies
    without joints are stepped by their momentum, which is exact whatever theta is. With theta > 0
    bodies in flight are moved by the mean of both velocities, and robots in flight keep their
    momentum.
    """

    by_middle: ClassVar[bool] = False
    """Whether forces and contacts are those of half a step ahead: ``q_mid = q (+) dt/2 v``, ``q+ =
    q_mid (+) dt/2 v+``; theta is then 1/2."""

    @property
    @abstractmethod
    def theta(self) -> float:
        """Weight of the new velocity in the position update, 0 (explicit) to 1 (semi-implicit)."""


@dataclass(frozen=True, slots=True)
class InnerStep:
    """A step that a continuous integrator has made.

    Attributes:
        time: its end, [s].
        x: shape (n,), there.
        rate: shape (n,), ``rates(time, x)``.
        size: suggested for the next step, [s].
        interpolate: gives x at any time within the step, shape (n,), a new array at each call.
    """

    time: float
    x: Floats
    rate: Floats
    size: float
    interpolate: Callable[[float], Floats]


class Continuous(Integrator):
    """Integrates ``dx/dt = rates(t, x)`` step by step; laws of force only.

    x is a plain vector: positions with quaternions, velocities, what laws integrate, and
    quadratures. A quaternion may leave unit length as far as the error of the scheme: the rates
    do not depend on its length. Between two calls an object keeps nothing that a result depends
    on: the size of steps is handed in and out, and lives in the simulation's ``State``.
    """

    state_parts = (STEP_SIZE,)

    @abstractmethod
    def step(
        self, rates: Rates, now: float, x: Floats, rate: Floats, end: float, size: float
    ) -> InnerStep | None:
        """Make one step from ``now``, at most to ``end``; return None if none is good enough.

        Args:
            rates: the derivative. The stepper goes on from the last call's evaluation where that
                was of the x that is returned, and repeats it otherwise.
            now: [s], counted from the start of the tick (a ``time_step`` of the simulation).
            x: shape (n,), at ``now``; not to be changed.
            rate: shape (n,), ``rates(now, x)``; not to be changed.
            end: of the tick, [s].
            size: that the last step suggested, [s]; 0: none yet.
        """

    def prepare(self, controlled: npt.NDArray[np.bool_]) -> None:
        """Learn which entries of x count in the error of a step, shape (n,); called once."""

    @property
    def event_tolerance(self) -> float:
        """Width of the interval that an event is located in, [s]."""
        return EVENT_TOLERANCE
