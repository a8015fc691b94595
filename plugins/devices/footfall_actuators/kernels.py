"""Steps of actuators that change the command."""

from __future__ import annotations

import math
from typing import NamedTuple

from footfall.api.device import commanded_torque, open_drive, set_torque
from footfall.api.kernels import inner, kernel, opener
from footfall.api.plugin import Floats1, Floats2


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


class FrictionArrays(NamedTuple):
    """Settings of the dry friction of geared servos.

    Attributes:
        load: shape (3, 2): rows K_m, K_e; K_ms, K_es; K_mq, K_eq, of ``ServoFriction``.
        stribeck: shape (3,): K_cs, the speed and the exponent of the decay.
    """

    load: Floats2
    stribeck: Floats1


class MotorArrays(NamedTuple):
    """Arrays of a DC motor.

    Attributes:
        motor: shape (5,): greatest voltage, torque constant, resistance, greatest current, delay.
        regulated: shape (1,), 1 if its driver regulates the current, 0 if the voltage.
        line: shape (n, 1 + 3 LINE): number of commands so far; past torques, targets and target
            rates in rings of ``LINE``; shape (n, 0) without a delay.
    """

    motor: Floats1
    regulated: Floats1
    line: Floats2


LINE = 128
"""Commands that a delay may span."""

rubbing = opener(FrictionArrays, 0)
motor_of = opener(MotorArrays, 0)
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


@kernel
def rub_gears(drive_table, table):
    """Set the dry friction of each joint, see ``ServoFriction``."""
    group, own = open_drive(drive_table), rubbing(table)
    for k in range(len(group.dof)):
        drive, load = commanded_torque(group, k), group.load[k]
        moving = abs(group.v[group.dof[k]]) / own.stribeck[1]
        extra = own.stribeck[0] + abs(own.load[1, 0] * drive - own.load[1, 1] * load)
        if abs(drive) > abs(load):
            extra += own.load[2, 1] * load * load
        else:
            extra += own.load[2, 0] * drive * drive
        sliding = group.friction[k] + abs(own.load[0, 0] * drive - own.load[0, 1] * load)
        group.bound[group.row[k]] = sliding + math.exp(-(moving ** own.stribeck[2])) * extra


@inner
def late(line, first, count, ago):
    """Return the entry of a ring ``ago`` steps ago, linear between steps, at most the oldest."""
    ago = min(ago, count - 1.0)
    whole = math.floor(ago)
    newer = line[first + int(count - 1.0 - whole) % LINE]
    older = line[first + int(max(count - 2.0 - whole, 0.0)) % LINE]
    return newer + (ago - whole) * (older - newer)


@inner
def delay_command(group, k, line, steps):
    """Replace torque and targets of joint k by those of ``steps`` steps ago; gains act at once."""
    i, slot = group.dof[k], 1 + int(line[0]) % LINE
    line[slot], line[slot + LINE] = group.tau[i], group.target[i]
    line[slot + 2 * LINE] = group.target_rate[i]
    line[0] += 1.0
    group.tau[i] = late(line, 1, line[0], steps)
    group.target[i] = late(line, 1 + LINE, line[0], steps)
    group.target_rate[i] = late(line, 1 + 2 * LINE, line[0], steps)


@kernel
def turn_motor(drive_table, table):
    """Deliver the torques of DC motors, see ``DCMotor``; the back-EMF acts at the step's end."""
    group, own = open_drive(drive_table), motor_of(table)
    most, constant, resistance, current = own.motor[0], own.motor[1], own.motor[2], own.motor[3]
    brake = constant * constant / resistance
    for k in range(len(group.dof)):
        i = group.dof[k]
        if own.line.shape[1] > 0:
            delay_command(group, k, own.line[k], own.motor[4] / group.dt[0])
        asked, back = commanded_torque(group, k), constant * group.v[i]
        voltage = asked * resistance / constant + own.regulated[0] * back
        held = min(max(voltage, back - resistance * current), back + resistance * current)
        if abs(held) > most:
            set_torque(group, k, math.copysign(most, held) * constant / resistance)
            group.rate_gain[i], group.target_rate[i] = brake, 0.0
        elif held != voltage:
            set_torque(group, k, constant * (held - back) / resistance)
        elif own.regulated[0] == 0.0:
            group.tau[i] += group.rate_gain[i] * group.target_rate[i]
            group.rate_gain[i] += brake
            group.target_rate[i] = 0.0
