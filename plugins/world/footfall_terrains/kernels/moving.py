"""Gap, normal and velocity of a moving plane."""

from __future__ import annotations

import math
from typing import NamedTuple

from footfall.api.kernels import inner, kernel, opener
from footfall.api.plugin import Floats1, Floats2, Ints1


@kernel
def place_frame(value, rate, pivot, pose, twist):
    """Write pose (12,) and twist (6,) of a frame from position, rotation vector r and rates.

    ``R = 1 + s [r] + c [r]^2`` and the angular velocity is ``w = r' + c r x r' + d r x (r x r')``,
    with ``s = sin a / a``, ``c = (1 - cos a) / a^2``, ``d = (a - sin a) / a^3``, a = |r|; for small
    angles by series with an error below 1e-16. Rotations leave the pivot in place:
    ``p = place + pivot - R pivot``.
    """
    x, y, z = value[3], value[4], value[5]
    a2 = x * x + y * y + z * z
    if a2 < 1e-6:
        s, c, d = 1.0 - a2 / 6.0 * (1.0 - a2 / 20.0), 0.5 - a2 / 24.0, 1.0 / 6.0 - a2 / 120.0
    else:
        a = math.sqrt(a2)
        s, c, d = math.sin(a) / a, (1.0 - math.cos(a)) / a2, (a - math.sin(a)) / (a2 * a)
    pose[0], pose[1], pose[2] = 1.0 - c * (y * y + z * z), s * z + c * x * y, c * x * z - s * y
    pose[3], pose[4], pose[5] = c * x * y - s * z, 1.0 - c * (x * x + z * z), s * x + c * y * z
    pose[6], pose[7], pose[8] = s * y + c * x * z, c * y * z - s * x, 1.0 - c * (x * x + y * y)
    u, v, w = rate[3], rate[4], rate[5]
    e0, e1, e2 = y * w - z * v, z * u - x * w, x * v - y * u
    twist[3] = u + c * e0 + d * (y * e2 - z * e1)
    twist[4] = v + c * e1 + d * (z * e0 - x * e2)
    twist[5] = w + c * e2 + d * (x * e1 - y * e0)
    a0 = -(pose[0] * pivot[0] + pose[3] * pivot[1] + pose[6] * pivot[2])
    a1 = -(pose[1] * pivot[0] + pose[4] * pivot[1] + pose[7] * pivot[2])
    a2 = -(pose[2] * pivot[0] + pose[5] * pivot[1] + pose[8] * pivot[2])
    pose[9], pose[10], pose[11] = (
        value[0] + pivot[0] + a0,
        value[1] + pivot[1] + a1,
        value[2] + pivot[2] + a2,
    )
    twist[0] = rate[0] + twist[4] * a2 - twist[5] * a1
    twist[1] = rate[1] + twist[5] * a0 - twist[3] * a2
    twist[2] = rate[2] + twist[3] * a1 - twist[4] * a0


@kernel
def moved_plane(points, normal, offset, pose, twist, local, gap, out_normal, velocity):
    """Write gap, normal and velocity at points of a plane in the frame ``pose``; see below.

    ``pose`` (12,): rotation R column-major, translation p; ``twist`` (6,): velocity of the frame's
    origin and angular velocity. With y = R' (x - p): gap = normal . y - offset, and the material
    at the foot x_s = x - gap n moves with ``p' + w x (x_s - p)``. ``local`` gets the points y.
    """
    a, b, c = normal[0], normal[1], normal[2]
    n0 = pose[0] * a + pose[3] * b + pose[6] * c
    n1 = pose[1] * a + pose[4] * b + pose[7] * c
    n2 = pose[2] * a + pose[5] * b + pose[8] * c
    for i in range(len(gap)):
        x, y, z = points[i, 0] - pose[9], points[i, 1] - pose[10], points[i, 2] - pose[11]
        for k in range(3):
            local[i, k] = pose[3 * k] * x + pose[3 * k + 1] * y + pose[3 * k + 2] * z
        d = a * local[i, 0] + b * local[i, 1] + c * local[i, 2] - offset
        gap[i] = d
        out_normal[i, 0], out_normal[i, 1], out_normal[i, 2] = n0, n1, n2
        x, y, z = x - d * n0, y - d * n1, z - d * n2
        velocity[i, 0] = twist[0] + twist[4] * z - twist[5] * y
        velocity[i, 1] = twist[1] + twist[5] * x - twist[3] * z
        velocity[i, 2] = twist[2] + twist[3] * y - twist[4] * x


class MotionArrays(NamedTuple):
    """A plane whose frame is at ``time r + A sin(w time + phase)``, with work arrays.

    Attributes:
        rate: shape (6,), r, [m/s and rad/s].
        amplitude: shape (6,), A, [m and rad].
        wave: shape (2,), w [rad/s] and the phase [rad].
        pivot: shape (3,), centre of rotations, [m].
        plane: shape (4,), unit normal and offset [m] in the frame.
        value: shape (6,), scratch: position of the frame; speed: shape (6,), its rate.
        pose: shape (12,), scratch; twist: shape (6,).
        local: shape (n, 3), scratch.
        later: shape (n, 3), points at mid-step.
        later_gap: shape (n,), gap at them; later_normal: shape (n, 3), normal at them.
        link: shape (n,), the link of each point, numbered from 0.
        sums: shape (links, 4), sum of the ground's velocities at a link's points, and their number.
    """

    rate: Floats1
    amplitude: Floats1
    wave: Floats1
    pivot: Floats1
    plane: Floats1
    value: Floats1
    speed: Floats1
    pose: Floats1
    twist: Floats1
    local: Floats2
    later: Floats2
    later_gap: Floats1
    later_normal: Floats2
    link: Ints1
    sums: Floats2


motion = opener(MotionArrays, 0)


@inner
def sample_at(own, points, gap, normal, velocity, time):
    """Call ``place_frame`` and ``moved_plane`` at a time [s]."""
    value, speed = own.value, own.speed
    angle = own.wave[0] * time + own.wave[1]
    sine, cosine = math.sin(angle), own.wave[0] * math.cos(angle)
    for k in range(6):
        value[k] = time * own.rate[k] + sine * own.amplitude[k]
        speed[k] = own.rate[k] + cosine * own.amplitude[k]
    place_frame(value, speed, own.pivot, own.pose, own.twist)
    plane = own.plane
    moved_plane(points, plane, plane[3], own.pose, own.twist, own.local, gap, normal, velocity)


@kernel
def sample_moving(table, points, gap, normal, velocity, time):
    """Compute ``Moving.sample``."""
    sample_at(motion(table), points, gap, normal, velocity, time)


@kernel
def sample_over_step(table, points, gap, normal, velocity, time, dt):
    """Sample at a time; velocities at mid-step, at the points carried there by the ground."""
    own = motion(table)
    link, sums, half = own.link, own.sums, 0.5 * dt
    sample_at(own, points, gap, normal, velocity, time)
    if dt <= 0.0:
        return
    for i in range(len(sums)):
        for k in range(4):
            sums[i, k] = 0.0
    for c in range(len(link)):
        for k in range(3):
            sums[link[c], k] += velocity[c, k]
        sums[link[c], 3] += 1.0
    for c in range(len(link)):
        for k in range(3):
            own.later[c, k] = points[c, k] + half * (sums[link[c], k] / sums[link[c], 3])
    sample_at(own, own.later, own.later_gap, own.later_normal, velocity, time + half)
