"""Coefficients of friction and restitution of a pair in contact, in kernels.

The coefficient of a pair is combined from its two sides. If one side gives none, the other counts;
if both give one, their harmonic mean. Patches of the ground replace the ground's side.
"""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, kernel

STICKS = 1e6
"""Friction above which a contact sticks; values above are clamped."""


@inner
def combine(a, b):
    """Return the pair's coefficient: the given one, or the harmonic mean of both."""
    if math.isnan(a):
        return b
    if math.isnan(b):
        return a
    a, b = min(a, STICKS), min(b, STICKS)
    return 2.0 * a * b / (a + b) if a + b > 0.0 else 0.0


@kernel
def patch_coefficients(points, gap, normal, bounds, values, friction, restitution):
    """Overwrite coefficients of points whose ground position lies in a patch; the last patch wins.

    The ground position of a point is ``x - gap normal``. ``bounds`` (patches, 4) are x from, x to,
    y from, y to; ``values`` (patches, 2) friction and restitution, NaN if a patch gives none.
    """
    for i in range(len(gap)):
        x = points[i, 0] - gap[i] * normal[i, 0]
        y = points[i, 1] - gap[i] * normal[i, 1]
        for p in range(len(bounds)):
            if bounds[p, 0] <= x < bounds[p, 1] and bounds[p, 2] <= y < bounds[p, 3]:
                if not math.isnan(values[p, 0]):
                    friction[i] = values[p, 0]
                if not math.isnan(values[p, 1]):
                    restitution[i] = values[p, 1]
