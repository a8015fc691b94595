"""What a ball has met."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from footfall.typing import Floats

FIXED = -2
"""Link of objects that never move, and of the ground."""


@dataclass(frozen=True, slots=True)
class Met:
    """What a ball has met.

    Attributes:
        link: global link; ``FIXED``: of what never moves by what it feels.
        point: shape (3,), nearest point of its surface, in the link's frame, [m].
        direction: shape (3,), unit, world, from the ball into the link.
        gap: distance of the surfaces, negative where they penetrate, [m].
        velocity: shape (3,), of a ground that moves, world, [m/s]; links have their own.
    """

    link: int
    point: Floats
    direction: Floats
    gap: float
    velocity: Floats = field(default_factory=lambda: np.zeros(3))
