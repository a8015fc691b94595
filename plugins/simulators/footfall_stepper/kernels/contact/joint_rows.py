"""Limits, backlash and Coulomb friction of joints as blocks of one row, after the contacts."""

from __future__ import annotations

from footfall.jit.compiling import inner
from footfall.problem.arrays import BlockKind, ProblemSize
from footfall.problem.blocks import enter_block
from footfall_stepper.kernels.contact.assemble_problem import row_speeds
from footfall_stepper.kernels.contact.declared import note_impact, stays_out
from footfall_stepper.world.joint_rows import JointRowForm, JointRowUse


@inner
def row_gap(rows, j, topology, q):
    """Return the gap of a limit or of a side of a backlash, [rad or m]."""
    gap = rows.sign[j] * (q[topology.dof_q[rows.dof[j]]] - rows.value[j])
    for m in range(rows.more_start[j], rows.more_start[j + 1]):
        gap += rows.more_value[m] * q[topology.dof_q[rows.more_dof[m]]]
    return gap


@inner
def look_ahead_rows(rows, topology, dynamics, state, monitor, threshold, dt):
    """Continue ``look_ahead`` with the limits that have restitution."""
    for j in range(len(rows.kind)):
        if rows.restitution[j] > 0.0:
            gap = row_gap(rows, j, topology, state.q)
            u, u_free = row_speeds(rows, j, state.v, dynamics.v_free)
            note_impact(monitor.step, gap, rows.restitution[j], u, u_free, threshold, dt)


@inner
def enter_joint_rows(rows, topology, dynamics, state, sides, problem, speeds, dt):
    """Enter limits that joints are near or may reach within the step, and all friction.

    A limit: ``0 <= r  perp  gap / dt + sign v+ >= 0``. Friction: ``v+ = 0`` while ``|r|`` is less
    than ``dt`` times the friction; otherwise r has this value, against the motion. ``speeds``: see
    ``stays_out``.
    """
    if rows.active[JointRowUse.FORM] != JointRowForm.IN_PROBLEM:
        return
    for j in range(len(rows.kind)):
        gap, bound = 0.0, 0.0
        if rows.kind[j] == BlockKind.UNILATERAL:
            gap = row_gap(rows, j, topology, state.q)
            u, u_free = row_speeds(rows, j, state.v, dynamics.v_free)
            S, dof = dynamics.S, rows.dof[j]
            turns = S[dof, 3] != 0.0 or S[dof, 4] != 0.0 or S[dof, 5] != 0.0
            near = NEAR if turns else NEAR * problem.metre[0]
            if gap > near and gap + 1.5 * dt * min(u, u_free) > 0.0:
                continue
            if rows.restitution[j] > 0.0 and stays_out(gap, u, rows.restitution[j], speeds):
                continue
        else:
            bound = dt * rows.value[j]
        enter_row(rows, j, sides, problem, gap, bound, state.joint_impulse[j])


@inner
def enter_limits(rows, topology, state, sides, problem, touch):
    """Enter the limits that joints have reached at an impact, ``0 <= r  perp  sign v+ >= 0``.

    Friction is left out: a bounded force gives no impulse in zero time.
    """
    for j in range(len(rows.kind)):
        if rows.kind[j] != BlockKind.UNILATERAL:
            continue
        gap = row_gap(rows, j, topology, state.q)
        if gap <= touch:
            enter_row(rows, j, sides, problem, gap, 0.0, 0.0)


@inner
def stops_are_open(rows, topology, q, touch):
    """Return whether no limit with restitution has a gap of at most ``touch``, [rad or m]."""
    for j in range(len(rows.kind)):
        if rows.restitution[j] > 0.0 and row_gap(rows, j, topology, q) <= touch:
            return 0
    return 1


@inner
def enter_row(rows, j, sides, problem, gap, bound, impulse):
    """Add row j to the problem, with an impulse between -bound and bound."""
    b = enter_block(problem, sides, rows.kind[j], 1, -1, -1, rows.link[j])
    problem.gap[b], problem.lower[b], problem.upper[b] = gap, -bound, bound
    problem.impulse[problem.row[b]], sides.joint[b] = impulse, j
    problem.mu[b], problem.restitution[b] = 0.0, rows.restitution[j]
    for k in range(3):
        problem.position[b, k] = 0.0


@inner
def add_joint_impulses(rows, sides, problem):
    """Add the impulses on joints to the sums of the step."""
    for b in range(problem.size[ProblemSize.BLOCKS]):
        if problem.kind[b] < BlockKind.CONE:
            rows.impulse[sides.joint[b]] += problem.impulse[problem.row[b]]


@inner
def collect_joint_rows(rows, state, sides, problem):
    """Store the impulses on joints: warm start, and sum over the step."""
    add_joint_impulses(rows, sides, problem)
    for j in range(len(rows.kind)):
        state.joint_impulse[j] = 0.0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        if problem.kind[b] < BlockKind.CONE:
            state.joint_impulse[sides.joint[b]] = problem.impulse[problem.row[b]]


NEAR = 1e-2
"""Distance to a limit at which its row enters, [rad or m]: contacts may push a joint there."""
