"""Coefficients of friction and restitution of pairs in contact, in kernels."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner
from footfall.terrain.pair_coefficients import combine


@inner
def pair_restitution(candidates, ground, c):
    """Return the coefficient of restitution of a candidate with the ground, 0 if none is given."""
    return combine(candidates.restitution[c], ground.restitution[c], candidates.pair_restitution[c])


@inner
def pair_friction(candidates, ground, c):
    """Return the friction coefficient of a candidate with the ground."""
    return combine(candidates.friction[c], ground.friction[c], candidates.pair_friction[c])


@inner
def pair_directions(candidates, ground, c):
    """Return the coefficients of a candidate with the ground along its axis and across it."""
    values, other = candidates.directions, ground.friction[c]
    if not math.isnan(candidates.pair_friction[c]):  # the axis is that of the pair
        other = math.nan
    return combine(values[c, 0], other, math.nan), combine(values[c, 1], other, math.nan)


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
