"""Keys of contacts: which geometries touch, and with which feature of the pair.

Warm starts, contact state and recordings belong to a key, not to a position in an array. Declared
points have their keys from the start; detected ones get theirs from the pair that touches.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.world.arrays import Detected

BITS = 21
"""Bits of each of the three numbers; with three of them the key stays a positive int64."""
ENVIRONMENT = 0
"""The geometry that stands for the terrain."""


def contact_key(a: int, b: int, feature: int) -> int:
    """Pack geometry a (the ground's side), geometry b and a feature number into one int64.

    Raises:
        ValueError: if a number is negative or does not fit 21 bits.
    """
    for number in (a, b, feature):
        if not 0 <= number < 1 << BITS:
            raise ValueError(f"contact key ({a}, {b}, {feature}): each must be in [0, 2^{BITS})")
    return (a << (2 * BITS)) | (b << BITS) | feature


def unpack_key(key: int) -> tuple[int, int, int]:
    """Return geometry a, geometry b and feature of a key."""
    mask = (1 << BITS) - 1
    return key >> (2 * BITS), (key >> BITS) & mask, key & mask


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
