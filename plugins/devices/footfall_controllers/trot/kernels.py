"""The trot as a kernel: the clock, the course of the trunk, the forces of standing feet, steps."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple

from footfall.api.advanced import solve_dense
from footfall.api.kernels import inner, kernel, opener, routine
from footfall.api.plugin import Floats1, Floats2, Floats3, Ints1

BASE = 6
"""Number of velocities of a floating base."""
JOINTS = 3
"""Number of joints of a leg: one per coordinate of the foot's position."""
STANDS = -1.0
"""Progress of the step of a leg that stands."""
SINGULAR = 1e-4
"""Damping of the inverse of a leg's Jacobian for a nearly straight knee, [m^2]."""
FLAT = 1e-6
"""Regularization of squared distances of the feet, [m^2]: no slope across a line of feet."""
ARM = 0.1
"""Length that converts errors of moments to forces, [m]."""
WEIGHT = (0.3, 0.3, 1.0, 1.0 / ARM, 1.0 / ARM, 0.2 / ARM)
"""Weights of wrench errors if two feet cannot give all: attitude before drift and turning."""
SMALL = 1e-6
"""Weight of the forces themselves, to choose among equally good sets, [-]."""


class Setting(IntEnum):
    """Places in ``TrotArrays.setting``: numbers of ``TrotConfig``, by name and in its units."""

    START = 0
    PERIOD = 1
    DUTY = 2
    STEP_HEIGHT = 3
    HEIGHT = 4
    TURN_RATE = 5
    HEADING = 6
    HOMING = 7
    HOMING_LIMIT = 8
    PLACEMENT = 9
    REACH = 10
    TRUNK_FREQUENCY = 11
    TRUNK_DAMPING = 12
    VELOCITY_GAIN = 13
    FRICTION = 14
    SWING_STIFFNESS = 15
    SWING_DAMPING = 16
    STANCE_DAMPING = 17


class TrotArrays(NamedTuple):
    """Arrays of a trotting body of n legs.

    Attributes:
        setting: shape (18,), by ``Setting``; velocity, home: shape (2,), see ``TrotConfig``.
        phase: shape (n,), start of each leg's step in the cycle; place: shape (n, 2), [m].
        dof: shape (n,), first of a leg's three velocities; foot: shape (n,), number of its foot.
        arm: shape (n, 3), centre of the foot's contacts in its frame, [m].
        base_pose, nu, mass_matrix, bias_force, foot_poses, foot_jacobians: see ``BodySignals``.
        joint_positions: shape (joints,).
        footing: shape (n, 3), last standing position of each foot, [m]: the controller's state.
        progress: shape (n,), of each leg's step, from 0 to 1, or ``STANDS``.
        position: shape (n, 3), centres of the feet's contacts, world, [m].
        offset: shape (n, 3), the same from the feet's frames, world axes, [m].
        acceleration, wrench: shape (6,), targets of the trunk.
        arms, force: shape (n, 3), of standing feet, from the trunk's origin [m]; [N].
        stand: shape (n,), legs of standing feet.
        N: shape (3 n, 3 n); x: shape (3 n,); pivot: shape (3 n,); scratch.
        tau: shape (joints,), the command; likewise stiffness, damping, target, target_rate.
    """

    setting: Floats1
    velocity: Floats1
    home: Floats1
    phase: Floats1
    place: Floats2
    dof: Ints1
    foot: Ints1
    arm: Floats2
    base_pose: Floats2
    nu: Floats1
    mass_matrix: Floats2
    bias_force: Floats1
    foot_poses: Floats3
    foot_jacobians: Floats3
    joint_positions: Floats1
    footing: Floats2
    progress: Floats1
    position: Floats2
    offset: Floats2
    acceleration: Floats1
    wrench: Floats1
    arms: Floats2
    force: Floats2
    stand: Ints1
    N: Floats2
    x: Floats1
    pivot: Ints1
    tau: Floats1
    stiffness: Floats1
    damping: Floats1
    target: Floats1
    target_rate: Floats1


