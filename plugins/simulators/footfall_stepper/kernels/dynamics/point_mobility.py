"""The mobility of a point of a link: its motion and its response to a wrench."""

from __future__ import annotations

from footfall.jit.compiling import inner, kernel
from footfall.spatial.rotation import placed, velocity_at
from footfall_stepper.kernels import tables
from footfall_stepper.kernels.dynamics.factor import solve


@inner
def point_rows(topology, dynamics, link, x, y, z, J):
    """Write the six rows of a point's Jacobian: its velocity, then the angular velocity; world."""
    S, first = dynamics.S, topology.tree_v[topology.link_tree[link]]
    for r in range(6):
        for k in range(J.shape[1]):
            J[r, k] = 0.0
    for p in range(topology.chain_start[link], topology.chain_start[link + 1]):
        k = first + topology.chain[p]
        J[0, k], J[1, k], J[2, k] = velocity_at(S, k, x, y, z)
        for r in range(3):
            J[3 + r, k] = S[k, 3 + r]


@kernel
def point_mobility(table, link, point, J, out):
    """Write position, velocities and mobility of a point of a link at the start of a step.

    ``point`` (3,) is in the link's frame; J (6, nv) is scratch. ``out``, shape (8, 6): position and
    zeros; ``J v_free``, the twist of the point (linear, angular) at the end of the step without
    constraint impulses; ``W = J (M + dt D + dt^2 K)^-1 J'``, ignoring closed loops.
    """
    topology, dynamics = tables.open_topology(table), tables.open_dynamics(table)
    tree = topology.link_tree[link]
    first, n = topology.tree_v[tree], topology.tree_v[tree + 1] - topology.tree_v[tree]
    x, y, z = placed(dynamics.pose, link, point[0], point[1], point[2])
    out[0, 0], out[0, 1], out[0, 2] = x, y, z
    out[0, 3], out[0, 4], out[0, 5] = 0.0, 0.0, 0.0
    point_rows(topology, dynamics, link, x, y, z, J)
    for r in range(6):
        speed = 0.0
        for k in range(first, first + n):
            speed += J[r, k] * dynamics.v_free[k]
        out[1, r] = speed
    work = dynamics.work
    for c in range(6):
        for k in range(first, first + n):
            work[k] = J[c, k]
        solve(topology, tree, dynamics.L, work)
        for r in range(6):
            s = 0.0
            for k in range(first, first + n):
                s += J[r, k] * work[k]
            out[2 + r, c] = s
