"""Coefficients of friction and restitution of a pair in contact, combined from its two sides.

Patches of the ground replace the ground's side.
"""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, kernel

STICKS = 1e6
"""Coefficient of friction above which a contact sticks; values above are clamped, [-]."""


def pair_coefficient(one: float, other: float, own: float) -> float:
    """Return a pair's coefficient: its own, the only side's, or the harmonic mean ``2ab/(a + b)``.

    The rule holds for friction, restitution and the lengths of torsional and rolling friction. It
    is plain Python; kernels call the same code as ``combine``.

    Args:
        one: coefficient of one side, NaN if not given.
        other: coefficient of the other side, NaN if not given.
        own: coefficient given for the pair, which takes precedence; NaN if not given.

    Returns:
        The coefficient, at most ``STICKS``; 0 if none is given.
    """
    if math.isnan(own):
        if math.isnan(one):
            own = other
        elif math.isnan(other):
            own = one
        else:
            one, other = min(one, STICKS), min(other, STICKS)
            own = 2.0 * one * other / (one + other) if one + other > 0.0 else 0.0
    return 0.0 if math.isnan(own) else min(own, STICKS)


combine = inner(pair_coefficient)
"""``pair_coefficient`` for kernels."""


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
