"""Limits and Coulomb friction of joints as blocks of one row, after the cones of the contacts."""

from __future__ import annotations

from footfall.kernels.compile import inner

UNILATERAL, BOX = 1, 2
NEAR = 1e-2
"""Distance to a limit from which its row enters, [rad or m]: contacts can push a joint there."""


@inner
def enter_joint_rows(rows, topology, dynamics, state, sides, problem, dt):
    """Enter limits that joints are near to or may reach within the step, and all friction.

    A limit: ``0 <= r  perp  gap / dt + sign v+ >= 0``. Friction: ``v+ = 0`` while ``|r|`` is less
    than ``dt`` times the friction, which it else reaches against the motion.
    """
    b, row = problem.size[0], problem.size[1]
    if rows.active[0] == 0:
        return
    for j in range(len(rows.kind)):
        dof, sign, gap, bound = rows.dof[j], rows.sign[j], 0.0, 0.0
        if rows.kind[j] == UNILATERAL:
            gap = sign * (state.q[topology.dof_q[dof]] - rows.value[j])
            speed = min(sign * state.v[dof], sign * dynamics.v_free[dof])
            if gap > NEAR and gap + 1.5 * dt * speed > 0.0:
                continue
        else:
            bound = dt * rows.value[j]
        problem.kind[b], problem.row[b], problem.candidate[b] = rows.kind[j], row, -1
        problem.gap[b], problem.mu[b], problem.restitution[b] = gap, 0.0, 0.0
        problem.lower[b], problem.upper[b] = -bound, bound
        for k in range(3):
            problem.position[b, k] = 0.0
        problem.impulse[row] = state.joint_impulse[j]
        problem.offset[row], problem.correction[row] = 0.0, 0.0
        sides.link[b, 0], sides.link[b, 1], sides.joint[b] = -1, rows.link[j], j
        b += 1
        row += 1
    problem.size[0], problem.size[1] = b, row
    problem.row[b] = row


@inner
def joint_side(topology, dynamics, sign, link, Z, at):
    """Write ``Z = D^-1/2 L^-T J'`` of a row ``sign v`` of the joint that carries a link.

    In the storage of a cone, three numbers a dof, of which the second and third are zero. Returns
    the end of it.
    """
    tree = topology.link_tree[link]
    first, L0 = topology.tree_v[tree], topology.tree_M[tree]
    n = topology.tree_v[tree + 1] - first
    start, end = topology.chain_start[link], topology.chain_start[link + 1]
    for k in range(3 * (end - start)):
        Z[at + k] = 0.0
    Z[at + 3 * (end - start - 1)] = sign
    for p in range(end - start - 1, -1, -1):
        i = topology.chain[start + p]
        z = Z[at + 3 * p]
        for r in range(p):
            Z[at + 3 * r] -= dynamics.L[L0 + i * n + topology.chain[start + r]] * z
        Z[at + 3 * p] = dynamics.scale[first + i] * z
    return at + 3 * (end - start)


@inner
def joint_velocity(rows, dynamics, problem, sides, b, v):
    """Write the velocities of block b's row."""
    j, row = sides.joint[b], problem.row[b]
    problem.velocity[row] = rows.sign[j] * v[rows.dof[j]]
    problem.free_velocity[row] = rows.sign[j] * dynamics.v_free[rows.dof[j]]


@inner
def collect_joint_rows(rows, state, sides, problem):
    """Book the impulses on joints: warm start, and sum over the step."""
    for j in range(len(rows.kind)):
        state.joint_impulse[j] = 0.0
    for b in range(problem.size[0]):
        if problem.candidate[b] < 0:
            r = problem.impulse[problem.row[b]]
            state.joint_impulse[sides.joint[b]] = r
            rows.impulse[sides.joint[b]] += r
