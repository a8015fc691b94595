"""Steps of actuators that change the command."""

from __future__ import annotations

from typing import NamedTuple

from footfall.api.device import commanded_torque, open_drive, set_torque
from footfall.api.kernels import kernel, opener
from footfall.api.plugin import Floats2


class FollowerArrays(NamedTuple):
    """Arrays of the transfer function.

    Attributes:
        state: shape (n, 2), torque [N m or N] and its rate.
        step: shape (3, 3): rows next torque, next rate, mean torque; columns torque, rate, command.
    """

    state: Floats2
    step: Floats2


class SpringArrays(NamedTuple):
    """Arrays of the series spring.

    Attributes:
        state: shape (n, 4): rotor's angle [rad or m] and speed behind the gear, momentum at the
            start of its implicit step, and 1 once that is set.
        spring: shape (1, 2): stiffness, damping.
    """

    state: Floats2
    spring: Floats2


follower = opener(FollowerArrays, 0)
series = opener(SpringArrays, 0)


@kernel
def follow(drive_table, table):
    """Update torques that follow their commands; commands are held over the step."""
    group, own = open_drive(drive_table), follower(table)
    for k in range(len(group.dof)):
        command = commanded_torque(group, k)
        torque, rate = own.state[k, 0], own.state[k, 1]
        for r in range(2):
            own.state[k, r] = (
                own.step[r, 0] * torque + own.step[r, 1] * rate + own.step[r, 2] * command
            )
        set_torque(
            group, k, own.step[2, 0] * torque + own.step[2, 1] * rate + own.step[2, 2] * command
        )


@kernel
def stretch(drive_table, table):
    """Finish the rotors' last step with the joints' new speeds; start the next."""
    group, own = open_drive(drive_table), series(table)
    dt, K, D = group.dt[0], own.spring[0, 0], own.spring[0, 1]
    for k in range(len(group.dof)):
        i, B = group.dof[k], group.inertia[k]
        s, s_dot = group.q[group.coordinate[k]], group.v[i]
        total = B + dt * (D + group.damping[k]) + dt * dt * K
        if own.state[k, 3] != 0.0:
            own.state[k, 1] = (own.state[k, 2] + (dt * D + dt * dt * K) * s_dot) / total
            own.state[k, 0] += dt * own.state[k, 1]
        stretched = own.state[k, 0] - s
        momentum = B * own.state[k, 1] + dt * commanded_torque(group, k) - dt * K * stretched
        own.state[k, 2], own.state[k, 3] = momentum, 1.0
        set_torque(group, k, K * stretched + (dt * K + D) * momentum / total)
        group.rate_gain[i] = (dt * K + D) * (B + dt * group.damping[k]) / total
        group.target_rate[i] = 0.0


@kernel
def pull_back(drive_table, spring):
    """Add ``K (s_0 - s+)`` to the commands ``tau - k (s+ - target)``.

    The sum is ``tau + K (s_0 - target) - (k + K) (s+ - target)``. The spring, shape (1, 2), is K
    and s_0.
    """
    group = open_drive(drive_table)
    K, rest = spring[0, 0], spring[0, 1]
    for k in range(len(group.dof)):
        i = group.dof[k]
        group.tau[i] += K * (rest - group.target[i])
        group.stiffness[i] += K


@kernel
def pull_tendons(drive_table, springs, to_joint):
    """Add ``T^-T K (l_0 - l)`` to the commands; see ``TendonElastic``.

    Row m of the springs, shape (n, 2), is K and l_0 of motor m; ``to_joint`` is T^-T.
    """
    group = open_drive(drive_table)
    n = len(group.dof)
    for m in range(n):
        length = 0.0
        for k in range(n):
            length += to_joint[k, m] * group.q[group.coordinate[k]]
        for k in range(n):
            group.tau[group.dof[k]] += to_joint[k, m] * springs[m, 0] * (springs[m, 1] - length)
