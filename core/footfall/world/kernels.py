"""Motion of links, and commands of drives, in kernels of plugins."""

from __future__ import annotations

from footfall.interfaces.actuator import DriveArrays
from footfall.jit.compiling import inner
from footfall.jit.tables import opener
from footfall.world.arrays import open_dynamics as dynamics_of
from footfall.world.arrays import open_topology as topology_of

open_drive = opener(DriveArrays, 0)
"""Open the arrays of a ``Drive`` from its table, in a kernel."""


@inner
def commanded_torque(group, k):
    """Return the torque requested by the command of the group's joint k.

    Gains act on the position that the step would reach without further acceleration,
    ``tau - K (s + dt s_dot - target) - D (s_dot - target_rate)``.
    """
    i = group.dof[k]
    error = group.q[group.coordinate[k]] + group.dt[0] * group.v[i] - group.target[i]
    rate = group.v[i] - group.target_rate[i]
    return group.tau[i] - group.stiffness[i] * error - group.rate_gain[i] * rate


@inner
def set_torque(group, k, torque):
    """Apply a plain torque to the group's joint k instead of its command."""
    i = group.dof[k]
    group.tau[i], group.stiffness[i], group.rate_gain[i] = torque, 0.0, 0.0


@inner
def chain_bias(topology, dynamics, link, v, at):
    """Return a link's twist and its acceleration at the world origin for zero mixed accelerations.

    ``V = sum S v`` and ``A = sum over the chain of (V_k x S_k) v_k`` with V_k the twist up to dof k
    (Featherstone 2008, eq. 3.42). A floating base with constant world-aligned velocity (v_p, w) has
    ``A = (v_p x w, 0)``: its origin moves.

    ``v[at:]`` are the velocities of the world. Twist and acceleration: linear, then angular.
    """
    S, pose, tree = dynamics.S, dynamics.pose, topology.link_tree[link]
    first, start = topology.tree_v[tree], topology.chain_start[link]
    base = 6 if topology.floating[tree] == 1 else 0
    V0, V1, V2, W0, W1, W2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    A0, A1, A2, B0, B1, B2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for p in range(start, topology.chain_start[link + 1]):
        k = first + topology.chain[p]
        x = v[at + k]
        s0, s1, s2 = S[k, 0] * x, S[k, 1] * x, S[k, 2] * x
        t0, t1, t2 = S[k, 3] * x, S[k, 4] * x, S[k, 5] * x
        if p - start >= base:
            A0 += W1 * s2 - W2 * s1 + V1 * t2 - V2 * t1
            A1 += W2 * s0 - W0 * s2 + V2 * t0 - V0 * t2
            A2 += W0 * s1 - W1 * s0 + V0 * t1 - V1 * t0
            B0 += W1 * t2 - W2 * t1
            B1 += W2 * t0 - W0 * t2
            B2 += W0 * t1 - W1 * t0
        V0 += s0
        V1 += s1
        V2 += s2
        W0 += t0
        W1 += t1
        W2 += t2
        if p - start == base - 1:
            root = topology.tree_link[tree]
            px, py, pz = pose[root, 9], pose[root, 10], pose[root, 11]
            u0, u1, u2 = V0 + W1 * pz - W2 * py, V1 + W2 * px - W0 * pz, V2 + W0 * py - W1 * px
            A0 += u1 * W2 - u2 * W1
            A1 += u2 * W0 - u0 * W2
            A2 += u0 * W1 - u1 * W0
    return V0, V1, V2, W0, W1, W2, A0, A1, A2, B0, B1, B2


@inner
def link_motion(world_table, link, state, v, a):
    """Return a link's twist, spatial acceleration, pose, and the gravity acting on it.

    All at the world's origin: V is the twist, ``A = sum S a + (V x S) v`` (Featherstone 2008,
    section 2.11); accelerations of a floating base are those of its origin along world axes.
    ``state[v:]`` and ``state[a:]`` are velocities and accelerations of the world. Twist and
    acceleration: linear, then angular; the pose as (12,), rotation column-major, translation [m].
    """
    topology, dynamics = topology_of(world_table), dynamics_of(world_table)
    S, first = dynamics.S, topology.tree_v[topology.link_tree[link]]
    motion = chain_bias(topology, dynamics, link, state, v)
    V0, V1, V2, W0, W1, W2, A0, A1, A2, B0, B1, B2 = motion
    for p in range(topology.chain_start[link], topology.chain_start[link + 1]):
        k = first + topology.chain[p]
        x = state[a + k]
        A0, A1, A2 = A0 + S[k, 0] * x, A1 + S[k, 1] * x, A2 + S[k, 2] * x
        B0, B1, B2 = B0 + S[k, 3] * x, B1 + S[k, 4] * x, B2 + S[k, 5] * x
    twist, acceleration = (V0, V1, V2, W0, W1, W2), (A0, A1, A2, B0, B1, B2)
    return twist, acceleration, dynamics.pose[link], topology.gravity
