"""Rigid bodies with a prescribed motion: their velocity over a step, and their surfaces'.

Such a body is a tree without mass whose factor is infinite: no impulse changes its velocity, and
its contacts see it by its twist, as they see any body.
"""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, kernel
from footfall.jit.tables import opener
from footfall.spatial.rotation import (
    cross,
    exponential,
    placed,
    rotate_back,
    turn_quaternion,
    turned,
    turned_back,
)
from footfall.world.arrays import PRESCRIBED
from footfall_stepper.kernels import tables
from footfall_stepper.world.collision_arrays import BITS
from footfall_stepper.world.step_arrays import MotionArrays, SurfaceArrays

motions = opener(MotionArrays, 0)
surfaces = opener(SurfaceArrays, 0)


@inner
def aim_at(plan, i, t):
    """Write the pose of motion i at time t [s] to ``plan.aim``."""
    k, start, out = plan.first[i], plan.time[plan.first[i]], plan.aim
    if plan.period[i] > 0.0 and t > start:
        t = start + (t - start) % plan.period[i]
    while k < plan.last[i] and plan.time[k + 1] <= t:
        k += 1
    s, c = max(t - plan.time[k], 0.0), plan.rate
    for j in range(3):
        out[j] = plan.pose[k, j] + s * (c[k, 0, j] + s * (c[k, 1, j] + s * c[k, 2, j]))
    for j in range(3, 7):
        out[j] = plan.pose[k, j]
    x = s * (c[k, 0, 3] + s * (c[k, 1, 3] + s * c[k, 2, 3]))
    y = s * (c[k, 0, 4] + s * (c[k, 1, 4] + s * c[k, 2, 4]))
    z = s * (c[k, 0, 5] + s * (c[k, 1, 5] + s * c[k, 2, 5]))
    e0, e1, e2, e3 = exponential(x, y, z)
    turn_quaternion(out, 3, e0, e1, e2, e3)


@inner
def turn_between(q, at, aim):
    """Return the rotation vector, in the first one's axes, from a quaternion of q to the aim's."""
    x, y, z, w = -q[at + 3], -q[at + 4], -q[at + 5], q[at + 6]
    ex, ey, ez, ew = aim[3], aim[4], aim[5], aim[6]
    a = w * ex + x * ew + y * ez - z * ey
    b = w * ey - x * ez + y * ew + z * ex
    c = w * ez + x * ey - y * ex + z * ew
    d = w * ew - x * ex - y * ey - z * ez
    if d < 0.0:
        a, b, c, d = -a, -b, -c, -d
    s = math.sqrt(a * a + b * b + c * c)
    factor = 2.0 if s < 1e-9 else 2.0 * math.atan2(s, d) / s
    return factor * a, factor * b, factor * c


@kernel
def begin_motions(table, time, dt):
    """Set the velocities that take the bodies to their poses at the end of a step of length dt.

    The mean velocity: a sticking body follows to rounding, and no error adds up.
    """
    plan = motions(table)
    q, v, aim = plan.q, plan.v, plan.aim
    for i in range(len(plan.first)):
        a, k = plan.place[i, 0], plan.place[i, 1]
        if plan.last[i] < plan.first[i]:
            for j in range(k, k + 6):
                v[j] = 0.0
            continue
        aim_at(plan, i, time + dt)
        x, y, z = aim[0] - q[a], aim[1] - q[a + 1], aim[2] - q[a + 2]
        x, y, z = rotate_back(q[a + 3], q[a + 4], q[a + 5], q[a + 6], x, y, z)
        v[k], v[k + 1], v[k + 2] = x / dt, y / dt, z / dt
        x, y, z = turn_between(q, a, aim)
        v[k + 3], v[k + 4], v[k + 5] = x / dt, y / dt, z / dt