open_trot = opener(TrotArrays, 0)


@kernel
def swing(time, start, period, duty, phase):
    """Return the progress of a leg's step, from 0 to 1; ``STANDS`` while it stands.

    Args:
        time: [s].
        start: start of the first step, [s].
        period: duration of a cycle, [s].
        duty: fraction of a cycle in which a leg stands, [-].
        phase: start of the leg's step within the cycle, from 0 to 1.
    """
    turns = (time - start) / period - phase
    if turns < 0.0:
        return STANDS
    progress = (turns % 1.0) / (1.0 - duty)
    return progress if progress < 1.0 else STANDS


@kernel
def lift(s):
    """Return the height relative to its maximum, ``64 s^3 (1 - s)^3``, and its rate.

    Velocity and acceleration are zero at both ends of the step, s = 0 and 1.
    """
    return 64.0 * (s * (1.0 - s)) ** 3, 192.0 * (s * (1.0 - s)) ** 2 * (1.0 - 2.0 * s)


@kernel
def glide(s):
    """Return the progress along the ground, ``10 s^3 - 15 s^4 + 6 s^5``, and its rate.

    It is the minimum-jerk curve from rest to rest (Flash and Hogan 1985).
    """
    return s**3 * (10.0 - 15.0 * s + 6.0 * s * s), 30.0 * (s * (1.0 - s)) ** 2


