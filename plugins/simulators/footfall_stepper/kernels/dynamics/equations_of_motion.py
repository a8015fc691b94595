"""The equations of motion of one tree on packed arrays: inertia, bias, free velocity, energies.

Also the update of positions and velocities on the configuration manifold.
"""

from __future__ import annotations

import math

from footfall.jit.compiling import inner
from footfall.jit.four import get_four, set_four
from footfall.spatial.rotation import (
    cross,
    exponential,
    placed,
    rotate_back,
    turn_quaternion,
)
from footfall.world.arrays import Energy
from footfall_stepper.kernels.dynamics.factor import (
    factor,
    product_of_six,
    solve_factored,
    tree_layout,
)
from footfall_stepper.kernels.dynamics.joint_springs import add_joint_springs
from footfall_stepper.world.joint_rows import JointRowForm, JointRowUse


@inner
def copy_numbers(x, i, y, j, n):
    """Copy n numbers of y, from entry j on, to x, from entry i on, four at a time."""
    for k in range(0, n - 3, 4):
        set_four(x, i + k, get_four(y, j + k))
    for k in range(n - n % 4, n):
        x[i + k] = y[j + k]


@inner
def gather(topology, dynamics, tree, M, h, S, pose):
    """Copy an engine's M (nv, nv), h, S and pose of one tree into the packed arrays."""
    first, n = topology.tree_v[tree], topology.tree_v[tree + 1] - topology.tree_v[tree]
    at = topology.tree_M[tree]
    for i in range(n):
        copy_numbers(dynamics.M, at + i * n, M[i], 0, n)
        dynamics.h[first + i] = h[i]
        copy_numbers(dynamics.S[first + i], 0, S[i], 0, 6)
    link = topology.tree_link[tree]
    for i in range(topology.tree_link[tree + 1] - link):
        copy_numbers(dynamics.pose[link + i], 0, pose[i], 0, 12)


@inner
def mixed_bias(topology, dynamics, tree, v):
    """Turn h into the bias force for *mixed* base accelerations.

    With body-frame twist (v, w), the world-aligned acceleration in base axes is ``dv/dt + w x v``:
    ``M vdot + h = M vdot_mixed + (h - M [w x v; 0; 0])``.
    """
    if topology.floating[tree] == 0:
        return
    first, n = topology.tree_v[tree], topology.tree_v[tree + 1] - topology.tree_v[tree]
    at = topology.tree_M[tree]
    w0, w1, w2 = v[first + 3], v[first + 4], v[first + 5]
    a, b, c = cross(w0, w1, w2, v[first], v[first + 1], v[first + 2])
    for i in range(n):
        M, row = dynamics.M, at + i * n
        dynamics.h[first + i] -= M[row] * a + M[row + 1] * b + M[row + 2] * c


@inner
def quadratic_form(topology, dynamics, tree, x):
    """Return x' M x of one tree: each dof with itself and, twice, with the dofs that carry it."""
    first, n, at, base = tree_layout(topology, tree)
    M, total = dynamics.M, 0.0
    for i in range(n):
        row, j, end = at + i * n, topology.dof_parent[first + i], base if i >= base else 0
        s = product_of_six(M, row, x, first) if end > 0 else 0.0
        while j >= end:
            s += M[row + j] * x[first + j]
            j = topology.dof_parent[first + j]
        total += x[first + i] * (2.0 * s + M[row + i] * x[first + i])
    return total


@inner
def add_armature(topology, joints, dynamics, tree):
    """Add the reflected inertia to M: its diagonal, and between coupled joints."""
    first, n = topology.tree_v[tree], topology.tree_v[tree + 1] - topology.tree_v[tree]
    at = topology.tree_M[tree]
    for i in range(n):
        dynamics.M[at + i * n + i] += joints.armature[first + i]
    for e in range(joints.coupling_start[tree], joints.coupling_start[tree + 1]):
        i, j = joints.coupling[e, 0], joints.coupling[e, 1]
        dynamics.M[at + i * n + j] += joints.coupling_inertia[e]
        dynamics.M[at + j * n + i] += joints.coupling_inertia[e]


