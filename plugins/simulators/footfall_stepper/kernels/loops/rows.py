"""Rows of closed loops: poses of their ends, gaps, and their Jacobian.

A loop's rows are ``E (v_b - v_a)`` at the second end's origin, in the axes of the first end: the
rate of ``E (p_b - p_a)``. A weld also has ``E (w_b - w_a)``, the rate of the rotation vector
between the ends for small rotations. A coupling's row is ``v_joint - ratio v_of``.
"""

from __future__ import annotations

import math
from enum import IntEnum

from footfall.jit.compiling import inner
from footfall.spatial.rotation import turned, velocity_at
from footfall_stepper.kernels.dynamics.bias_acceleration import link_bias, link_twists


class LoopKind(IntEnum):
    """Kinds of closed loops."""

    POINT = 0
    """Two points coincide."""
    WELD = 1
    """Two frames coincide."""
    COUPLING = 2
    """A joint follows another one."""


@inner
def place_ends(loops, dynamics):
    """Write the world placement of every end."""
    pose = dynamics.pose
    for i in range(len(loops.kind)):
        if loops.kind[i] == LoopKind.COUPLING:
            continue
        for s in range(2):
            link = loops.link[i, s]
            if link < 0:
                continue
            frame, place = loops.frame[i, s], loops.place[i, s]
            for column in range(4):
                x, y, z = frame[3 * column], frame[3 * column + 1], frame[3 * column + 2]
                axis = turned(pose, link, x, y, z)
                for k in range(3):
                    place[3 * column + k] = axis[k]
            for k in range(3):
                place[9 + k] += pose[link, 9 + k]


@inner
def rotation_vector(a, b):
    """Return the rotation vector from frame a to frame b, column-major, in the axes of a."""
    x, y, z, trace = 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        x += a[6 + k] * b[3 + k] - a[3 + k] * b[6 + k]
        y += a[k] * b[6 + k] - a[6 + k] * b[k]
        z += a[3 + k] * b[k] - a[k] * b[3 + k]
        trace += a[k] * b[k] + a[3 + k] * b[3 + k] + a[6 + k] * b[6 + k]
    x, y, z = 0.5 * x, 0.5 * y, 0.5 * z
    sine, cosine = math.sqrt(x * x + y * y + z * z), 0.5 * (trace - 1.0)
    if sine < 1e-12:
        # Half a turn has no direction; the gap must still be seen.
        return (x, y, z) if cosine > 0.0 else (math.pi, 0.0, 0.0)
    s = math.atan2(sine, cosine) / sine
    return s * x, s * y, s * z


@inner
def write_gaps(loops, topology, q):
    """Write the gap of every loop, [m, rad]."""
    for i in range(len(loops.kind)):
        row = loops.row[i]
        if loops.kind[i] == LoopKind.COUPLING:
            joint = q[topology.dof_q[loops.link[i, 0]]]
            other = q[topology.dof_q[loops.link[i, 1]]]
            loops.gap[row] = joint - loops.ratio[i] * other - loops.offset[i]
            continue
        a, b = loops.place[i, 0], loops.place[i, 1]
        x, y, z = b[9] - a[9], b[10] - a[10], b[11] - a[11]
        for k in range(3):
            loops.gap[row + k] = a[3 * k] * x + a[3 * k + 1] * y + a[3 * k + 2] * z
        if loops.kind[i] == LoopKind.WELD:
            r = rotation_vector(a, b)
            loops.gap[row + 3], loops.gap[row + 4], loops.gap[row + 5] = r[0], r[1], r[2]


@inner
def end_bias(loops, dynamics, i, s, sign):
    """Add an end's classical acceleration for zero accelerations to the bias of its loop's rows."""
    link, row, axes, point = loops.link[i, s], loops.row[i], loops.place[i, 0], loops.place[i, 1]
    if link < 0:
        return
    A, V = dynamics.bias_acceleration[link], dynamics.twist[link]
    x, y, z = point[9], point[10], point[11]
    w0, w1, w2 = V[3], V[4], V[5]
    v0, v1, v2 = V[0] + w1 * z - w2 * y, V[1] + w2 * x - w0 * z, V[2] + w0 * y - w1 * x
    a0 = A[0] + A[4] * z - A[5] * y + w1 * v2 - w2 * v1
    a1 = A[1] + A[5] * x - A[3] * z + w2 * v0 - w0 * v2
    a2 = A[2] + A[3] * y - A[4] * x + w0 * v1 - w1 * v0
    for k in range(3):
        e0, e1, e2 = axes[3 * k], axes[3 * k + 1], axes[3 * k + 2]
        loops.bias[row + k] += sign * (e0 * a0 + e1 * a1 + e2 * a2)
        if loops.kind[i] == LoopKind.WELD:
            loops.bias[row + 3 + k] += sign * (e0 * A[3] + e1 * A[4] + e2 * A[5])


