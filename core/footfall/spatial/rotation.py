"""Rotations: quaternions (x, y, z, w), column-major rotation matrices, the exponential map.

A *pose* is a row of 12 numbers: rotation R column-major, then the position p of the origin.
"""

from __future__ import annotations

import math

from footfall.jit.compiling import inner


@inner
def quaternion_to_pose(q, at, pose, link):
    """Write the world pose of a floating base: rotation column-major, then translation.

    ``q[at:at+7]`` is position and unit quaternion x, y, z, w.
    """
    x, y, z, w = q[at + 3], q[at + 4], q[at + 5], q[at + 6]
    pose[link, 0] = 1.0 - 2.0 * (y * y + z * z)
    pose[link, 1] = 2.0 * (x * y + z * w)
    pose[link, 2] = 2.0 * (x * z - y * w)
    pose[link, 3] = 2.0 * (x * y - z * w)
    pose[link, 4] = 1.0 - 2.0 * (x * x + z * z)
    pose[link, 5] = 2.0 * (y * z + x * w)
    pose[link, 6] = 2.0 * (x * z + y * w)
    pose[link, 7] = 2.0 * (y * z - x * w)
    pose[link, 8] = 1.0 - 2.0 * (x * x + y * y)
    pose[link, 9] = q[at]
    pose[link, 10] = q[at + 1]
    pose[link, 11] = q[at + 2]


@inner
def exponential(wx, wy, wz):
    """Return the unit quaternion exp(w/2) of a rotation vector w, [rad].

    ``(sin(|w|/2) w/|w|, cos(|w|/2))``; below 0.1 rad by the series in ``|w|^2/4``, exact in double:
    the first terms left out are ``(|w|/2)^10 / 11!`` and ``(|w|/2)^10 / 10!``, below 1e-19.
    """
    square = wx * wx + wy * wy + wz * wz
    if square < 1e-2:
        x = 0.25 * square
        s = 0.5 - x * (1 / 12 - x * (1 / 240 - x * (1 / 10080 - x * (1 / 725760))))
        c = 1.0 - x * (1 / 2 - x * (1 / 24 - x * (1 / 720 - x * (1 / 40320))))
    else:
        angle = math.sqrt(square)
        s = math.sin(0.5 * angle) / angle
        c = math.cos(0.5 * angle)
    return s * wx, s * wy, s * wz, c


@inner
def cross(a0, a1, a2, b0, b1, b2):
    """Return a x b."""
    return a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0


@inner
def turned(pose, i, x, y, z):
    """Return ``R (x, y, z)`` of the i-th pose: from its axes to the world's."""
    return (
        pose[i, 0] * x + pose[i, 3] * y + pose[i, 6] * z,
        pose[i, 1] * x + pose[i, 4] * y + pose[i, 7] * z,
        pose[i, 2] * x + pose[i, 5] * y + pose[i, 8] * z,
    )


@inner
def turned_back(pose, i, x, y, z):
    """Return ``R' (x, y, z)`` of the i-th pose: from the world's axes to its own."""
    return (
        pose[i, 0] * x + pose[i, 1] * y + pose[i, 2] * z,
        pose[i, 3] * x + pose[i, 4] * y + pose[i, 5] * z,
        pose[i, 6] * x + pose[i, 7] * y + pose[i, 8] * z,
    )


@inner
def placed(pose, i, x, y, z):
    """Return ``R (x, y, z) + p`` of the i-th pose: its point in the world."""
    x, y, z = turned(pose, i, x, y, z)
    return x + pose[i, 9], y + pose[i, 10], z + pose[i, 11]


@inner
def times(A, i, x, y, z):
    """Return the product of the i-th 3 x 3 matrix of an array with a vector."""
    return (
        A[i, 0, 0] * x + A[i, 0, 1] * y + A[i, 0, 2] * z,
        A[i, 1, 0] * x + A[i, 1, 1] * y + A[i, 1, 2] * z,
        A[i, 2, 0] * x + A[i, 2, 1] * y + A[i, 2, 2] * z,
    )


