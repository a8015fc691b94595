"""Friction by direction: an elliptic cone as the circular one of scaled tangential rows.

``(r_1/mu_1)^2 + (r_2/mu_2)^2 <= r_n^2`` with the slip of maximum dissipation is the cone of
``mu = max(mu_1, mu_2)`` in rows ``t_i' = (mu_i/mu) t_i`` along and across the axis: impulses
``r_i = (mu_i/mu) r_i'``, velocities ``u_i' = (mu_i/mu) u_i``. See docs/explanation/exact-cone.md.
Only the problem has these rows; states and sums have those of the contact's tangent basis.
"""

from __future__ import annotations

import math

from footfall.config.friction import DirectionColumn
from footfall.jit.compiling import inner
from footfall.spatial.rotation import turned
from footfall.terrain.pair_coefficients import combine
from footfall_stepper.kernels.contact.coefficients import own_pair

UPRIGHT = 1e-6
"""Sine of the angle between axis and normal below which the axis has no direction, [-]."""


@inner
def is_directed(values, c):
    """Return whether friction of contact c depends on the direction."""
    return len(values) > 0 and not math.isnan(values[c, DirectionColumn.ALONG])


@inner
def scale_rows(values, c, link, pose, along, across, problem, b):
    """Turn and scale the tangential rows of block b, its impulse likewise; set its coefficient.

    An axis along the normal has no direction: the smaller coefficient then holds in all.

    Args:
        values: rows of ``DirectionColumn``.
        c: row of the contact.
        link: the link that carries the axis, -1 for the world.
        pose: poses of all links.
        along: coefficient of the pair along the axis, [-].
        across: coefficient of the pair across it, [-].
        problem: the contact problem, with the contact's tangent basis.
        b: block of the contact.
    """
    at = DirectionColumn.AXIS
    x, y, z = values[c, at], values[c, at + 1], values[c, at + 2]
    if link >= 0:
        x, y, z = turned(pose, link, x, y, z)
    frame, at = problem.frame, DirectionColumn.ROWS
    x, y = (
        frame[b, 0, 0] * x + frame[b, 0, 1] * y + frame[b, 0, 2] * z,
        frame[b, 1, 0] * x + frame[b, 1, 1] * y + frame[b, 1, 2] * z,
    )
    size = math.sqrt(x * x + y * y)
    if size < UPRIGHT:
        x, y, size = 1.0, 0.0, 1.0
        along = across = min(along, across)
    cos, sin = values[c, DirectionColumn.COS] / size, values[c, DirectionColumn.SIN] / size
    if values[c, DirectionColumn.SIDE] == 0.0:  # the normal points out of its body
        sin = -sin
    x, y = cos * x - sin * y, sin * x + cos * y
    problem.mu[b] = mu = max(along, across)
    p, q = (along / mu, across / mu) if mu > 0.0 else (1.0, 1.0)
    values[c, at], values[c, at + 1] = p * x, p * y
    values[c, at + 2], values[c, at + 3] = -q * y, q * x
    r0, r1 = problem.impulse[3 * b], problem.impulse[3 * b + 1]
    problem.impulse[3 * b] = (x * r0 + y * r1) / p if p > 0.0 else 0.0
    problem.impulse[3 * b + 1] = (x * r1 - y * r0) / q if q > 0.0 else 0.0
    for k in range(3):
        f0, f1 = frame[b, 0, k], frame[b, 1, k]
        frame[b, 0, k] = values[c, at] * f0 + values[c, at + 1] * f1
        frame[b, 1, k] = values[c, at + 2] * f0 + values[c, at + 3] * f1


@inner
def impulse_of(values, c, problem, b):
    """Return the impulse of block b in its contact's tangent basis and normal."""
    r0, r1, r2 = problem.impulse[3 * b], problem.impulse[3 * b + 1], problem.impulse[3 * b + 2]
    if is_directed(values, c):
        x, y, at = r0, r1, DirectionColumn.ROWS
        r0 = values[c, at] * x + values[c, at + 2] * y
        r1 = values[c, at + 1] * x + values[c, at + 3] * y
    return r0, r1, r2


@inner
def enter_direction(detected, coefficients, a, b, d):
    """Write the friction by direction of two shapes to a detected contact.

    That of their pair of bodies, else that of the one side that has it, combined with the other's
    coefficient.
    """
    given, at, out = coefficients.directions, DirectionColumn.SIDE, detected.directions
    out[d, DirectionColumn.ALONG] = math.nan
    for number, other, place in ((a, b, 0.0), (b, a, 1.0)):
        if is_directed(given, number):
            for k in range(at):
                out[d, k] = given[number, k]
            for k in range(DirectionColumn.AXIS):
                out[d, k] = combine(given[number, k], coefficients.side[other, 0], math.nan)
            out[d, at] = place
    p, of_pairs = own_pair(coefficients, a, b, 0), coefficients.pair_directions
    if p >= 0:
        for k in range(at):
            out[d, k] = of_pairs[p, k]
        out[d, at] = 1.0 if of_pairs[p, at] == coefficients.body[b] else 0.0
