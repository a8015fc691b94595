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
def own_pair(coefficients, a, b, which):
    """Return the pair of bodies of two shapes that has its own coefficient, -1 if none has."""
    body, pair, own = coefficients.body, coefficients.pair, -1
    one, two = body[a], body[b]
    for p in range(len(pair)):
        first, second = pair[p, 0], pair[p, 1]
        meant = (first == one and second == two) or (first == two and second == one)
        if meant and not math.isnan(coefficients.value[p, which]):
            own = p
    return own


@inner
def coefficient(coefficients, a, b, which):
    """Return friction, restitution or a length (0 to 3) of two shapes, 0 if not given."""
    side, p = coefficients.side, own_pair(coefficients, a, b, which)
    own = coefficients.value[p, which] if p >= 0 else math.nan
    return combine(side[a, which], side[b, which], own)
