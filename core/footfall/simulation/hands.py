"""The hands in a running simulation: what is held, and when it is pulled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from footfall.errors import SimulationError
from footfall.simulation.grip import Grip, Springs
from footfall.simulation.stepper import TimeStepping

if TYPE_CHECKING:
    from footfall.simulation.simulator import Simulator

Floats = npt.NDArray[np.float64]


class Hands:
    """Keeps the grips of a simulator and lets them act, one after another."""

    def __init__(self, sim: Simulator) -> None:
        self._sim = sim
        self._grips: list[Grip] = []

    def grab(self, link: str, point: Sequence[float] | Floats, springs: Springs | None) -> Grip:
        """Hold a point of a link; see ``Simulator.grab``.

        Raises:
            SimulationError: if there is no such link, it cannot move, or time is continuous.
        """
        stepper = self._sim.stepper
        if not isinstance(stepper, TimeStepping):
            raise SimulationError("grab: a hand needs time stepping, and time is continuous here")
        ways = stepper.point_mobility(), self._let_go
        grip = Grip(self._sim, link, np.asarray(point, float), springs or Springs(), ways)
        self._hold([*self._grips, grip])
        return grip

    def _let_go(self, grip: Grip) -> None:
        self._hold([held for held in self._grips if held is not grip])

    def _hold(self, grips: list[Grip]) -> None:
        stepper, pushes = self._sim.stepper, self._sim.pushes
        assert isinstance(stepper, TimeStepping)
        self._grips, pushes.held = grips, len(grips)
        self._sim.world.pushes.held[:] = 0
        pushes.idle = not (grips or pushes.scheduled)
        stepper.pull = self._pull if grips else None

    def _pull(self, dt: float) -> None:
        stepper = self._sim.stepper
        assert isinstance(stepper, TimeStepping)
        for number, grip in enumerate(self._grips):
            if number:
                stepper.evaluate_again(dt)
            grip.pull(dt)
