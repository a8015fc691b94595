"""The contact forces that a frame shows: at declared points, and the strongest between bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footfall.typing import Floats

if TYPE_CHECKING:
    from footfall.simulation.simulator import Simulator

MOST = 128
"""Detected contacts that are shown at once."""


def arrow_count(sim: Simulator) -> int:
    """Return how many forces a frame has room for."""
    return sim.world.n_contacts + (MOST if sim.world.collider is not None else 0)


class Arrows:
    """Positions and forces of a frame.

    Attributes:
        position: shape (n, 3), world, [m].
        force: shape (n, 3), world, [N]; of a contact between two bodies that on the second.
    """

    def __init__(self, sim: Simulator) -> None:
        self._sim = sim
        declared = sim.world.candidates
        detects = sim.world.collider is not None
        shape = arrow_count(sim), 3
        self.position = np.zeros(shape) if detects else declared.position
        self.force = np.zeros(shape) if detects else declared.force

    def update(self) -> None:
        """Take over the forces of the last step."""
        collisions = self._sim.stepper.collisions
        if collisions is None:
            return
        declared, detected = self._sim.world.candidates, self._sim.world.detected
        count = collisions.count
        force, position = detected.force[:count], detected.position[:count]
        self.show(declared.position, declared.force, position, force)

    def show(
        self, position: Floats, force: Floats, between_position: Floats, between_force: Floats
    ) -> None:
        """Show forces at declared points, and the strongest of those between bodies."""
        n = len(position)
        self.position[:n], self.force[:n], self.force[n:] = position, force, 0.0
        strongest = np.argsort(-np.square(between_force).sum(axis=1), kind="stable")[:MOST]
        self.position[n : n + len(strongest)] = between_position[strongest]
        self.force[n : n + len(strongest)] = between_force[strongest]
