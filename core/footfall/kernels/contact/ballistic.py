"""When a point that flies freely over a step comes to the surface below it."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner


@inner
def impact_time(gap, speed, free_speed, dt):
    """Return when a point reaches the ground within the step, or 2 dt if it does not.

    Along the ballistic path ``gap + u t + a t^2 / 2 = 0`` with ``a = (u_free - u) / dt``.
    """
    a = 0.5 * (free_speed - speed) / dt
    if gap <= 0.0:
        return 0.0 if speed < 0.0 else 2.0 * dt
    disc = speed * speed - 4.0 * a * gap
    if disc < 0.0:
        return 2.0 * dt
    root = math.sqrt(disc)
    # The smallest positive root, in the form that does not cancel.
    if speed < 0.0:
        return 2.0 * gap / (root - speed)
    if a < 0.0:
        return (-speed - root) / (2.0 * a)
    return 2.0 * dt