@kernel
def turned(angle, x, y):
    """Return a plane vector rotated to the left by an angle [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    return c * x - s * y, s * x + c * y


@kernel
def shortened(x, y, longest):
    """Return a plane vector, shortened to the length ``longest`` if it is longer."""
    part = min(1.0, longest / max(math.hypot(x, y), 1e-12))
    return part * x, part * y


@kernel
def landing(v, desired, stance, gain, reach):
    """Return the landing point from the foot's place, by Raibert's rule, (x, y) [m].

    A foot lands at the midpoint of the trunk's path during the next stance,
    ``x = v_desired T / 2 + k (v - v_desired)`` (Raibert 1986, *Legged Robots That Balance*,
    equation 2.4, with the desired velocity in the first term, so that the foot does not follow an
    excess speed of the trunk).

    Args:
        v: velocity of the trunk, (x, y) [m/s].
        desired: desired velocity, likewise.
        stance: T, duration of standing between two steps, [s].
        gain: k, [s].
        reach: largest distance, [m].
    """
    x = 0.5 * stance * desired[0] + gain * (v[0] - desired[0])
    y = 0.5 * stance * desired[1] + gain * (v[1] - desired[1])
    return shortened(x, y, reach)


@kernel
def goal(time, home, heading, velocity, rate):
    """Return the trunk's target: position [m], velocity [m/s], heading [rad], turn rate [rad/s].

    Up to the start it stands at home; then it moves at a constant velocity along a heading that
    turns. The path is the integral of the turning velocity: a circular arc, whose chord is
    ``T sinc(w T / 2)`` times the velocity along the heading at its midpoint.

    Args:
        time: T, since the start, [s].
        home: shape (2,), position at the start, [m], world frame.
        heading: at the start, [rad].
        velocity: shape (2,), forwards and to the left, [m/s].
        rate: w, [rad/s].
    """
    if time <= 0.0:
        return home[0], home[1], 0.0, 0.0, heading, 0.0
    half = 0.5 * rate * time
    chord = time if half == 0.0 else time * math.sin(half) / half
    x, y = turned(heading + half, velocity[0], velocity[1])
    now = heading + 2.0 * half
    u, v = turned(now, velocity[0], velocity[1])
    return home[0] + chord * x, home[1] + chord * y, u, v, now, rate


@kernel
def to_upright(R, heading):
    """Return the rotation vector to the upright attitude with a heading [rad], (x, y, z) [rad].

    Args:
        R: its first three rows and columns are the attitude, body to world.
        heading: [rad].
    """
    c, s = math.cos(heading), math.sin(heading)
    x = 0.5 * (R[1, 2] - s * R[2, 0] - c * R[2, 1])
    y = 0.5 * (c * R[2, 0] - s * R[2, 1] - R[0, 2])
    z = 0.5 * (s * R[0, 0] + c * R[0, 1] - c * R[1, 0] + s * R[1, 1])
    sine = math.sqrt(x * x + y * y + z * z)
    cosine = 0.5 * (c * R[0, 0] - s * R[0, 1] + s * R[1, 0] + c * R[1, 1] + R[2, 2] - 1.0)
    part = math.atan2(sine, cosine) / max(sine, 1e-12)
    return part * x, part * y, part * z


@kernel
def ground_plane(feet):
    """Return the plane ``z = z0 + slope . (x - x0)`` through points: x0, z0, slope.

    It goes through their centre; least squares.

    Args:
        feet: shape (n, 3), [m].
    """
    n, x, y, z = len(feet), 0.0, 0.0, 0.0
    for k in range(n):
        x, y, z = x + feet[k, 0], y + feet[k, 1], z + feet[k, 2]
    x, y, z = x / n, y / n, z / n
    xx, xy, yy, xz, yz = FLAT, 0.0, FLAT, 0.0, 0.0
    for k in range(n):
        a, b, c = feet[k, 0] - x, feet[k, 1] - y, feet[k, 2] - z
        xx, xy, yy, xz, yz = xx + a * a, xy + a * b, yy + b * b, xz + a * c, yz + b * c
    across = (yz - xy / xx * xz) / (yy - xy / xx * xy)
    return x, y, z, (xz - xy * across) / xx, across


@inner
def height_at(plane, x, y):
    """Return the height of a plane at a place, [m]."""
    return plane[2] + (plane[3] * (x - plane[0]) + plane[4] * (y - plane[1]))


@inner
def moment(arms, i, a):
    """Return the moment of a unit force along axis a at foot i."""
    x, y, z = arms[i, 0], arms[i, 1], arms[i, 2]
    if a == 0:
        return 0.0, z, -y
    return (-z, 0.0, x) if a == 1 else (y, -x, 0.0)


@kernel
def share(arms, wrench, friction, n, N, pivot, x, force):
    """Write the forces of n standing feet, shape (n, 3), [N], world axes.

    The forces minimise the weighted difference between their wrench and the target; then each is
    clamped to its friction cone. Two feet can turn the trunk about the line between them only by
    pushing sideways, so their wrench can miss the target.

    Args:
        arms: shape (n, 3), from the trunk's origin to the feet, [m].
        wrench: target force and moment about the trunk's origin, shape (6,), [N, N m].
        friction: largest ratio of horizontal to vertical force, [-].
        n: number of feet.
        N: shape (3 n, 3 n), scratch.
        pivot: shape (3 n,), scratch.
        x: shape (3 n,), scratch.
        force: shape (n, 3), out.
    """
    for p in range(3 * n):
        a, m, w = p % 3, moment(arms, p // 3, p % 3), WEIGHT[p % 3] ** 2
        x[p] = w * wrench[a]
        for k in range(3):
            x[p] += WEIGHT[3 + k] ** 2 * m[k] * wrench[3 + k]
        for q in range(3 * n):
            other = moment(arms, q // 3, q % 3)
            N[p, q] = (w if q % 3 == a else 0.0) + (SMALL if p == q else 0.0)
            for k in range(3):
                N[p, q] += WEIGHT[3 + k] ** 2 * m[k] * other[k]
    solve_dense(N, pivot, x, 3 * n, False)
    for i in range(n):
        up = max(x[3 * i + 2], 0.0)
        part = min(1.0, friction * up / max(math.hypot(x[3 * i], x[3 * i + 1]), 1e-9))
        force[i, 0], force[i, 1], force[i, 2] = part * x[3 * i], part * x[3 * i + 1], up


@inner
def column(own, k, c):
    """Return a column of the Jacobian of the centre of leg k's foot, (x, y, z)."""
    J, x, y, z = (
        own.foot_jacobians[own.foot[k]],
        own.offset[k, 0],
        own.offset[k, 1],
        own.offset[k, 2],
    )
    return (
        J[0, c] + z * J[4, c] - y * J[5, c],
        J[1, c] + x * J[5, c] - z * J[3, c],
        J[2, c] + y * J[3, c] - x * J[4, c],
    )


