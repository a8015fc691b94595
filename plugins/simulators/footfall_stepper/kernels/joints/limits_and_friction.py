"""Limits and Coulomb friction of joints as blocks of one row, after the cones of the contacts."""

from __future__ import annotations

from footfall.jit.compiling import inner
from footfall.problem.arrays import BlockKind, ProblemSize
from footfall.problem.blocks import enter_block
from footfall_stepper.world.joint_rows import JointRowForm, JointRowUse


@inner
def enter_joint_rows(rows, topology, dynamics, state, sides, problem, dt):
    """Enter limits that joints are near or may reach within the step, and all friction.

    A limit: ``0 <= r  perp  gap / dt + sign v+ >= 0``. Friction: ``v+ = 0`` while ``|r|`` is less
    than ``dt`` times the friction; otherwise r has this value, against the motion.
    """
    if rows.active[JointRowUse.FORM] != JointRowForm.IN_PROBLEM:
        return
    for j in range(len(rows.kind)):
        dof, sign, gap, bound = rows.dof[j], rows.sign[j], 0.0, 0.0
        if rows.kind[j] == BlockKind.UNILATERAL:
            gap = sign * (state.q[topology.dof_q[dof]] - rows.value[j])
            speed = min(sign * state.v[dof], sign * dynamics.v_free[dof])
            if gap > NEAR and gap + 1.5 * dt * speed > 0.0:
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
        gap = rows.sign[j] * (state.q[topology.dof_q[rows.dof[j]]] - rows.value[j])
        if rows.kind[j] != BlockKind.UNILATERAL or gap > touch:
            continue
        enter_row(rows, j, sides, problem, gap, 0.0, 0.0)


@inner
def enter_row(rows, j, sides, problem, gap, bound, impulse):
    """Add row j to the problem, with an impulse between -bound and bound."""
    b = enter_block(problem, sides, rows.kind[j], 1, -1, -1, rows.link[j])
    problem.gap[b], problem.lower[b], problem.upper[b] = gap, -bound, bound
    problem.impulse[problem.row[b]], sides.joint[b] = impulse, j
    problem.mu[b], problem.restitution[b] = 0.0, 0.0
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
