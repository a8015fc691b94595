"""Predicted motion of points of links: a screw, carried by a base that flies and turns."""

from __future__ import annotations

import math
from enum import IntEnum

from footfall.jit.compiling import inner, kernel
from footfall.spatial.rotation import cross


class MotionRow(IntEnum):
    """Rows of a motion, shape (7, 3): ``x -> base(screw(x))``, in the world's axes.

    Both are ``x -> c + v t + a t^2 / 2 + exp(w t) (x - c)``; the screw has no acceleration a.
    """

    BASE_TURN = 0
    """Angular velocity w of the base, [rad/s]."""
    BASE_CENTRE = 1
    """Its centre c at the start, [m]."""
    BASE_VELOCITY = 2
    """Velocity v of the centre at the start, [m/s]."""
    BASE_ACCELERATION = 3
    """Acceleration a of the centre, [m/s^2]."""
    TURN = 4
    """Angular velocity of the screw, relative to the base, [rad/s]."""
    CENTRE = 5
    """A point of its axis, [m]."""
    VELOCITY = 6
    """Velocity of that point, [m/s]."""


@inner
def turned_about(m, row, t, x, y, z):
    """Return ``exp(w t) (x, y, z)`` for the angular velocity in a row."""
    a, b, c = m[row, 0], m[row, 1], m[row, 2]
    rate = math.sqrt(a * a + b * b + c * c)
    if rate * abs(t) < 1e-12:
        return x, y, z
    a, b, c = a / rate, b / rate, c / rate
    u, v, w = cross(a, b, c, x, y, z)
    sin, cos = math.sin(rate * t), math.cos(rate * t)
    along = (1.0 - cos) * (a * x + b * y + c * z)
    return (
        cos * x + sin * u + along * a,
        cos * y + sin * v + along * b,
        cos * z + sin * w + along * c,
    )


@inner
def middle(m, t, k):
    """Return coordinate k of the base's centre at time t."""
    half = 0.5 * t * t * m[MotionRow.BASE_ACCELERATION, k]
    return m[MotionRow.BASE_CENTRE, k] + m[MotionRow.BASE_VELOCITY, k] * t + half


@kernel
def displace(motions, points, t, out):
    """Write where points are at time t; motions: shape (n, 7, 3), points: shape (n, 3)."""
    for i in range(len(points)):
        m, o, c = motions[i], MotionRow.CENTRE, MotionRow.BASE_CENTRE
        x, y, z = points[i, 0] - m[o, 0], points[i, 1] - m[o, 1], points[i, 2] - m[o, 2]
        x, y, z = turned_about(m, MotionRow.TURN, t, x, y, z)
        x += m[o, 0] + m[MotionRow.VELOCITY, 0] * t - m[c, 0]
        y += m[o, 1] + m[MotionRow.VELOCITY, 1] * t - m[c, 1]
        z += m[o, 2] + m[MotionRow.VELOCITY, 2] * t - m[c, 2]
        x, y, z = turned_about(m, MotionRow.BASE_TURN, t, x, y, z)
        out[i, 0], out[i, 1], out[i, 2] = (
            x + middle(m, t, 0),
            y + middle(m, t, 1),
            z + middle(m, t, 2),
        )