@inner
def look(own, time):
    """Write the feet's positions and progress, and the standing feet's last positions."""
    s = own.setting
    for k in range(len(own.dof)):
        pose = own.foot_poses[own.foot[k]]
        for a in range(3):
            own.offset[k, a] = 0.0
            for b in range(3):
                own.offset[k, a] += pose[a, b] * own.arm[k, b]
            own.position[k, a] = own.offset[k, a] + pose[a, 3]
        own.progress[k] = swing(
            *(time, s[Setting.START], s[Setting.PERIOD], s[Setting.DUTY], own.phase[k])
        )
        new = own.footing[k, 0] == 0.0 and own.footing[k, 1] == 0.0 and own.footing[k, 2] == 0.0
        if own.progress[k] == STANDS or new:
            for a in range(3):
                own.footing[k, a] = own.position[k, a]


@inner
def accelerate(own, lag, turn, slip, spin):
    """Write the target acceleration (mixed) of the trunk, [m/s^2, rad/s^2].

    Springs and dampers between the trunk and its target (Pratt et al. 2001).

    Args:
        own: arrays.
        lag: height that is missing, [m].
        turn: rotation to the target attitude, world axes, [rad].
        slip: target velocity minus its own, [m/s].
        spin: target angular velocity minus its own, [rad/s].
    """
    frequency, gain = own.setting[Setting.TRUNK_FREQUENCY], own.setting[Setting.VELOCITY_GAIN]
    k, d = frequency**2, 2.0 * own.setting[Setting.TRUNK_DAMPING] * frequency
    own.acceleration[0], own.acceleration[1] = gain * slip[0], gain * slip[1]
    own.acceleration[2] = k * lag + d * slip[2]
    for a in range(3):
        own.acceleration[3 + a] = k * turn[a] + d * spin[a]


@inner
def carry(own):
    """Command standing legs: the target wrench of the trunk, shared among them."""
    pose, n = own.base_pose, 0
    for a in range(BASE):
        own.wrench[a] = own.bias_force[a]
        for b in range(BASE):
            own.wrench[a] += own.mass_matrix[a, b] * own.acceleration[b]
    for k in range(len(own.dof)):
        if own.progress[k] == STANDS:
            own.stand[n] = k
            for a in range(3):
                own.arms[n, a] = own.position[k, a] - pose[a, 3]
            n += 1
    friction = own.setting[Setting.FRICTION]
    share(own.arms, own.wrench, friction, n, own.N, own.pivot, own.x, own.force)
    for i in range(n):
        k = own.stand[i]
        for c in range(own.dof[k], own.dof[k] + JOINTS):
            x, y, z = column(own, k, c)
            own.tau[c - BASE] -= x * own.force[i, 0] + y * own.force[i, 1] + z * own.force[i, 2]
            own.damping[c - BASE] = own.setting[Setting.STANCE_DAMPING]


