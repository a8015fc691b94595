"""Limits and Coulomb friction of joints as blocks of one row, after the cones of the contacts."""

from __future__ import annotations

from footfall.jit.compiling import inner
from footfall.kernels.dynamics.factor import along_chain, over_all
from footfall.problem.arrays import BLOCKS, CONE, ROWS
from footfall.world.joint_rows import FORM, IN_PROBLEM, UNILATERAL


@inner
def enter_joint_rows(rows, topology, dynamics, state, sides, problem, dt):
    """Enter limits that joints are near to or may reach within the step, and all friction.

    A limit: ``0 <= r  perp  gap / dt + sign v+ >= 0``. Friction: ``v+ = 0`` while ``|r|`` is less
    than ``dt`` times the friction, which it else reaches against the motion.
    """
    b, row = problem.size[BLOCKS], problem.size[ROWS]
    if rows.active[FORM] != IN_PROBLEM:
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
        enter_row(rows, j, sides, problem, b, row)
        problem.gap[b], problem.lower[b], problem.upper[b] = gap, -bound, bound
        problem.impulse[row] = state.joint_impulse[j]
        b += 1
        row += 1
    problem.size[BLOCKS], problem.size[ROWS] = b, row
    problem.row[b] = row


@inner
def enter_limits(rows, topology, state, sides, problem, touch):
    """Enter the limits that joints are at in an impact, ``0 <= r  perp  sign v+ >= 0``.

    Friction has no part in it: what is bounded gives no impulse in no time.
    """
    b, row = problem.size[BLOCKS], problem.size[ROWS]
    for j in range(len(rows.kind)):
        gap = rows.sign[j] * (state.q[topology.dof_q[rows.dof[j]]] - rows.value[j])
        if rows.kind[j] != UNILATERAL or gap > touch:
            continue
        enter_row(rows, j, sides, problem, b, row)
        problem.gap[b], problem.lower[b], problem.upper[b] = gap, 0.0, 0.0
        problem.impulse[row] = 0.0
        b += 1
        row += 1
    problem.size[BLOCKS], problem.size[ROWS] = b, row
    problem.row[b] = row


@inner
def enter_row(rows, j, sides, problem, b, row):
    """Make row j the problem's block b."""
    problem.kind[b], problem.row[b], problem.candidate[b] = rows.kind[j], row, -1
    problem.mu[b], problem.restitution[b] = 0.0, 0.0
    for k in range(3):
        problem.position[b, k] = 0.0
    problem.offset[row], problem.correction[row] = 0.0, 0.0
    sides.link[b, 0], sides.link[b, 1], sides.joint[b] = -1, rows.link[j], j


@inner
def joint_side(rows, j, topology, dynamics, Z, at):
    """Write ``Z = D^-1/2 L^-T J'`` of row j: ``sign v`` of its joint, and of more that it moves.

    In the storage of a cone, three numbers a dof, of which the second and third are zero. Returns
    the end of it.
    """
    link = rows.link[j]
    tree = topology.link_tree[link]
    first, start = topology.tree_v[tree], topology.chain_start[link]
    dense, own = topology.dense[tree] == 1, rows.dof[j] - topology.tree_v[tree]
    count = topology.chain_start[link + 1] - start
    if dense:
        count = topology.tree_v[tree + 1] - first
    for k in range(3 * count):
        Z[at + k] = 0.0
    Z[at + 3 * (own if dense else count - 1)] = rows.sign[j]
    for m in range(rows.more_start[j], rows.more_start[j + 1]):
        place = rows.more_dof[m] - first
        if not dense:
            p = 0
            while topology.chain[start + p] != place:
                p += 1
            place = p
        Z[at + 3 * place] += rows.more_value[m]
    if dense:
        return over_all(topology, dynamics, tree, Z, at)
    return along_chain(topology, dynamics, link, Z, at)


@inner
def joint_velocity(rows, dynamics, problem, sides, b, v):
    """Write the velocities of block b's row."""
    j, row = sides.joint[b], problem.row[b]
    now, free = rows.sign[j] * v[rows.dof[j]], rows.sign[j] * dynamics.v_free[rows.dof[j]]
    for m in range(rows.more_start[j], rows.more_start[j + 1]):
        now += rows.more_value[m] * v[rows.more_dof[m]]
        free += rows.more_value[m] * dynamics.v_free[rows.more_dof[m]]
    problem.velocity[row], problem.free_velocity[row] = now, free


@inner
def add_joint_impulses(rows, sides, problem):
    """Add the impulses on joints to the sums of the step."""
    for b in range(problem.size[BLOCKS]):
        if problem.kind[b] < CONE:
            rows.impulse[sides.joint[b]] += problem.impulse[problem.row[b]]


@inner
def collect_joint_rows(rows, state, sides, problem):
    """Book the impulses on joints: warm start, and sum over the step."""
    add_joint_impulses(rows, sides, problem)
    for j in range(len(rows.kind)):
        state.joint_impulse[j] = 0.0
    for b in range(problem.size[BLOCKS]):
        if problem.kind[b] < CONE:
            state.joint_impulse[sides.joint[b]] = problem.impulse[problem.row[b]]


NEAR = 1e-2
"""Distance to a limit from which its row enters, [rad or m]: contacts can push a joint there."""
