"""Touch: a hand with a ball at its tip that pushes what it meets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from footfall.roles.input_device import Reading
from footfall.scene.hand_table import HandFields
from footfall.simulation.body_weight import body_weight
from footfall.simulation.drag import LIFTS
from footfall.simulation.hand_memory import HandMemory
from footfall.simulation.tip import Tip

if TYPE_CHECKING:
    from footfall.simulation.simulator import Simulator

Floats = npt.NDArray[np.float64]
DEPTH = 5e-3
"""Depth in which a ball of the default stiffness carries the weight of a body, [m]."""


class Touch:
    """Lets a ball at the hand push the link that it is deepest in."""

    def __init__(self, sim: Simulator) -> None:
        self._sim, self.moment = sim, np.zeros(3)
        self._tip: Tip | None = None

    @property
    def tip(self) -> Tip:
        """The ball; made when it is first asked for."""
        if self._tip is None:
            self._tip = Tip(self._sim, self._sim.hands.mobility)
        return self._tip

    @property
    def link(self) -> int:
        """Global link that is touched, -1: none, -2: an object that never moves."""
        return -1 if self._tip is None else self._tip.link

    @property
    def target(self) -> Floats:
        """Of the ball's deepest point at the end of the step; of its middle if it is free, [m]."""
        return self.tip.target

    @property
    def force(self) -> Floats:
        """On the link, world, [N]."""
        return self.tip.force

    @property
    def position(self) -> Floats:
        """Of the touched point at the start of the step, world, [m]."""
        return self.tip.position

    @property
    def velocity(self) -> Floats:
        """Of the touched point after the step, before contacts act, [m/s]."""
        return self.tip.velocity

    @property
    def mass(self) -> float:
        """Effective mass along the push, [kg]."""
        return self.tip.mass

    @property
    def gains(self) -> tuple[float, float]:
        """Stiffness [N/m] and damping [N s/m] that acted; NaN if the device gave the force."""
        return self.tip.gains

    def release(self) -> None:
        """Touch nothing."""
        if self._tip is not None:
            self._tip.leave(self._tip.target)

    def pull(self, reading: Reading, memory: HandMemory, settings: HandFields, dt: float) -> bool:
        """Let the ball act over a step of length dt [s]; return whether it did."""
        tip, place, speed = self.tip, memory.position, memory.velocity[:3]
        touchable = self._sim.hands.touchable(settings.tip_radius)
        met = touchable.nearest(place, fixed=True)
        if met is None:
            tip.leave(place + dt * speed)
            return False
        weight = body_weight(self._sim.world, met.link)
        limit = settings.force_limit or LIFTS * weight
        tip.look(met)
        if reading.force is not None:
            tip.press(met, _limited(settings.force_scale * reading.force, limit), dt)
        else:
            gains = settings.stiffness or weight / DEPTH, settings.damping_ratio, limit
            deepest = place + settings.tip_radius * met.direction
            tip.push(met, (deepest, speed), gains, dt)
        return True


def _limited(force: Floats, limit: float) -> Floats:
    size = float(np.linalg.norm(force))
    return force * (limit / size) if size > limit else force