@inner
def curve(own, k, desired, heading, plane):
    """Return target position and velocity of a stepping foot, each (x, y, z), [m] and [m/s]."""
    s, nu, progress = own.setting, own.nu, own.progress[k]
    period, duty, reach = s[Setting.PERIOD], s[Setting.DUTY], s[Setting.REACH]
    stance, last, H = duty * period, (1.0 - duty) * period, s[Setting.STEP_HEIGHT]
    height, climb = lift(progress)
    part, rate = glide(progress)
    moving = (nu[0], nu[1])
    off_x, off_y = shortened(-0.5 * stance * nu[0], -0.5 * stance * nu[1], reach)
    x, y = landing(moving, desired, stance, s[Setting.PLACEMENT], reach)
    way_x, way_y = x - off_x, y - off_y
    below_x, below_y = turned(heading, own.place[k, 0], own.place[k, 1])
    x = own.base_pose[0, 3] + below_x + off_x + part * way_x
    y = own.base_pose[1, 3] + below_y + off_y + part * way_y
    u, v = nu[0] + rate / last * way_x, nu[1] + rate / last * way_y
    z = height_at(plane, x, y) + H * height
    return (x, y, z), (u, v, plane[3] * u + plane[4] * v + H * climb / last)


@routine
def step(own, k, desired, heading, plane):
    """Command the joints of a stepping leg to follow its foot's curve: ``J' (J J' + e)^-1``."""
    place, speed = curve(own, k, desired, heading, plane)
    first, N, x = own.dof[k], own.N, own.x
    J = (column(own, k, first), column(own, k, first + 1), column(own, k, first + 2))
    for a in range(3):
        for b in range(3):
            N[a, b] = J[0][a] * J[0][b] + J[1][a] * J[1][b] + J[2][a] * J[2][b]
        N[a, a] += SINGULAR
        x[a] = place[a] - own.position[k, a]
    solve_dense(N, own.pivot, x, 3, False)
    for b in range(JOINTS):
        at = first - BASE + b
        way = J[b][0] * x[0] + J[b][1] * x[1] + J[b][2] * x[2]
        own.target[at] = own.joint_positions[at] + way
        own.stiffness[at] = own.setting[Setting.SWING_STIFFNESS]
        own.damping[at] = own.setting[Setting.SWING_DAMPING]
    for a in range(3):
        x[a] = speed[a]
    for c in range(BASE):
        carried = column(own, k, c)
        for a in range(3):
            x[a] -= carried[a] * own.nu[c]
    solve_dense(N, own.pivot, x, 3, True)
    for b in range(JOINTS):
        own.target_rate[first - BASE + b] = J[b][0] * x[0] + J[b][1] * x[1] + J[b][2] * x[2]


@kernel
def trot(table, time):
    """Write the command of ``Trot`` at a time [s]."""
    own = open_trot(table)
    s, pose, nu = own.setting, own.base_pose, own.nu
    for i in range(len(own.tau)):
        own.tau[i] = own.stiffness[i] = own.damping[i] = 0.0
        own.target[i] = own.target_rate[i] = 0.0
    look(own, time)
    plane = ground_plane(own.footing)
    x, y, u, v, heading, rate = goal(
        *(time - s[Setting.START], own.home, s[Setting.HEADING], own.velocity),
        s[Setting.TURN_RATE],
    )
    homing = s[Setting.HOMING]
    back_x, back_y = shortened(
        homing * (x - pose[0, 3]), homing * (y - pose[1, 3]), s[Setting.HOMING_LIMIT]
    )
    desired = (u + back_x, v + back_y)
    accelerate(
        own,
        height_at(plane, pose[0, 3], pose[1, 3]) + s[Setting.HEIGHT] - pose[2, 3],
        to_upright(pose, heading),
        (desired[0] - nu[0], desired[1] - nu[1], 0.0 - nu[2]),
        (0.0 - nu[3], 0.0 - nu[4], rate - nu[5]),
    )
    carry(own)
    ahead = math.atan2(pose[1, 0], pose[0, 0])
    for k in range(len(own.dof)):
        for c in range(own.dof[k], own.dof[k] + JOINTS):
            own.tau[c - BASE] += own.bias_force[c]
            for b in range(BASE):
                own.tau[c - BASE] += own.mass_matrix[c, b] * own.acceleration[b]
        if own.progress[k] != STANDS:
            step(own, k, desired, ahead, plane)
