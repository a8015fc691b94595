"""Commands on their way to the joints: held, delayed, and limited to the drives' capability."""

from __future__ import annotations

from enum import IntEnum

from footfall.config.validate import GREATEST
from footfall.jit.compiling import inner, kernel
from footfall.jit.stages import call
from footfall.jit.tables import opener
from footfall.world.arrays import open_dynamics, open_joints, open_topology
from footfall.world.kernels import commanded_torque, open_drive, set_torque
from footfall_stepper.world.step_arrays import HoldArrays


@inner
def cut(torque, speed, limit, free_speed):
    """Return a torque limited by a drive's line from stall torque to no-load speed."""
    top = limit * min(1.0, max(0.0, 1.0 - speed / free_speed))
    bottom = -limit * min(1.0, max(0.0, 1.0 + speed / free_speed))
    return min(max(torque, bottom), top)


@inner
def saturate_single(group):
    """Limit the torque of each joint that has a motor of its own."""
    for k in range(len(group.dof)):
        asked = commanded_torque(group, k)
        given = cut(asked, group.v[group.dof[k]], group.limit[k], group.speed[k])
        if given != asked:
            set_torque(group, k, given)


@inner
def saturate_coupled(group):
    """Limit the torques of motors that move several joints."""
    n, any_cut = len(group.dof), False
    for k in range(n):
        group.torque[k] = commanded_torque(group, k)
    for k in range(n):
        asked, speed = 0.0, 0.0
        for j in range(n):
            asked += group.to_motor[k, j] * group.torque[j]
            speed += group.to_joint[j, k] * group.v[group.dof[j]]
        group.motor_torque[k] = cut(asked, speed, group.limit[k], group.speed[k])
        any_cut = any_cut or group.motor_torque[k] != asked
    if any_cut:
        for k in range(n):
            total = 0.0
            for j in range(n):
                total += group.to_joint[k, j] * group.motor_torque[j]
            set_torque(group, k, total)


@kernel
def saturate(table):
    """Limit a group's commands to the capability of its motors; others stay as they are."""
    group = open_drive(table)
    if len(group.to_motor) > 0:
        saturate_coupled(group)
    else:
        saturate_single(group)


@kernel
def find_loads(world, table):
    """Find the torques on a group's joints besides their motors and friction, ``DriveArrays``."""
    joints, dynamics, group = open_joints(world), open_dynamics(world), open_drive(table)
    for k in range(len(group.dof)):
        i = group.dof[k]
        group.load[k] = joints.external[i] - dynamics.h[i] + group.reaction[k, 0]


@kernel
def keep_reactions(world, table, impulse, dt):
    """Keep the mean torques of constraints over the step, without the joints' own dry friction.

    ``(M + dt D + dt^2 K) (v+ - v_free) / dt``; ``impulse``: shape (joint rows,), in the step.
    """
    topology, joints = open_topology(world), open_joints(world)
    dynamics, group = open_dynamics(world), open_drive(table)
    for k in range(len(group.dof)):
        i, tree = group.dof[k], 0
        while topology.tree_v[tree + 1] <= i:
            tree += 1
        first, end = topology.tree_v[tree], topology.tree_v[tree + 1]
        at = topology.tree_M[tree] + (i - first) * (end - first)
        total = -impulse[group.row[k]]
        for j in range(first, end):
            total += dynamics.M[at + j - first] * (dynamics.v_new[j] - dynamics.v_free[j])
        gains = joints.damping[i] + joints.rate_gain[i] + dt * joints.stiffness[i]
        total += dt * gains * (dynamics.v_new[i] - dynamics.v_free[i])
        group.reaction[k, 0] = total / dt


@kernel
def take_over(tau, stiffness, damping, target, rate, to_tau, to_k, to_d, to_target, to_rate):
    """Copy a command to the arrays of the joints."""
    for i in range(len(tau)):
        to_tau[i], to_k[i], to_d[i] = tau[i], stiffness[i], damping[i]
        to_target[i], to_rate[i] = target[i], rate[i]


class Giving(IntEnum):
    """States of torques given for a step."""

    OVER = 0
    """None act."""
    ACTS = 1
    """They have replaced the commands."""
    REFUSED = 2
    """They are not finite, or beyond ``GREATEST``."""


@kernel
def give(tau, stiffness, damping, kept, giving, dof, given, chosen):
    """Replace the commands of chosen joints by given torques; keep all for ``take_back``.

    Fail, and change nothing, if one is not finite or beyond ``GREATEST``.
    """
    for k in range(len(given)):
        if chosen[k] and not abs(given[k]) <= GREATEST:
            giving[0] = Giving.REFUSED
            return -1
    for i in range(len(tau)):
        kept[0, i], kept[1, i], kept[2, i] = tau[i], stiffness[i], damping[i]
    for k in range(len(dof)):
        if chosen[k]:
            i = dof[k]
            tau[i], stiffness[i], damping[i] = given[k], 0.0, 0.0
    giving[0] = Giving.ACTS
    return 0


@kernel
def take_back(tau, stiffness, damping, kept, giving):
    """Return the commands that ``give`` has replaced."""
    for i in range(len(tau)):
        tau[i], stiffness[i], damping[i] = kept[0, i], kept[1, i], kept[2, i]
    giving[0] = Giving.OVER


hold = opener(HoldArrays, 0)


@inner
def send(held, tick):
    """Store the command given at ``tick`` for later; it replaces one that has arrived."""
    slot = tick // held.timing[0] % len(held.line)
    for i in range(len(held.command)):
        held.line[slot, i] = held.command[i]


@inner
def arrive(held, tick):
    """Apply the command that has arrived by ``tick``; before the first, no torque is commanded.

    It is the last one given at least ``delay`` ticks ago, ``m = (tick - delay) // period``.
    """
    n, since = len(held.tau), tick - held.timing[1]
    if since < 0:
        for k in range(n):
            held.tau[k] = held.stiffness[k] = held.damping[k] = 0.0
        return
    slot = since // held.timing[0] % len(held.line)
    for k in range(n):
        held.tau[k] = held.line[slot, k]
        held.stiffness[k] = held.line[slot, n + k]
        held.damping[k] = held.line[slot, 2 * n + k]
        held.target[k] = held.line[slot, 3 * n + k]
        held.target_rate[k] = held.line[slot, 4 * n + k]


@kernel
def keep_pace(table, now):
    """Call the controller if it is due at tick ``now``; apply the command that has arrived."""
    held, tick = hold(table), int(now)
    if tick % held.timing[0] == 0:
        if call(held.call[0, 0], held.call[0, 1]) != 0:
            return -1
        send(held, tick)
    arrive(held, tick)
    return 0
