"""Articulated-body inertias, results of the free acceleration, from which Lambda^-1 is computed.

Everything is in world axes at the world origin, linear part first, so that no transformations
between links are needed: a joint of screw S passes ``f - U (S' f) / D`` to its parent with
``U = I_A S`` and ``D = S' U`` (Featherstone, Rigid Body Dynamics Algorithms, 2008, table 7.1).
Implicit terms of a joint add to its D, as they add to the diagonal of the joint-space inertia:
reflected inertia, ``dt`` damping, ``dt^2`` stiffness.
"""

from __future__ import annotations

from footfall.api import kernels as tables
from footfall.api.kernels import inner, kernel, opener
from footfall_delassus.arrays import Articulated

articulated_of = opener(Articulated, 0)


@inner
def spatial_inertia(topology, dynamics, link, inertia):
    """Write the rigid-body inertia of a link: ``[[m 1, -m [c]], [m [c], I_c + m [c]' [c]]]``."""
    pose, m = dynamics.pose, topology.mass[link]
    x, y, z = topology.com[link, 0], topology.com[link, 1], topology.com[link, 2]
    c0 = pose[link, 0] * x + pose[link, 3] * y + pose[link, 6] * z + pose[link, 9]
    c1 = pose[link, 1] * x + pose[link, 4] * y + pose[link, 7] * z + pose[link, 10]
    c2 = pose[link, 2] * x + pose[link, 5] * y + pose[link, 8] * z + pose[link, 11]
    for k in range(36):
        inertia[link, k] = 0.0
    inertia[link, 0] = inertia[link, 7] = inertia[link, 14] = m
    inertia[link, 4], inertia[link, 9], inertia[link, 11] = m * c2, -m * c2, m * c0
    inertia[link, 5], inertia[link, 15], inertia[link, 16] = -m * c1, m * c1, -m * c0
    for i in range(3):
        for j in range(3):
            inertia[link, 6 * (3 + i) + j] = inertia[link, 6 * j + 3 + i]
    for i in range(3):
        # A row of R I_c, then of R I_c R'.
        a0, a1, a2 = 0.0, 0.0, 0.0
        for k in range(3):
            r = pose[link, 3 * k + i]
            a0 += r * topology.inertia[link, k, 0]
            a1 += r * topology.inertia[link, k, 1]
            a2 += r * topology.inertia[link, k, 2]
        for j in range(3):
            inertia[link, 6 * (3 + i) + 3 + j] = (
                a0 * pose[link, j] + a1 * pose[link, 3 + j] + a2 * pose[link, 6 + j]
            )
    s0, s1, s2 = m * c0, m * c1, m * c2
    inertia[link, 21] += s1 * c1 + s2 * c2
    inertia[link, 28] += s0 * c0 + s2 * c2
    inertia[link, 35] += s0 * c0 + s1 * c1
    inertia[link, 22] -= s0 * c1
    inertia[link, 27] -= s0 * c1
    inertia[link, 23] -= s0 * c2
    inertia[link, 33] -= s0 * c2
    inertia[link, 29] -= s1 * c2
    inertia[link, 34] -= s1 * c2


@inner
def invert_symmetric(A, a, B, b):
    """Write the inverse of the positive definite 6 x 6 matrix in row a of A to row b of B.

    By Gauss-Jordan elimination; a positive definite matrix needs no pivoting.
    """
    for k in range(36):
        B[b, k] = A[a, k]
    for p in range(6):
        pivot = 1.0 / B[b, 7 * p]
        for j in range(6):
            if j != p:
                B[b, 6 * p + j] *= pivot
        for i in range(6):
            if i == p:
                continue
            factor = B[b, 6 * i + p]
            for j in range(6):
                if j != p:
                    B[b, 6 * i + j] -= factor * B[b, 6 * p + j]
            B[b, 6 * i + p] = -factor * pivot
        B[b, 7 * p] = pivot


@inner
def add_to_parent(body, link, up):
    """Add ``I_A - U U' / D`` of a link to the inertia of its parent."""
    inertia, U, inverse = body.inertia, body.force_of_joint, body.inverse_pivot[link]
    for i in range(6):
        a = U[link, i] * inverse
        for j in range(i, 6):
            value = inertia[link, 6 * i + j] - a * U[link, j]
            inertia[up, 6 * i + j] += value
            if j > i:
                inertia[up, 6 * j + i] += value


@inner
def articulate(topology, joints, dynamics, body, tree, dt):
    """Write the articulated-body inertias of a tree, from the leaves to the root."""
    first, S = topology.tree_link[tree], dynamics.S
    for link in range(first, topology.tree_link[tree + 1]):
        spatial_inertia(topology, dynamics, link, body.inertia)
    for link in range(topology.tree_link[tree + 1] - 1, first, -1):
        k = body.dof[link]
        d = joints.armature[k]
        d += dt * (joints.damping[k] + joints.rate_gain[k] + dt * joints.stiffness[k])
        for i in range(6):
            u = body.inertia[link, 6 * i] * S[k, 0]
            for j in range(1, 6):
                u += body.inertia[link, 6 * i + j] * S[k, j]
            body.force_of_joint[link, i] = u
            d += S[k, i] * u
        body.inverse_pivot[link] = 1.0 / d
        add_to_parent(body, link, body.parent[link])
    if topology.floating[tree] == 1:
        invert_symmetric(body.inertia, first, body.base, tree)


@kernel
def articulate_tree(table, bodies, tree, dt):
    """Write the articulated-body inertias of a tree for a step of length dt."""
    topology, joints = tables.open_topology(table), tables.open_joints(table)
    dynamics = tables.open_dynamics(table)
    articulate(topology, joints, dynamics, articulated_of(bodies), tree, dt)


@kernel
def articulate_free_bodies(table, bodies, dt):
    """Write the articulated-body inertias of all rigid bodies without joints."""
    topology, joints = tables.open_topology(table), tables.open_joints(table)
    dynamics = tables.open_dynamics(table)
    for tree in range(len(topology.free)):
        if topology.free[tree] == 1:
            articulate(topology, joints, dynamics, articulated_of(bodies), tree, dt)
