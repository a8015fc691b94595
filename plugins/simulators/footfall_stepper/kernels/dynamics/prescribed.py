"""Rigid bodies with a prescribed motion: their velocity over a step, and velocities of surfaces.

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
from footfall_stepper.kernels import tables
from footfall_stepper.world.collision_arrays import BITS
from footfall_stepper.world.step_arrays import PRESCRIBED, MotionArrays, SurfaceArrays

motions = opener(MotionArrays, 0)
surfaces = opener(SurfaceArrays, 0)


@inner
def aim_at(plan, i, t):
    """Write the pose of motion i at time t [s] to ``plan.aim``."""
    k, start, out = plan.first[i], plan.time[plan.first[i]], plan.aim
    if plan.period[i] > 0.0 and t > start:
        t = start + (t - start) % plan.period[i]
    end = plan.last[i]
    while k < end:
        middle = (k + end + 1) // 2
        if plan.time[middle] <= t:
            k = middle
        else:
            end = middle - 1
    s, rate = max(t - plan.time[k], 0.0), plan.rate[k]
    for j in range(7):
        out[j] = plan.pose[k, j] + (s * rate[j] if j < 3 else 0.0)
    e0, e1, e2, e3 = exponential(s * rate[3], s * rate[4], s * rate[5])
    turn_quaternion(out, 3, e0, e1, e2, e3)


@kernel
def begin_motions(table, time, dt):
    """Set the velocities that take the bodies to their poses at the end of a step of length dt.

    The mean velocity, in the axes of the body at the start: no error adds up.
    """
    plan = motions(table)
    q, v, aim = plan.q, plan.v, plan.aim
    for i in range(len(plan.first)):
        a, k = plan.place[i, 0], plan.place[i, 1]
        for j in range(7):
            aim[j] = q[a + j]
        if plan.last[i] >= plan.first[i]:
            aim_at(plan, i, time + dt)
        x, y, z, w = q[a + 3], q[a + 4], q[a + 5], q[a + 6]
        u = rotate_back(x, y, z, w, aim[0] - q[a], aim[1] - q[a + 1], aim[2] - q[a + 2])
        # The rotation vector of conj(q) aim.
        b, c, d = cross(x, y, z, aim[3], aim[4], aim[5])
        b, c, d = (
            w * aim[3] - aim[6] * x - b,
            w * aim[4] - aim[6] * y - c,
            w * aim[5] - aim[6] * z - d,
        )
        cosine = w * aim[6] + x * aim[3] + y * aim[4] + z * aim[5]
        size = math.sqrt(b * b + c * c + d * d)
        angle = 2.0 * math.atan2(size, abs(cosine)) * (1.0 if cosine >= 0.0 else -1.0)
        factor = angle / size if size > 0.0 else 0.0
        v[k], v[k + 1], v[k + 2] = u[0] / dt, u[1] / dt, u[2] / dt
        v[k + 3], v[k + 4], v[k + 5] = factor * b / dt, factor * c / dt, factor * d / dt


@inner
def surface_velocity(arrays, number, n0, n1, n2):
    """Return the velocity of a shape's surface with an outward normal, along it; world, [m/s]."""
    x, y, z = turned_back(arrays.pose, number, n0, n1, n2)
    k, along = 2, z
    if abs(x) >= abs(y) and abs(x) >= abs(z):
        k, along = 0, x
    elif abs(y) >= abs(z):
        k, along = 1, y
    v = arrays.face[number, k if along >= 0.0 else k + 3]
    x, y, z = turned(arrays.pose, number, v[0], v[1], v[2])
    along = n0 * x + n1 * y + n2 * z
    return x - along * n0, y - along * n1, z - along * n2


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
def move_surfaces(table, carried, surface_table, dt):
    """Add the velocities of surfaces to the ground's, at declared points and detected contacts.

    A detected contact gets the velocity of body 1's surface less that of body 2's; rows for them
    follow those of the declared points. They contain the ``chord`` of prescribed bodies over dt,
    which is 0 for an impact.
    """
    arrays, detected, state = surfaces(surface_table), tables.detected(table), tables.state(table)
    topology, pose = tables.open_topology(table), tables.open_dynamics(table).pose
    candidates, ground = tables.open_candidates(table), tables.open_ground(table)
    key, n, v = tables.carried(carried).key, ground.normal, ground.velocity
    for number in range(len(arrays.link)):
        for k in range(12 if arrays.link[number] >= 0 else 0):
            arrays.pose[number, k] = pose[arrays.link[number], k]
    declared, mask = len(candidates.link), (1 << BITS) - 1
    for c in range(declared):
        number = arrays.of_link[candidates.link[c]]
        u = surface_velocity(arrays, number, -n[c, 0], -n[c, 1], -n[c, 2])
        for k in range(3):
            v[c, k] = (v[c, k] if arrays.adds[0] == 1 else 0.0) - u[k]
    for d in range(state.detected[0]):
        for k in range(3):
            v[declared + d, k] = 0.0
        for side in range(2):
            number = (key[d] >> (BITS * (2 - side))) & mask
            link, sign, m = detected.link[d, side], 1.0 - 2.0 * side, detected.normal[d]
            u = surface_velocity(arrays, number, sign * m[0], sign * m[1], sign * m[2])
            w = (0.0, 0.0, 0.0)
            if link >= 0:
                w = chord(topology, pose, state.v, link, detected.link[d, 1 - side], dt)
            for k in range(3):
                v[declared + d, k] += sign * (u[k] + w[k])
