"""Positions and velocities of trees on the configuration manifold."""

from __future__ import annotations

from footfall.jit.compiling import inner
from footfall.spatial.rotation import exponential, rotate_back, turn_quaternion


@inner
def move_base(q, v, qa, va, new, position, dt):
    """Move a floating base: world-aligned velocity, exponential map, back to the body frame.

    ``p+ = p + dt R v``, ``R+ = R exp(dt w)``, and the new velocities, given in the axes of the old
    base frame, are expressed in the new one: ``v+ <- exp(dt w)' v+``.
    """
    x, y, z, w = q[qa + 3], q[qa + 4], q[qa + 5], q[qa + 6]
    dx, dy, dz = rotate_back(-x, -y, -z, w, position[va], position[va + 1], position[va + 2])
    q[qa] += dt * dx
    q[qa + 1] += dt * dy
    q[qa + 2] += dt * dz
    ex, ey, ez, ew = exponential(
        dt * position[va + 3], dt * position[va + 4], dt * position[va + 5]
    )
    turn_quaternion(q, qa + 3, ex, ey, ez, ew)
    for i in (va, va + 3):
        v[i], v[i + 1], v[i + 2] = rotate_back(ex, ey, ez, ew, new[i], new[i + 1], new[i + 2])


@inner
def move_tree(topology, tree, q, v, new, position, dt):
    """Update q and v of a tree on the configuration manifold."""
    first, end = topology.tree_v[tree], topology.tree_v[tree + 1]
    if topology.floating[tree] == 1:
        move_base(q, v, topology.tree_q[tree], first, new, position, dt)
        first += 6
    for k in range(first, end):
        q[topology.dof_q[k]] += dt * position[k]
        v[k] = new[k]


@inner
def move(topology, dynamics, q, v, dt):
    """Update q and v of every tree with given velocities, without dynamics."""
    for tree in range(len(topology.free)):
        move_tree(topology, tree, q, v, dynamics.v_new, dynamics.v_position, dt)
