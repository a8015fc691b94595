"""Coefficients of friction and restitution of a pair in contact, combined from its two sides."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner

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


@inner
def pair_restitution(candidates, ground, c):
    """Return the coefficient of restitution of a candidate with the ground, 0 if none is given."""
    return combine(candidates.restitution[c], ground.restitution[c], candidates.pair_restitution[c])


@inner
def pair_friction(candidates, ground, c):
    """Return the friction coefficient of a candidate with the ground."""
    return combine(candidates.friction[c], ground.friction[c], candidates.pair_friction[c])


@inner
def coefficient(coefficients, a, b, which):
    """Return friction, restitution or a length (0 to 3) of two shapes, 0 if not given."""
    side, body, pair = coefficients.side, coefficients.body, coefficients.pair
    one, two, own = body[a], body[b], math.nan
    for p in range(len(pair)):
        first, second, value = pair[p, 0], pair[p, 1], coefficients.value[p, which]
        meant = (first == one and second == two) or (first == two and second == one)
        if meant and not math.isnan(value):
            own = value
    return combine(side[a, which], side[b, which], own)
