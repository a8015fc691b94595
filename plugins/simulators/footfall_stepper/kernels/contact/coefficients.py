"""Coefficients of friction and restitution of a pair in contact, combined from its two sides.

If one side gives a value, it is used; if both do, their harmonic mean. A value given for the
pair takes precedence.
"""

from __future__ import annotations

import math

from footfall.jit.compiling import inner
from footfall.terrain.pair_coefficients import STICKS, combine


@inner
def pair_restitution(candidates, ground, c):
    """Return the coefficient of restitution of a candidate with the ground, 0 if none is given."""
    e = candidates.pair_restitution[c]
    if math.isnan(e):
        e = combine(candidates.restitution[c], ground.restitution[c])
    return 0.0 if math.isnan(e) else e


@inner
def pair_friction(candidates, ground, c):
    """Return the friction coefficient of a candidate with the ground."""
    mu = candidates.pair_friction[c]
    if math.isnan(mu):
        mu = combine(candidates.friction[c], ground.friction[c])
    return 0.0 if math.isnan(mu) else min(mu, STICKS)


@inner
def coefficient(coefficients, a, b, which):
    """Return friction, restitution or a length (0 to 3) of two shapes, 0 if not given.

    If one side gives a value, it is used; if both do, their harmonic mean. The pair's own value
    takes precedence.
    """
    side, body, pair = coefficients.side, coefficients.body, coefficients.pair
    found = combine(side[a, which], side[b, which])
    one, two = body[a], body[b]
    for p in range(len(pair)):
        a, b, value = pair[p, 0], pair[p, 1], coefficients.value[p, which]
        meant = (a == one and b == two) or (a == two and b == one)
        if meant and not math.isnan(value):
            found = value
    return 0.0 if math.isnan(found) else min(found, STICKS)
