"""Room for detected contacts: how much their number and their neighbourhood take."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.world.arrays import Detected

SPARE = 1.5
"""What is reserved when room runs out, relative to what is needed."""


class Room(NamedTuple):
    """What detected contacts take in a contact problem.

    Attributes:
        contacts: their number.
        span: dofs that an impulse on their links changes, summed over both sides.
        pairs: pairs of blocks that share a tree, of all blocks, declared ones included.
    """

    contacts: int
    span: int
    pairs: int

    def stretched(self, need: Room) -> Room:
        """Return room with some more than is needed of what there is not enough of."""
        return Room(
            *(
                mine if mine >= other else int(SPARE * other) + 8
                for mine, other in zip(self, need, strict=True)
            )
        )


NO_ROOM = Room(0, 0, 0)


def detected_arrays(room: int) -> Detected:
    """Allocate for so many detected contacts."""
    return Detected(
        link=np.full((room, 2), -1, np.int64),
        position=np.zeros((room, 3)),
        normal=np.zeros((room, 3)),
        gap=np.zeros(room),
        friction=np.zeros(room),
        restitution=np.zeros(room),
        impulse=np.zeros((room, 3)),
        force=np.zeros((room, 3)),
        status=np.zeros(room),
    )