@inner
def surface_velocity(arrays, row, pose, i, n0, n1, n2):
    """Return the velocity of a surface with an outward normal, along it; world axes, [m/s].

    ``pose[i]`` is the body's pose.
    """
    x, y, z = turned_back(pose, i, n0, n1, n2)
    a, b, c = abs(x), abs(y), abs(z)
    k, along = 2, z
    if a >= b and a >= c:
        k, along = 0, x
    elif b >= c:
        k, along = 1, y
    k += 0 if along >= 0.0 else 3
    face = arrays.face
    x, y, z = turned(pose, i, face[row, k, 0], face[row, k, 1], face[row, k, 2])
    along = n0 * x + n1 * y + n2 * z
    return x - along * n0, y - along * n1, z - along * n2


@kernel
def move_surfaces(table, surface_table):
    """Subtract the velocities of surfaces of bodies on the ground from the ground's."""
    arrays, candidates = surfaces(surface_table), tables.open_candidates(table)
    ground, pose = tables.open_ground(table), tables.open_dynamics(table).pose
    n, v = ground.normal, ground.velocity
    for c in range(len(candidates.link)):
        link = candidates.link[c]
        row = arrays.of_link[link]
        if row < 0:
            continue
        x, y, z = surface_velocity(arrays, row, pose, link, -n[c, 0], -n[c, 1], -n[c, 2])
        if arrays.adds[0] == 0:
            v[c, 0] = v[c, 1] = v[c, 2] = 0.0
        v[c, 0] -= x
        v[c, 1] -= y
        v[c, 2] -= z


@inner
def chord(topology, pose, v, link, other, dt):
    """Return the velocity that a prescribed body adds to its twist at another body, world axes.

    ``((exp(dt w) - 1) r - dt w x r) / dt`` with r from its origin to the other link's mass centre:
    what sticks to a turning body moves along chords, not along tangents. A rigid motion, the same
    at all contacts of both.
    """
    tree = topology.link_tree[link]
    if topology.free[tree] != PRESCRIBED or dt == 0.0 or other < 0:
        return 0.0, 0.0, 0.0
    k, com = topology.tree_v[tree] + 3, topology.com
    x, y, z = placed(pose, other, com[other, 0], com[other, 1], com[other, 2])
    x, y, z = x - pose[link, 9], y - pose[link, 10], z - pose[link, 11]
    x, y, z = turned_back(pose, link, x, y, z)
    e0, e1, e2, e3 = exponential(dt * v[k], dt * v[k + 1], dt * v[k + 2])
    a, b, c = rotate_back(-e0, -e1, -e2, e3, x, y, z)
    d, e, f = cross(v[k], v[k + 1], v[k + 2], x, y, z)
    return turned(pose, link, (a - x) / dt - d, (b - y) / dt - e, (c - z) / dt - f)


@kernel
def move_detected_surfaces(table, carried, surface_table, dt):
    """Write the velocity of body 1's surface less that of body 2's for all detected contacts.

    They follow the ground's velocities at the declared points. For prescribed bodies they contain
    the ``chord`` of a step of length dt; dt = 0 for an impact.
    """
    arrays, detected, state = surfaces(surface_table), tables.detected(table), tables.state(table)
    key, pose = tables.carried(carried).key, tables.open_dynamics(table).pose
    v, n, topology = (
        tables.open_ground(table).velocity,
        detected.normal,
        tables.open_topology(table),
    )
    declared, mask = len(tables.open_candidates(table).link), (1 << BITS) - 1
    for d in range(state.detected[0]):
        for k in range(3):
            v[declared + d, k] = 0.0
        for side in range(2):
            number = (key[d] >> (BITS * (2 - side))) & mask
            row, link, sign = arrays.shape[number], detected.link[d, side], 1.0 - 2.0 * side
            x, y, z = 0.0, 0.0, 0.0
            n0, n1, n2 = sign * n[d, 0], sign * n[d, 1], sign * n[d, 2]
            if row >= 0 and link >= 0:
                x, y, z = surface_velocity(arrays, row, pose, link, n0, n1, n2)
            elif row >= 0:
                x, y, z = surface_velocity(arrays, row, arrays.pose, number, n0, n1, n2)
            if link >= 0:
                a, b, c = chord(topology, pose, state.v, link, detected.link[d, 1 - side], dt)
                x, y, z = x + a, y + b, z + c
            v[declared + d, 0] += sign * x
            v[declared + d, 1] += sign * y
            v[declared + d, 2] += sign * z