@inner
def transposed_times(A, i, x, y, z):
    """Return the product of the i-th 3 x 3 matrix of an array, transposed, with a vector."""
    return (
        A[i, 0, 0] * x + A[i, 1, 0] * y + A[i, 2, 0] * z,
        A[i, 0, 1] * x + A[i, 1, 1] * y + A[i, 2, 1] * z,
        A[i, 0, 2] * x + A[i, 1, 2] * y + A[i, 2, 2] * z,
    )


@inner
def velocity_at(V, i, x, y, z):
    """Return the velocity ``v + w x (x, y, z)`` of the i-th twist (v at the world's origin, w)."""
    return (
        V[i, 0] + V[i, 4] * z - V[i, 5] * y,
        V[i, 1] + V[i, 5] * x - V[i, 3] * z,
        V[i, 2] + V[i, 3] * y - V[i, 4] * x,
    )


@inner
def rotate_back(x, y, z, w, a, b, c):
    """Return R(quaternion)' (a, b, c)."""
    # v - 2 w (u x v) + 2 u x (u x v), with u = (x, y, z)
    tx, ty, tz = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return (
        a - w * tx + (y * tz - z * ty),
        b - w * ty + (z * tx - x * tz),
        c - w * tz + (x * ty - y * tx),
    )


@inner
def turn_quaternion(q, at, ex, ey, ez, ew):
    """Multiply the unit quaternion ``q[at:at+4]`` by another from the right."""
    x, y, z, w = q[at], q[at + 1], q[at + 2], q[at + 3]
    a = w * ex + x * ew + y * ez - z * ey
    b = w * ey - x * ez + y * ew + z * ex
    c = w * ez + x * ey - y * ex + z * ew
    d = w * ew - x * ex - y * ey - z * ez
    s = 1.0 / math.sqrt(a * a + b * b + c * c + d * d)
    q[at], q[at + 1], q[at + 2], q[at + 3] = s * a, s * b, s * c, s * d


@inner
def tangent_basis(normal, i, frame, k):
    """Write the contact frame (rows tangent, tangent, normal) of ``normal[i]`` to ``frame[k]``.

    The basis is a deterministic function of the normal (Duff et al., Building an Orthonormal
    Basis, Revisited, JCGT 2017, eq. 4), continuous except at n = -z; for n = +z it is x, y, z.
    """
    x, y, z = normal[i, 0], normal[i, 1], normal[i, 2]
    sign = 1.0 if z >= 0.0 else -1.0
    a = -1.0 / (sign + z)
    b = x * y * a
    frame[k, 0, 0], frame[k, 0, 1], frame[k, 0, 2] = 1.0 + sign * x * x * a, sign * b, -sign * x
    frame[k, 1, 0], frame[k, 1, 1], frame[k, 1, 2] = b, sign + y * y * a, -y
    frame[k, 2, 0], frame[k, 2, 1], frame[k, 2, 2] = x, y, z


@inner
def quaternion_of(a, b, c, d, e, f, g, h, k):
    """Return the unit quaternion x, y, z, w of a rotation given by its columns.

    Computed from the largest of its four squares (Shepperd 1978), so that no small number is a
    divisor.
    """
    trace = a + e + k
    if trace >= max(a, e, k):
        s = math.sqrt(1.0 + trace)
        x, y, z, w = (f - h) / s, (g - c) / s, (b - d) / s, s
    elif a >= e and a >= k:
        s = math.sqrt(1.0 + a - e - k)
        x, y, z, w = s, (b + d) / s, (g + c) / s, (f - h) / s
    elif e >= k:
        s = math.sqrt(1.0 - a + e - k)
        x, y, z, w = (b + d) / s, s, (f + h) / s, (g - c) / s
    else:
        s = math.sqrt(1.0 - a - e + k)
        x, y, z, w = (g + c) / s, (f + h) / s, s, (b - d) / s
    return 0.5 * x, 0.5 * y, 0.5 * z, 0.5 * w
