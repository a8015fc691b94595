"""Take numbers from the user: of the right size, and finite."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.errors import SimulationError
from footfall.typing import Floats


def sized(values: Any, n: int, what: str) -> Floats:
    """Return values as an array of shape (n,).

    Raises:
        SimulationError: if there are not n of them, or one is not finite.
    """
    array = np.asarray(values, float)
    if array.shape != (n,):
        raise SimulationError(f"{what} has shape {array.shape}, expected ({n},)")
    if not np.isfinite(array).all():
        raise SimulationError(f"{what} is not finite")
    return array
