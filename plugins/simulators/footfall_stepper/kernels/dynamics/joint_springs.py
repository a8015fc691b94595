"""Limits as springs and friction as a steep damper, for laws without rows of joints.

Both are part of the factored matrix, as gains are. ``K (limit - s+) - D s_dot+`` pushes back a
joint that the step would take beyond its limit. ``-F s_dot+ / max(|s_dot|, CREEP)`` is friction.
Both are stable for any step and dissipate energy, but are not exact: a joint rests beyond its
limit by the compression of the spring, and below its friction it creeps at up to ``CREEP``.
"""

from __future__ import annotations

from footfall.jit.compiling import inner
from footfall.problem.arrays import BlockKind

CREEP = 1e-3
"""Speed above which the full friction acts, [rad/s or m/s]; ``JointRows.creep`` in the units of
a scene."""


@inner
def add_joint_springs(rows, topology, dynamics, tree, q, v, dt):
    """Add the springs to a tree's matrix to factor, and ``dt`` times their force to ``v_free``."""
    first, at = topology.tree_v[tree], topology.tree_M[tree]
    n = topology.tree_v[tree + 1] - first
    for j in range(rows.tree_start[tree], rows.tree_start[tree + 1]):
        k = rows.dof[j]
        diagonal = at + (k - first) * (n + 1)
        rows.acting[j] = 0.0
        if rows.kind[j] == BlockKind.UNILATERAL:
            speed = rows.sign[j] * v[k]
            ahead = rows.sign[j] * (rows.value[j] - q[topology.dof_q[k]]) - dt * speed
            push = rows.stiffness[j] * ahead - rows.damping[j] * speed
            if ahead > 0.0 and push > 0.0:
                rows.acting[j] = 1.0
                dynamics.L[diagonal] += dt * (rows.damping[j] + dt * rows.stiffness[j])
                dynamics.v_free[k] += dt * rows.sign[j] * push
        else:
            rows.acting[j] = rows.value[j] / max(abs(v[k]), rows.creep[j])
            dynamics.L[diagonal] += dt * rows.acting[j]
            dynamics.v_free[k] -= dt * rows.acting[j] * v[k]


@inner
def spring_loss(rows, topology, dynamics, change, q, v, dt):
    """Return the energy dissipated by the springs, [J], and add their impulses to the step's."""
    loss = 0.0
    for j in range(len(rows.kind)):
        if rows.acting[j] == 0.0:
            continue
        k, sign = rows.dof[j], rows.sign[j]
        end = dynamics.v_new[k] - change[k]
        force = -rows.acting[j] * end
        if rows.kind[j] == BlockKind.UNILATERAL:
            ahead = sign * (rows.value[j] - q[topology.dof_q[k]]) - dt * sign * end
            force = sign * (rows.stiffness[j] * ahead - rows.damping[j] * sign * end)
        loss -= 0.5 * dt * (dynamics.v_new[k] + v[k]) * force
        rows.impulse[j] += dt * sign * force
    return loss
