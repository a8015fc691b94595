"""A plane's gaps, a posture's commands."""

from __future__ import annotations

from footfall.api.kernels import kernel


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
def hold(stiffness, damping, target, to_stiffness, to_damping, to_target, time):
    """Command gains and a target."""
    for i in range(len(target)):
        to_stiffness[i], to_damping[i], to_target[i] = stiffness[i], damping[i], target[i]


@kernel
def pull(stiffness, damping, target, position, velocity, tau, time):
    """Write the torque ``-K (s - target) - D s_dot``."""
    for i in range(len(target)):
        tau[i] = -stiffness[i] * (position[i] - target[i]) - damping[i] * velocity[i]
