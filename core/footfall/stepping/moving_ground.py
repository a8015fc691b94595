"""Ask a ground that moves: its velocity over a step."""

from __future__ import annotations

import numpy as np

from footfall.interfaces.terrain import Terrain, TerrainSample
from footfall.typing import Floats
from footfall.world.world import World


class MovingGround:
    """Samples a ground that moves for a step of length dt: gaps of its start, mean velocities.

    The velocity is that of mid-step, and of where the ground has carried the middle of the link's
    contact features by then: a link that sticks follows the ground up to the third order of dt,
    and since all features of a link are shifted alike, a rigid ground asks of it a rigid motion.
    """

    def __init__(self, terrain: Terrain, world: World) -> None:
        self._terrain, self._query, self._sample = terrain, world.candidates.query, world.sample
        self._later = TerrainSample.allocate(world.n_contacts)
        _, self._link, self._count = np.unique(
            world.candidates.link, return_inverse=True, return_counts=True
        )

    def look(self, time: float, dt: float) -> None:
        """Overwrite the world's sample for a step from ``time`` [s]; dt = 0 for an impact."""
        terrain, query, sample = self._terrain, self._query, self._sample
        terrain.sample(time, query, sample)
        if dt > 0.0:
            half = 0.5 * dt
            terrain.sample(time + half, query + half * self._of_links(sample.velocity), self._later)
            sample.velocity[:] = self._later.velocity

    def _of_links(self, velocity: Floats) -> Floats:
        """Return for every feature the mean of its link's features."""
        sums = [np.bincount(self._link, column) for column in velocity.T]
        return (np.stack(sums, axis=1) / self._count[:, None])[self._link]