@inner
def add_coupled_damping(joints, dynamics, tree, first, at, n, v, force, dt):
    """Add viscous friction of coupled joints to the factor's matrix, ``dt`` its force to forces."""
    for e in range(joints.coupling_start[tree], joints.coupling_start[tree + 1]):
        i, j, d = joints.coupling[e, 0], joints.coupling[e, 1], joints.coupling_damping[e]
        dynamics.L[at + i * n + j] += dt * d
        force[first + i] -= dt * d * v[first + j]
        force[first + j] -= dt * d * v[first + i]


@inner
def free_velocity(topology, joints, rows, dynamics, tree, q, v, dt):
    """Factor ``M + dt D + dt^2 K`` and compute the velocity without constraint impulses.

    ``(M + dt D + dt^2 K) (v_free - v) = dt (tau + f - h - K (s + dt v - target) - D v + Kd rate)``
    with D the sum of passive damping and implicit rate gain Kd: gains and viscous terms act at the
    end of the step (implicit Euler), so that stiff gains stay stable.
    """
    first, n = topology.tree_v[tree], topology.tree_v[tree + 1] - topology.tree_v[tree]
    at = topology.tree_M[tree]
    copy_numbers(dynamics.L, at, dynamics.M, at, n * n)
    for i in range(n):
        k = first + i
        rate = joints.damping[k] + joints.rate_gain[k]
        dynamics.L[at + i * n + i] += dt * (rate + dt * joints.stiffness[k])
        force = joints.tau[k] + joints.external[k] - dynamics.h[k] - joints.damping[k] * v[k]
        if topology.dof_q[k] >= 0:
            s = q[topology.dof_q[k]]
            force -= joints.stiffness[k] * (s + dt * v[k] - joints.target[k])
            force -= joints.rate_gain[k] * (v[k] - joints.target_rate[k])
        dynamics.v_free[k] = dt * force
    add_coupled_damping(joints, dynamics, tree, first, at, n, v, dynamics.v_free, dt)
    if rows.active[JointRowUse.FORM] == JointRowForm.AS_SPRINGS:
        add_joint_springs(rows, topology, dynamics, tree, q, v, dt)
    pivot = factor(topology, tree, dynamics.L, dynamics.v_free)
    solve_factored(topology, tree, dynamics.L, dynamics.v_free)
    for k in range(first, first + n):
        dynamics.v_free[k] += v[k]
    return pivot


@inner
def add_potential(topology, dynamics, tree, energy):
    """Add the tree's potential energy ``-sum m g . c`` and its mass moment to ``energy[1:6]``."""
    pose, g = dynamics.pose, topology.gravity
    for link in range(topology.tree_link[tree], topology.tree_link[tree + 1]):
        m = topology.mass[link]
        if m == 0.0:
            continue
        cx, cy, cz = topology.com[link, 0], topology.com[link, 1], topology.com[link, 2]
        centre = placed(pose, link, cx, cy, cz)
        for k in range(3):
            energy[Energy.POTENTIAL] -= m * g[k] * centre[k]
            energy[2 + k] += m * centre[k]
        energy[Energy.TOTAL_MASS] += m


@inner
def start_energy(energy):
    """Clear the sums of a new evaluation."""
    for i in range(8):
        energy[i] = 0.0
    energy[Energy.LEAST_PIVOT] = 1e300


@inner
def settle_tree(topology, joints, rows, dynamics, tree, q, v, dt):
    """Process an evaluation of one tree: M, h, S and pose."""
    add_armature(topology, joints, dynamics, tree)
    mixed_bias(topology, dynamics, tree, v)
    pivot = free_velocity(topology, joints, rows, dynamics, tree, q, v, dt)
    dynamics.energy[Energy.KINETIC] += 0.5 * quadratic_form(topology, dynamics, tree, v)
    add_potential(topology, dynamics, tree, dynamics.energy)
    at, n = topology.tree_M[tree], topology.tree_v[tree + 1] - topology.tree_v[tree]
    for i in range(n):
        dynamics.scale[topology.tree_v[tree] + i] = 1.0 / math.sqrt(dynamics.L[at + i * n + i])
    dynamics.energy[Energy.LEAST_PIVOT] = min(dynamics.energy[Energy.LEAST_PIVOT], pivot)
    if not math.isfinite(pivot):
        dynamics.energy[Energy.LEAST_PIVOT] = -1.0


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
