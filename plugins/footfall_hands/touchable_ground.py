"""The terrain as a ball at a hand meets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.interfaces.terrain import TerrainSample
from footfall.stepping.stepper import TimeStepping
from footfall.typing import Floats
from footfall_hands.met import FIXED, Met

if TYPE_CHECKING:
    from footfall.simulation.simulator import Simulator


class TouchableGround:
    """Asks the terrain for its distance and normal at the middle of a ball.

    The same surface that contact points feel, whatever terrain it is: a plane, steps, a height
    map, a ground that moves.
    """

    def __init__(self, sim: Simulator) -> None:
        """Take the terrain of a simulation."""
        assert isinstance(sim.stepper, TimeStepping)
        self._sim, self._terrain = sim, sim.stepper.terrain
        self._sample = TerrainSample.allocate(1)
        self._terrain.prepare(self._sample)

    def met(self, centre: Floats, radius: float) -> Met | None:
        """Return where the ground meets a ball, None if it does not.

        Args:
            centre: shape (3,), of the ball, world, [m].
            radius: of the ball, [m].
        """
        sample = self._sample
        self._terrain.sample(self._sim.time, centre[None], sample)
        gap, normal = float(sample.gap[0]), sample.normal[0].copy()
        if gap > radius:
            return None
        return Met(FIXED, centre - gap * normal, -normal, gap - radius, sample.velocity[0].copy())
