"""The adjoint of a step: the gradient by the old state from that by the new one, without Jacobians.

With g the gradient by the velocity x that the law has solved for, and the names of
``kernels.answer``, the multipliers of contacts and of momentum are

    s = -(R W E + D)^-T E' J M^-1 g,   p = R' s,   l = M^-1 (g + J' p)

What remains are derivatives of two numbers at fixed l, p: the power ``l . ID(q, v, a)`` and
``p . J(q) x + r . J(q) l``. Recursions over the tree find them as they find forces. With ``L`` the
twists of l, and ``B``, ``C``, ``F`` sums, over the links after dof j, of ``I L``,
``V x* I L - I (V x L) - L x* I V`` and of the wrenches,

    d(l . ID)/dq_j = second_j . B + rate_j . C - S_j . (L_before x* F)
    d(l . ID)/dv_j = turn_j . B + S_j . C
"""

from __future__ import annotations

import math

from footfall.api.advanced import complete_matrix
from footfall.api.contact import BlockKind, ProblemReport, ProblemSize
from footfall.api.kernels import call, inner, kernel
from footfall_gradients.kernels.answer import (
    AnswerSize,
    enter_blocks,
    factorise,
    is_shared,
    soft_rates,
    solve_transposed,
    write_matrix,
)
from footfall_gradients.kernels.inertia import copy_inertia
from footfall_gradients.kernels.inverse_dynamics import (
    add_wrench_times,
    clear,
    dot,
    forward,
    gather_wrenches,
    twists_of,
)
from footfall_gradients.kernels.inverse_dynamics import times as cross_motions
from footfall_gradients.kernels.move import Matrix, back, pull_state
from footfall_gradients.kernels.parameters import add_masses, add_parameters
from footfall_gradients.kernels.part import (
    AGREES,
    CHANGED,
    DONE,
    GAINS,
    TOUCHING,
    UNBALANCED,
    PartKind,
    added_inertia,
    begin_dynamics,
    cross,
    half_turning,
    is_uncut,
    load_of,
    times,
    unbalanced_tree,
)
from footfall_gradients.tables import (
    adjoint,
    kept,
    kept_motion,
    kept_parameters,
    kept_tree,
    kept_work,
    part_dynamics,
    part_joints,
    part_problem,
    part_sides,
    part_topology,
    path,
    stride,
)


@inner
def copy(x, out):
    """Copy a vector."""
    for i in range(len(out)):
        out[i] = x[i]


