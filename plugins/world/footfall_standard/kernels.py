"""Kernels of the plane, the posture controller and the torque table."""

from __future__ import annotations

from footfall.api.kernels import kernel

EARLY = 1e-9
"""Part of the interval between rows by which a row begins early: times of steps are rounded."""


@kernel
def plane_gap(points, normal, offset, gap, time):
    """Write ``normal . x - offset``, the same at any time."""
    a, b, c = normal[0], normal[1], normal[2]
    for i in range(len(gap)):
        gap[i] = a * points[i, 0] + b * points[i, 1] + c * points[i, 2] - offset


@kernel
def rest(time):
    """Command nothing."""


@kernel
def hold(stiffness, damping, target, torque, to_stiffness, to_damping, to_target, tau, time):
    """Command gains, a target and a constant torque."""
    for i in range(len(target)):
        to_stiffness[i], to_damping[i], to_target[i] = stiffness[i], damping[i], target[i]
        tau[i] = torque[i]


@kernel
def pull(stiffness, damping, target, torque, position, velocity, tau, time):
    """Write the torque ``tau_0 - K (s - target) - D s_dot``."""
    for i in range(len(target)):
        gains = stiffness[i] * (position[i] - target[i]) + damping[i] * velocity[i]
        tau[i] = torque[i] - gains


@kernel
def play_torques(rows, torques, end, linear, tau, time):
    """Write the torques of the current row, or interpolated ones if ``linear``.

    ``rows``: times, shape (n,), [s]; ``torques``: shape (n, m). Before the first row and after the
    end the torques are zero.
    """
    slack = EARLY * (rows[1] - rows[0])
    k, after, none = 0, len(rows), time < rows[0] - slack or time >= end - slack
    while after - k > 1:
        middle = (k + after) // 2
        if rows[middle] <= time + slack:
            k = middle
        else:
            after = middle
    for i in range(len(tau)):
        tau[i] = 0.0 if none else torques[k, i]
    if linear and not none and k + 1 < len(rows):
        part = max(time - rows[k], 0.0) / (rows[k + 1] - rows[k])
        for i in range(len(tau)):
            tau[i] += part * (torques[k + 1, i] - torques[k, i])