@inner
def write_bias(loops, topology, dynamics, state):
    """Write ``Cdot v``: exact if both ends move as one, as they do except for the step's error.

    Zero accelerations are those of the mixed representation: the base's in world axes.
    """
    link_twists(topology, loops.links, dynamics.S, state.v, dynamics.twist)
    link_bias(topology, dynamics, loops.links, state)
    for i in range(len(loops.kind)):
        for row in range(loops.row[i], loops.row[i + 1]):
            loops.bias[row] = 0.0
        if loops.kind[i] != LoopKind.COUPLING:
            end_bias(loops, dynamics, i, 1, 1.0)
            end_bias(loops, dynamics, i, 0, -1.0)


@inner
def add_end(loops, topology, dynamics, i, s, sign, n, at):
    """Add an end's part of a loop's Jacobian to the rows of n entries that start at ``Y[at]``."""
    link, axes, other = loops.link[i, s], loops.place[i, 0], loops.place[i, 1]
    if link < 0:
        return
    S, Y, first = dynamics.S, loops.Y, topology.tree_v[topology.link_tree[link]]
    # In the middle of an open gap, swapping a loop's ends does not change its rows.
    x, y, z = 0.5 * (axes[9] + other[9]), 0.5 * (axes[10] + other[10]), 0.5 * (axes[11] + other[11])
    for p in range(topology.chain_start[link], topology.chain_start[link + 1]):
        dof = topology.chain[p]
        k = first + dof
        w0, w1, w2 = S[k, 3], S[k, 4], S[k, 5]
        v0, v1, v2 = velocity_at(S, k, x, y, z)
        for c in range(3):
            e0, e1, e2 = sign * axes[3 * c], sign * axes[3 * c + 1], sign * axes[3 * c + 2]
            Y[at + c * n + dof] += e0 * v0 + e1 * v1 + e2 * v2
            if loops.kind[i] == LoopKind.WELD:
                Y[at + (3 + c) * n + dof] += e0 * w0 + e1 * w1 + e2 * w2


@inner
def write_jacobian(loops, topology, dynamics, tree):
    """Write the rows C of a tree's loops to Y."""
    n, first = topology.tree_v[tree + 1] - topology.tree_v[tree], topology.tree_v[tree]
    for k in range((loops.tree_row[tree + 1] - loops.tree_row[tree]) * n):
        loops.Y[loops.tree_Y[tree] + k] = 0.0
    for i in range(loops.tree_loop[tree], loops.tree_loop[tree + 1]):
        at = loops.tree_Y[tree] + (loops.row[i] - loops.tree_row[tree]) * n
        if loops.kind[i] == LoopKind.COUPLING:
            loops.Y[at + loops.link[i, 0] - first] += 1.0
            loops.Y[at + loops.link[i, 1] - first] -= loops.ratio[i]
        else:
            add_end(loops, topology, dynamics, i, 1, 1.0, n, at)
            add_end(loops, topology, dynamics, i, 0, -1.0, n, at)


@inner
def through_factor(loops, topology, dynamics, tree):
    """Turn the rows C in Y into ``D^-1/2 L^-T C'``."""
    first, at = topology.tree_v[tree], topology.tree_M[tree]
    n = topology.tree_v[tree + 1] - first
    L, Y = dynamics.L, loops.Y
    for row in range(loops.tree_row[tree + 1] - loops.tree_row[tree]):
        y = loops.tree_Y[tree] + row * n
        for i in range(n - 1, -1, -1):
            x = Y[y + i]
            if x == 0.0:
                continue
            j = topology.dof_parent[first + i]
            while j >= 0:
                Y[y + j] -= L[at + i * n + j] * x
                j = topology.dof_parent[first + j]
            Y[y + i] = dynamics.scale[first + i] * x