@inner
def copy_rows(x, out):
    """Copy rows."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = x[i, j]


@kernel
def keep(table):
    """Store the step just made; return 1, or 0 if it needs its Jacobians instead."""
    dynamics, joints, sides = part_dynamics(table), part_joints(table), part_sides(table)
    p, a, k = part_problem(table), adjoint(table), kept(table)
    pushed = (a.acting[0] > 0 and a.acting[1] > 0) or a.acting[2] > 0
    if p.size[ProblemSize.IMPULSIVE] == 1 or pushed:
        return 0
    for b in range(p.size[ProblemSize.BLOCKS]):
        if p.candidate[b] >= len(a.query):  # a contact that was detected
            return 0
    for tree in range(len(a.kind)):
        corrects = p.report[ProblemReport.CORRECTS] != 0.0
        if a.flying[tree] > 0 and (a.kind[tree] == PartKind.FLOATING or corrects):
            return 0
    copy(dynamics.M, k.M)
    copy(dynamics.L, k.L)
    copy_rows(dynamics.S, k.S)
    copy_rows(dynamics.pose, k.pose)
    for i in range(len(k.x)):
        k.x[i], k.place[i], k.tau[i] = a.v_new[i], a.v_position[i], joints.tau[i]
        k.stiffness[i], k.damping[i] = joints.stiffness[i], joints.damping[i]
        k.rate_gain[i], k.external[i] = joints.rate_gain[i], joints.external[i]
        k.target[i], k.target_rate[i] = joints.target[i], joints.target_rate[i]
    copy(a.flying, k.airborne)
    copy(p.size, k.size)
    k.corrects[0] = p.report[ProblemReport.CORRECTS]
    if complete_matrix(p) != 0:
        return 0
    blocks, rows = p.size[ProblemSize.BLOCKS], p.size[ProblemSize.ROWS]
    for b in range(blocks):
        k.kind[b], k.row[b], k.candidate[b] = p.kind[b], p.row[b], p.candidate[b]
        k.mu[b], k.gap[b], k.lower[b], k.upper[b] = p.mu[b], p.gap[b], p.lower[b], p.upper[b]
        k.link[b, 0], k.link[b, 1], k.joint[b] = sides.link[b, 0], sides.link[b, 1], sides.joint[b]
        for i in range(3 if p.kind[b] == BlockKind.CONE else 0):
            k.position[b, i], k.centre[b, i] = p.position[b, i], a.query[p.candidate[b], i]
            for j in range(3):
                k.frame[b, 3 * i + j] = p.frame[b, i, j]
    k.row[blocks] = rows
    for r in range(rows):
        k.impulse[r], k.offset[r], k.correction[r] = p.impulse[r], p.offset[r], p.correction[r]
        for i in range(rows):
            k.W[r, i] = 0.0
    for b in range(blocks):
        for pair in range(p.pair_start[b], p.pair_start[b + 1]):
            c, at = p.pair_block[pair], p.pair_data[pair]
            width = p.row[c + 1] - p.row[c]
            for i in range(p.row[b + 1] - p.row[b]):
                for j in range(width):
                    k.W[p.row[b] + i, p.row[c] + j] = p.W[at + i * width + j]
    return 1


@inner
def solve_inertia(topology, L, x):
    """Overwrite x with ``(L' D L)^-1 x``."""
    for tree in range(len(topology.free)):
        first, at = topology.tree_v[tree], topology.tree_M[tree]
        n = topology.tree_v[tree + 1] - first
        for i in range(n - 1, -1, -1):
            s = x[first + i]
            j = topology.dof_parent[first + i]
            while j >= 0 and s != 0.0:
                x[first + j] -= L[at + i * n + j] * s
                j = topology.dof_parent[first + j]
        for i in range(n):
            s = x[first + i] / L[at + i * n + i]
            j = topology.dof_parent[first + i]
            while j >= 0:
                s -= L[at + i * n + j] * x[first + j]
                j = topology.dof_parent[first + j]
            x[first + i] = s


@inner
def add_force(F, e, f0, f1, f2, x, y, z):
    """Add the wrench of a force at a point to ``F_e``."""
    F[e, 0] += f0
    F[e, 1] += f1
    F[e, 2] += f2
    F[e, 3] += y * f2 - z * f1
    F[e, 4] += z * f0 - x * f2
    F[e, 5] += x * f1 - y * f0


@inner
def force_of(p, b, values):
    """Return a contact's three numbers in the world's axes."""
    r, f = p.row[b], p.frame
    x, y, z = values[r], values[r + 1], values[r + 2]
    return (
        x * f[b, 0] + y * f[b, 3] + z * f[b, 6],
        x * f[b, 1] + y * f[b, 4] + z * f[b, 7],
        x * f[b, 2] + y * f[b, 5] + z * f[b, 8],
    )


@inner
def end_of(t, p, b, side):
    """Return the last dof that moves a side of a contact, -1 if there is none."""
    link = p.link[b, side]
    return t.link_dof[link] if link >= 0 else -1


@inner
def row_speeds(t, p, a, V, x, blocks, out):
    """Write the velocity of the rows, ``J x``, from twists and velocities."""
    for b in range(blocks):
        r = p.row[b]
        if p.kind[b] == BlockKind.CONE:
            px, py, pz = p.position[b, 0], p.position[b, 1], p.position[b, 2]
            u0, u1, u2 = 0.0, 0.0, 0.0
            for side in range(2):
                e, s = end_of(t, p, b, side), 1.0 if side == 1 else -1.0
                if e >= 0:
                    c0, c1, c2 = cross(V[e, 3], V[e, 4], V[e, 5], px, py, pz)
                    u0, u1, u2 = u0 + s * (V[e, 0] + c0), u1 + s * (V[e, 1] + c1), u2 + s * c2
                    u2 += s * V[e, 2]
            for i in range(3):
                f0, f1, f2 = p.frame[b, 3 * i], p.frame[b, 3 * i + 1], p.frame[b, 3 * i + 2]
                out[r + i] = f0 * u0 + f1 * u1 + f2 * u2
        else:
            j = p.joint[b]
            s = a.sign[j] * x[a.dof[j]]
            for k in range(a.more_start[j], a.more_start[j + 1]):
                s += a.more_value[k] * x[a.more_dof[k]]
            out[r] = s


@inner
def add_joint_row(p, a, b, value, out):
    """Add the generalized force of a joint's row with the given value."""
    j = p.joint[b]
    out[a.dof[j]] += a.sign[j] * value
    for k in range(a.more_start[j], a.more_start[j + 1]):
        out[a.more_dof[k]] += a.more_value[k] * value


@inner
def row_forces(t, S, p, a, values, blocks, F, out):
    """Write the gathered wrenches of rows with the given values, and add ``J' values``."""
    clear(F)
    for b in range(blocks):
        if p.kind[b] == BlockKind.CONE:
            x, y, z = p.position[b, 0], p.position[b, 1], p.position[b, 2]
            f0, f1, f2 = force_of(p, b, values)
            for side in range(2):
                e, s = end_of(t, p, b, side), 1.0 if side == 1 else -1.0
                if e >= 0:
                    add_force(F, e, s * f0, s * f1, s * f2, x, y, z)
        else:
            add_joint_row(p, a, b, values[p.row[b]], out)
    gather_wrenches(t, F)
    for k in range(len(t.parent)):
        out[k] += dot(S, k, F, k)


@inner
def find_multipliers(topology, t, S, p, given, a, blocks, rows, dt):
    """Write both multipliers for the gradient ``of_x``, from impulse and target.

    ``dt``: as in ``enter_blocks``.
    """
    nv = len(a.x)
    for i in range(nv):
        a.multiplier[i] = a.of_x[i]
    solve_inertia(topology, p.L, a.multiplier)
    twists_of(t, S, a.multiplier, a.paired)
    clear(a.pushed)
    for r in range(rows):
        a.held[r] = a.shared[r] = 0.0
    a.size[AnswerSize.UNKNOWNS] = 0
    if rows == 0:
        return
    enter_blocks(p, p.joint, given, blocks, rows, dt, False, a)
    if a.size[AnswerSize.UNKNOWNS] > 0:
        row_speeds(t, p, a, a.paired, a.multiplier, blocks, a.seen)
        write_matrix(a, rows)
        factorise(a)
        solve_transposed(a)
        for i in range(nv):
            a.force[i] = 0.0
        row_forces(t, S, p, a, a.held, blocks, a.pushed, a.force)
        solve_inertia(topology, p.L, a.force)
        for i in range(nv):
            a.multiplier[i] += a.force[i]
        twists_of(t, S, a.multiplier, a.paired)
    if len(a.of_p) > 0:
        row_speeds(t, p, a, a.paired, a.multiplier, blocks, a.seen)
        for r in range(rows):
            for k in range(len(a.of_p)):
                a.of_p[k] += a.given[r, 1 + k] * (a.seen[r] + a.soft[r] * a.shared[r])


@inner
def write_momentum(t, pose, link, x, i, out, k):
    """Write the product of a link's inertia and the motion ``x_i`` to ``out_k``."""
    m, inertia = t.mass[link], t.inertia
    x0, x1, x2 = t.com[link, 0], t.com[link, 1], t.com[link, 2]
    c0 = pose[link, 0] * x0 + pose[link, 3] * x1 + pose[link, 6] * x2 + pose[link, 9]
    c1 = pose[link, 1] * x0 + pose[link, 4] * x1 + pose[link, 7] * x2 + pose[link, 10]
    c2 = pose[link, 2] * x0 + pose[link, 5] * x1 + pose[link, 8] * x2 + pose[link, 11]
    w0, w1, w2 = x[i, 3], x[i, 4], x[i, 5]
    d0, d1, d2 = cross(w0, w1, w2, c0, c1, c2)
    p0, p1, p2 = m * (x[i, 0] + d0), m * (x[i, 1] + d1), m * (x[i, 2] + d2)
    v0 = pose[link, 0] * w0 + pose[link, 1] * w1 + pose[link, 2] * w2
    v1 = pose[link, 3] * w0 + pose[link, 4] * w1 + pose[link, 5] * w2
    v2 = pose[link, 6] * w0 + pose[link, 7] * w1 + pose[link, 8] * w2
    l0, l1, l2 = times(inertia, link, v0, v1, v2)
    d0, d1, d2 = cross(c0, c1, c2, p0, p1, p2)
    out[k, 0], out[k, 1], out[k, 2] = p0, p1, p2
    out[k, 3] = d0 + pose[link, 0] * l0 + pose[link, 3] * l1 + pose[link, 6] * l2
    out[k, 4] = d1 + pose[link, 1] * l0 + pose[link, 4] * l1 + pose[link, 7] * l2
    out[k, 5] = d2 + pose[link, 2] * l0 + pose[link, 5] * l1 + pose[link, 8] * l2


@inner
def gather_links(topology, t, m, w, a):
    """Write F, B and C (``w.F``, ``w.down``, ``w.across``), gathered, and the trees' power."""
    clear(w.F)
    clear(w.down)
    clear(w.across)
    six, L = w.six, a.paired
    for tree in range(len(a.power)):
        a.power[tree] = 0.0
    for link in range(len(t.mass)):
        e = t.link_dof[link]
        if e < 0 or t.mass[link] == 0.0:
            continue
        write_momentum(t, m.pose, link, w.V, e, six, 0)
        write_momentum(t, m.pose, link, w.A, e, six, 1)
        write_momentum(t, m.pose, link, L, e, six, 2)
        cross_motions(w.V, e, L, e, six, 3)
        write_momentum(t, m.pose, link, six, 3, six, 4)
        add_wrench_times(w.V, e, six, 0, 1.0, six, 1)
        for i in range(6):
            w.F[e, i] += six[1, i]
            w.down[e, i] += six[2, i]
            w.across[e, i] -= six[4, i]
        add_wrench_times(w.V, e, six, 2, 1.0, w.across, e)
        add_wrench_times(L, e, six, 0, -1.0, w.across, e)
        a.power[topology.link_tree[link]] += dot(L, e, six, 1)
    gather_wrenches(t, w.F)
    gather_wrenches(t, w.down)
    gather_wrenches(t, w.across)


@inner
def gather_contacts(t, p, a, w, blocks):
    """Write the gathered terms of contacts in the derivatives of ``p . J x + r . J l``.

    ``slope`` holds the derivatives of the target velocity by the gaps.
    """
    clear(a.rest)
    for b in range(blocks):
        if p.kind[b] != BlockKind.CONE:
            continue
        x, y, z = p.position[b, 0], p.position[b, 1], p.position[b, 2]
        f0, f1, f2 = force_of(p, b, a.held)
        g0, g1, g2 = force_of(p, b, a.impulse)
        n = a.slope[b] * a.held[p.row[b] + 2]
        for side in range(2):
            e, s = end_of(t, p, b, side), 1.0 if side == 1 else -1.0
            if e < 0:
                continue
            for i in range(6):
                w.six[0, i] = w.six[1, i] = 0.0
            add_force(w.six, 0, s * f0, s * f1, s * f2, x, y, z)
            add_force(w.six, 1, s * g0, s * g1, s * g2, x, y, z)
            V, L = a.motion, a.paired
            add_wrench_times(V, e, w.six, 0, 1.0, a.rest, e)
            add_wrench_times(L, e, w.six, 1, 1.0, a.rest, e)
            h0, h1, h2 = cross(f0, f1, f2, V[e, 3], V[e, 4], V[e, 5])
            k0, k1, k2 = cross(g0, g1, g2, L[e, 3], L[e, 4], L[e, 5])
            h0, h1, h2 = h0 + k0, h1 + k1, h2 + k2
            n0, n1, n2 = p.frame[b, 6], p.frame[b, 7], p.frame[b, 8]
            # The position stays on the ground; the gap changes along the normal.
            up = n - (n0 * h0 + n1 * h1 + n2 * h2)
            h0, h1, h2 = h0 + up * n0, h1 + up * n1, h2 + up * n2
            c0, c1, c2 = p.centre[b, 0], p.centre[b, 1], p.centre[b, 2]
            add_force(a.rest, e, s * h0, s * h1, s * h2, c0, c1, c2)
    gather_wrenches(t, a.rest)


@inner
def add_slopes(t, m, w, a, contacts, root):
    """Add derivatives of both numbers by q, and by ``root v``, to the gradient."""
    for j in range(len(t.parent)):
        e, six = t.parent[j], w.six
        for i in range(6):
            six[0, i] = 0.0
        if e >= 0:
            add_wrench_times(a.paired, e, w.F, j, 1.0, six, 0)
            if contacts:
                add_wrench_times(a.paired, e, a.turned, j, -1.0, six, 0)
                add_wrench_times(a.motion, e, a.pushed, j, -1.0, six, 0)
        if contacts:
            for i in range(6):
                six[0, i] += a.rest[j, i]
        s = dot(m.S, j, six, 0) - dot(w.second, j, w.down, j) - dot(w.rate, j, w.across, j)
        a.of_q[j] += s
        a.of_v[j] -= root * (dot(w.turn, j, w.down, j) + dot(m.S, j, w.across, j))


@inner
def add_shares(topology, t, m, w, p, a, blocks, rows):
    """Add the derivative of ``shared . J x1`` by q to the gradient; the last term of a step."""
    if a.size[AnswerSize.UNKNOWNS] == 0 or not is_shared(a):
        return
    soft_rates(a)
    for r in range(rows):
        a.held[r] = 0.0
    for k in range(a.size[AnswerSize.UNKNOWNS]):
        for c in range(a.width[k]):
            a.held[a.first[k] + c] += a.column[k, c] * a.rate[k, 0]
    for i in range(len(a.x)):
        a.force[i] = a.line[i] = 0.0
    row_forces(t, m.S, p, a, a.held, blocks, a.pushed, a.force)
    solve_inertia(topology, p.L, a.force)
    twists_of(t, m.S, a.force, a.motion)
    clear(a.paired)
    copy(a.shared, a.held)
    row_forces(t, m.S, p, a, a.held, blocks, a.pushed, a.line)
    for b in range(blocks):
        a.slope[b] = 0.0
    gather_contacts(t, p, a, w, blocks)
    for j in range(len(t.parent)):
        if t.parent[j] >= 0:
            add_wrench_times(a.motion, t.parent[j], a.pushed, j, -1.0, a.rest, j)
        a.of_q[j] += dot(m.S, j, a.rest, j)


@inner
def add_gaps_of_joints(p, given, a, blocks):
    """Add the effect of the gaps of joint limits to the gradient."""
    for b in range(blocks):
        if p.kind[b] == BlockKind.UNILATERAL and a.slope[b] != 0.0:
            factor, j = a.slope[b] * a.held[p.row[b]], p.joint[b]
            add_joint_row(p, a, b, factor, a.of_q)
            for k in range(len(a.of_p)):
                a.of_p[k] -= factor * a.sign[j] * given.bound[j, k]


@inner
def add_inertia(topology, a, dt):
    """Add the effect of momentum and gains to the gradient, without ``ID``."""
    for tree in range(len(topology.free)):
        first, end, v = topology.tree_v[tree], topology.tree_v[tree + 1], a.v
        for i in range(first, end):
            a.of_q[i] -= dt * a.stiffness[i] * a.multiplier[i]
            s = 0.0
            for j in range(first, end):
                s += a.dense[i, j] * a.multiplier[j]
            a.line[i] = s
            a.of_v[i] += s
        i = first
        if a.kind[tree] == PartKind.FLOATING:
            m0, m1, m2 = dt * a.line[i], dt * a.line[i + 1], dt * a.line[i + 2]
            c0, c1, c2 = cross(m0, m1, m2, v[i + 3], v[i + 4], v[i + 5])
            d0, d1, d2 = cross(m0, m1, m2, v[i], v[i + 1], v[i + 2])
            a.of_v[i], a.of_v[i + 1] = a.of_v[i] + c0, a.of_v[i + 1] + c1
            a.of_v[i + 2], a.of_v[i + 3] = a.of_v[i + 2] + c2, a.of_v[i + 3] - d0
            a.of_v[i + 4], a.of_v[i + 5] = a.of_v[i + 4] - d1, a.of_v[i + 5] - d2
        elif a.kind[tree] == PartKind.BODY:
            link = topology.tree_link[tree]
            half_turning(a.body, link, v[i + 3], v[i + 4], v[i + 5], a.small, Matrix.HALF_TURNING)
            l0, l1, l2 = a.multiplier[i + 3], a.multiplier[i + 4], a.multiplier[i + 5]
            h0, h1, h2 = back(a.small, Matrix.HALF_TURNING, l0, l1, l2)
            a.of_v[i + 3] -= dt * h0
            a.of_v[i + 4] -= dt * h1
            a.of_v[i + 5] -= dt * h2


@inner
def pull_correction(topology, t, m, w, p, given, a, dt, gain, slop):
    """Add the effect of split impulses to the gradient; ``of_x`` is that by their velocity."""
    blocks, rows, y = p.size[ProblemSize.BLOCKS], p.size[ProblemSize.ROWS], m.acceleration
    for r in range(rows):
        a.impulse[r] = p.correction[r]
    for i in range(len(a.x)):
        y[i] = m.velocity[i] = 0.0
    row_forces(t, m.S, p, a, a.impulse, blocks, a.turned, y)
    solve_inertia(topology, p.L, y)
    twists_of(t, m.S, y, a.motion)
    row_speeds(t, p, a, a.motion, y, blocks, a.target)
    for b in range(blocks):
        gap, r = p.gap[b], p.row[b + 1] - 1
        a.slope[b] = 0.0
        if gap < -slop:
            a.slope[b] = gain / dt if is_uncut(p.kind[b], gap, a.settings[3]) else 0.0
            a.target[r] += gain * (gap + slop) / dt
        elif p.kind[b] == BlockKind.CONE:
            a.slope[b] = 1.0 / dt if gap > TOUCHING else 0.0
            a.target[r] += max(gap, 0.0) / dt
    for k in range(3):
        m.gravity[k] = 0.0
    find_multipliers(topology, t, m.S, p, given, a, blocks, rows, 0.0)
    for b in range(blocks):
        a.least[0] = min(a.least[0], a.margin[b])
    forward(t, m, w)
    gather_links(topology, t, m, w, a)
    gather_contacts(t, p, a, w, blocks)
    add_slopes(t, m, w, a, True, 0.0)
    add_gaps_of_joints(p, given, a, blocks)
    for k in range(len(a.of_p)):
        for i in range(len(a.x)):
            a.of_p[k] -= added_inertia(a, p, given, i, k, dt) * y[i] * a.multiplier[i]
    add_masses(topology, a, p, 0.0)
    add_shares(topology, t, m, w, p, a, blocks, rows)


@inner
def pull_answer(topology, t, m, w, p, given, a, q, dt):
    """Add the effect of the law's answer to the gradient; return ``DONE`` or an error code."""
    blocks, rows = p.size[ProblemSize.BLOCKS], p.size[ProblemSize.ROWS]
    for r in range(rows):
        a.impulse[r] = p.impulse[r]
    twists_of(t, m.S, a.x, a.motion)
    row_speeds(t, p, a, a.motion, a.x, blocks, a.target)
    for r in range(rows):
        a.target[r] += p.offset[r]
    for b in range(blocks):
        a.slope[b] = 1.0 / dt if p.kind[b] != BlockKind.BOX and p.gap[b] > TOUCHING else 0.0
    find_multipliers(topology, t, m.S, p, given, a, blocks, rows, dt)
    for b in range(blocks):
        a.least[0] = min(a.least[0], a.margin[b])
    begin_dynamics(topology, a, m, a.v, dt)
    forward(t, m, w)
    gather_links(topology, t, m, w, a)
    for i in range(len(a.x)):
        a.force[i], a.line[i] = dot(m.S, i, w.F, i), 0.0
    row_forces(t, m.S, p, a, a.impulse, blocks, a.turned, a.line)
    tree = unbalanced_tree(topology, p, a, a.force, load_of(p, rows), dt)
    if tree >= 0:
        return UNBALANCED + tree
    gather_contacts(t, p, a, w, blocks)
    add_inertia(topology, a, dt)
    add_slopes(t, m, w, a, rows > 0, math.sqrt(dt))
    add_gaps_of_joints(p, given, a, blocks)
    if len(a.of_p) > 0:
        add_parameters(topology, p, given, a, w, t, q, dt)
        add_masses(topology, a, p, dt)
    add_shares(topology, t, m, w, p, a, blocks, rows)
    return DONE


@kernel
def pull(table, run):
    """Carry the gradient back over a stored step; return ``DONE`` or an error code.

    Args:
        table: table of the step.
        run: table of its path.
    """
    topology, t, m, w = part_topology(table), kept_tree(table), kept_motion(table), kept_work(table)
    p, a, given, along = kept(table), adjoint(table), kept_parameters(table), path(run)
    step, dt, gain, slop = a.number[0], a.settings[0], a.settings[1], a.settings[2]
    nv, rows = len(a.x), p.size[ProblemSize.ROWS]
    if not copy_inertia(topology, p, p, a, dt):
        return GAINS
    for i in range(nv):
        a.x[i], a.place[i], a.v[i] = p.x[i], p.place[i], along.v[step, i]
    for r in range(rows):
        for i in range(rows):
            a.W[r, i] = p.W[r, i]
    pull_state(topology, p, a, dt)
    for i in range(nv):
        new = along.v[step + 1, i]
        if abs(a.new[i] - new) > AGREES * (1.0 + abs(new)):
            return CHANGED
    for i in range(nv):
        a.way[i], a.of_x[i] = a.of_x[i], a.of_place[i]
    if p.corrects[0] != 0.0:
        pull_correction(topology, t, m, w, p, given, a, dt, gain, slop)
    for i in range(nv):
        a.of_x[i] = a.way[i] + a.of_place[i]
    wrong = pull_answer(topology, t, m, w, p, given, a, along.q[step], dt)
    for i in range(nv):
        along.tau[step, i] = dt * a.multiplier[i]
        a.of_q[i] += along.of_q[step, i]
        a.of_v[i] += along.of_v[step, i]
    return wrong


@kernel
def keep_all(table):
    """Repeat the steps of a stride and store them; return whether all could be stored."""
    s = stride(table)
    for i in range(s.steps[0]):
        if call(s.call[0, 0], s.call[0, 1]) != DONE:
            return False
        if call(s.call[1 + 2 * i, 0], s.call[1 + 2 * i, 1]) != 1:
            return False
    return True


@kernel
def pull_all(table):
    """Carry the gradient back over a stored stride; return ``DONE`` or an error code."""
    s, i, wrong = stride(table), stride(table).steps[0], DONE
    while i > 0 and wrong == DONE:
        i -= 1
        s.number[0] = s.steps[1] + i
        wrong = call(s.call[2 + 2 * i, 0], s.call[2 + 2 * i, 1])
    return wrong
