"""Rigid bodies without joints, evaluated together without an engine call each."""

from __future__ import annotations

from footfall.jit.compiling import inner
from footfall.kernels.dynamics.external_forces import apply_pushes
from footfall.kernels.dynamics.free_motion import carries_momentum, share_turning
from footfall.kernels.dynamics.tree import settle_tree
from footfall.spatial.rotation import cross, quaternion_to_pose


@inner
def body_inertia(topology, dynamics, tree):
    """Write the 6 x 6 inertia in the base frame at its origin.

    ``[[m 1, -m [c]], [m [c], I_c + m [c]'[c]]]`` (Featherstone 2008, eq. 2.63, linear part first).
    """
    link, at = topology.tree_link[tree], topology.tree_M[tree]
    m = topology.mass[link]
    x, y, z = topology.com[link, 0], topology.com[link, 1], topology.com[link, 2]
    M = dynamics.M
    for i in range(36):
        M[at + i] = 0.0
    for i in range(3):
        M[at + 7 * i] = m
        for j in range(3):
            M[at + 6 * (3 + i) + 3 + j] = topology.inertia[link, i, j]
    c = (x, y, z)
    square = x * x + y * y + z * z
    for i in range(3):
        for j in range(3):
            M[at + 6 * (3 + i) + 3 + j] += m * ((square if i == j else 0.0) - c[i] * c[j])
    skew = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
    for i in range(3):
        for j in range(3):
            M[at + 6 * (3 + i) + j] = m * skew[i][j]
            M[at + 6 * j + 3 + i] = m * skew[i][j]


@inner
def body_bias(topology, dynamics, tree, v):
    """Write the bias force of a free body: ``h = v x* (I v) - gravity``, base frame.

    With momentum (p, k) at the base origin: linear ``w x p``, angular ``w x k + v x p``.
    """
    link, first, at = topology.tree_link[tree], topology.tree_v[tree], topology.tree_M[tree]
    M, h, R = dynamics.M, dynamics.h, dynamics.pose
    for i in range(6):
        s = 0.0
        for j in range(6):
            s += M[at + 6 * i + j] * v[first + j]
        dynamics.work[first + i] = s
    p0, p1, p2 = dynamics.work[first], dynamics.work[first + 1], dynamics.work[first + 2]
    k0, k1, k2 = dynamics.work[first + 3], dynamics.work[first + 4], dynamics.work[first + 5]
    v0, v1, v2 = v[first], v[first + 1], v[first + 2]
    w0, w1, w2 = v[first + 3], v[first + 4], v[first + 5]
    h[first], h[first + 1], h[first + 2] = cross(w0, w1, w2, p0, p1, p2)
    a0, a1, a2 = cross(w0, w1, w2, k0, k1, k2)
    b0, b1, b2 = cross(v0, v1, v2, p0, p1, p2)
    g, m = topology.gravity, topology.mass[link]
    f0 = m * (R[link, 0] * g[0] + R[link, 1] * g[1] + R[link, 2] * g[2])
    f1 = m * (R[link, 3] * g[0] + R[link, 4] * g[1] + R[link, 5] * g[2])
    f2 = m * (R[link, 6] * g[0] + R[link, 7] * g[1] + R[link, 8] * g[2])
    c = topology.com[link]
    t0, t1, t2 = cross(c[0], c[1], c[2], f0, f1, f2)
    h[first] -= f0
    h[first + 1] -= f1
    h[first + 2] -= f2
    h[first + 3], h[first + 4], h[first + 5] = a0 + b0 - t0, a1 + b1 - t1, a2 + b2 - t2


@inner
def body_twists(topology, dynamics, tree):
    """Write S: base axes for linear dofs, ``(p x R e, R e)`` for angular ones."""
    link, first = topology.tree_link[tree], topology.tree_v[tree]
    S, pose = dynamics.S, dynamics.pose
    p0, p1, p2 = pose[link, 9], pose[link, 10], pose[link, 11]
    for i in range(3):
        e0, e1, e2 = pose[link, 3 * i], pose[link, 3 * i + 1], pose[link, 3 * i + 2]
        S[first + i, 0], S[first + i, 1], S[first + i, 2] = e0, e1, e2
        S[first + i, 3] = S[first + i, 4] = S[first + i, 5] = 0.0
        l0, l1, l2 = cross(p0, p1, p2, e0, e1, e2)
        S[first + 3 + i, 0], S[first + 3 + i, 1], S[first + 3 + i, 2] = l0, l1, l2
        S[first + 3 + i, 3], S[first + 3 + i, 4], S[first + 3 + i, 5] = e0, e1, e2


@inner
def evaluate_free_body(topology, dynamics, tree, q, v):
    """Write pose, M, h and S of a rigid body without joints, as an engine would."""
    quaternion_to_pose(q, topology.tree_q[tree], dynamics.pose, topology.tree_link[tree])
    body_inertia(topology, dynamics, tree)
    body_bias(topology, dynamics, tree, v)
    body_twists(topology, dynamics, tree)


@inner
def evaluate_free_bodies(topology, joints, rows, dynamics, pushes, q, v, full, dt):
    """Evaluate every tree that is a rigid body without joints; ``full``: see ``share_turning``."""
    for tree in range(len(topology.free)):
        if topology.free[tree] == 1:
            evaluate_free_body(topology, dynamics, tree, q, v)
            if carries_momentum(topology, tree):
                share_turning(topology, dynamics, tree, v, full)
            apply_pushes(topology, joints, dynamics, pushes, tree)
            settle_tree(topology, joints, rows, dynamics, tree, q, v, dt)
