"""What of a body can touch the ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ContactFeature:
    """A point, sphere or rim fixed to a link.

    Attributes:
        name: unique within the body, e.g. ``l_sole/0``.
        link: index of the link in the body's ``TreeModel``.
        kind: ``point``; ``sphere``; or ``rim``, a circle about ``axis``.
        position: shape (3,), point or centre in the link frame, [m].
        axis: shape (3,), unit normal of a rim's plane, link frame.
        radius: of a sphere or rim, [m].
        friction: the body's side of the pair's coefficient, NaN if none is given.
        restitution: likewise.
    """

    name: str
    link: int
    kind: Literal["point", "sphere", "rim"]
    position: Floats
    axis: Floats
    radius: float = 0.0
    friction: float = float("nan")
    restitution: float = float("nan")
