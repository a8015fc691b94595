"""Times as whole numbers of steps."""

from __future__ import annotations

import math

from footfall.errors import SettingError

WHOLE = 1e-6
"""How far from a whole number of steps a period or a delay may be, in steps."""


def whole_ticks(seconds: float, time_step: float, key: str) -> int:
    """Return a time as a number of steps.

    Raises:
        SettingError: if it is no whole number of them; names the nearest that are.
    """
    steps = seconds / time_step
    ticks = round(steps)
    if abs(steps - ticks) > WHOLE or (seconds > 0.0 and ticks == 0):
        around = sorted({math.floor(steps), math.ceil(steps)})
        near = " or ".join(f"{n * time_step:.6g}" for n in around)
        raise SettingError(
            f"{key} {seconds:g} is no whole number of time steps of {time_step:g} s: {near} s is",
            key,
        )
    return ticks


def period_of(rate: float, time_step: float) -> int:
    """Return how many steps pass from one time to the next, at so many a second.

    Raises:
        SettingError: if it is no whole number of them; names the nearest rates that are.
    """
    steps = 1.0 / (rate * time_step)
    ticks = round(steps)
    if abs(steps - ticks) > WHOLE or ticks == 0:
        around = sorted({max(math.floor(steps), 1), max(math.ceil(steps), 1)}, reverse=True)
        near = " or ".join(f"{1.0 / (n * time_step):.9g}" for n in around)
        raise SettingError(
            f"rate {rate:g}: its period is no whole number of time steps of {time_step:g} s: "
            f"{near} Hz is",
            "rate",
        )
    return ticks
