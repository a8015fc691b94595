"""A part of a step, differentiated up to the law's answer: momentum, rows, Delassus matrix.

``G = M (x - v) + dt h(q, v) - dt (tau + f - K (s + dt x - target) - D x + Kd rate) - J' r = 0``
gives the velocity x at the end. ``dt h + M (x - v)`` is inverse dynamics of the acceleration
``x - v - dt w x v`` (the base's, in its own axes), the velocity ``sqrt(dt) v`` and the gravity
``dt g``. So the derivatives are those of inverse dynamics, also for impacts, ``dt = 0``.

A rigid body without joints has half of its gyroscopic moment in h and no centrifugal force.
"""

from __future__ import annotations

import math
from enum import IntEnum

from footfall.api.contact import BlockKind, ProblemSize
from footfall.api.kernels import inner, kernel
from footfall_gradients.kernels.answer import (
    AnswerSize,
    is_shared,
    respond,
    soft_rates,
    solve_left,
)
from footfall_gradients.kernels.inertia import SAME, along_loops, copy_inertia, invert_factor
from footfall_gradients.kernels.inverse_dynamics import (
    differentiate_contacts,
    differentiate_dynamics,
)
from footfall_gradients.tables import (
    answer,
    parameters,
    part,
    part_changes,
    part_contacts,
    part_dynamics,
    part_joints,
    part_motion,
    part_problem,
    part_sides,
    part_slopes,
    part_topology,
    part_tree,
    part_work,
)
from footfall_stepper.api import PRESCRIBED


class PartKind(IntEnum):
    """Kinds of trees."""

    FIXED = 0
    """Its base is fixed."""
    FLOATING = 1
    """Its base moves freely."""
    BODY = 2
    """A rigid body that carries its momentum."""


DONE, GAINS, CUT, CHANGED, UNBALANCED = 0, -1, -2, -3, 1
"""Results of ``differentiate``: done; gains differ from those of the step; the restitution of an
impact was cut; the state differs from that after the step; from ``UNBALANCED`` on: the momentum
of tree 0, 1 ... does not balance."""
AGREES = 1e-7
"""Largest relative error of a step's numbers in the differentiated equations."""
TOUCHING = 1e-10
"""Largest gap of a touching contact, [m], which is the accuracy of positions."""


@inner
def is_uncut(kind, gap, deepest):
    """Return whether a gap is as deep as told to the law, which is told at most ``deepest``."""
    return kind != BlockKind.CONE or gap > -deepest


@inner
def cross(a0, a1, a2, b0, b1, b2):
    """Return a x b."""
    return a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0


@inner
def times(A, i, x, y, z):
    """Return the product of the i-th 3 x 3 matrix, row by row, with a vector."""
    return (
        A[i, 0] * x + A[i, 1] * y + A[i, 2] * z,
        A[i, 3] * x + A[i, 4] * y + A[i, 5] * z,
        A[i, 6] * x + A[i, 7] * y + A[i, 8] * z,
    )


@inner
def begin_dynamics(topology, a, m, v, dt):
    """Write velocity and acceleration for inverse dynamics; v: the velocity in h."""
    root = math.sqrt(dt)
    for i in range(len(a.x)):
        m.acceleration[i], m.velocity[i] = a.x[i] - a.v[i], root * v[i]
    for tree in range(len(topology.free)):
        i = topology.tree_v[tree]
        if a.kind[tree] == PartKind.BODY:
            for k in range(6):
                m.velocity[i + k] = 0.0
        elif a.kind[tree] == PartKind.FLOATING:
            c0, c1, c2 = cross(v[i + 3], v[i + 4], v[i + 5], v[i], v[i + 1], v[i + 2])
            m.acceleration[i] -= dt * c0
            m.acceleration[i + 1] -= dt * c1
            m.acceleration[i + 2] -= dt * c2
    for k in range(3):
        m.gravity[k] = dt * topology.gravity[k]


@inner
def turn_columns(G, i, row, a0, a1, a2, w0, w1, w2):
    """Add ``(a0, a1, a2) [w x]`` to three columns of a row."""
    G[row, i] += a1 * w2 - a2 * w1
    G[row, i + 1] += a2 * w0 - a0 * w2
    G[row, i + 2] += a0 * w1 - a1 * w0


@inner
def write_balance(topology, a, d, push, dt):
    """Write minus the derivative of G by q and v at fixed answer."""
    nv, root, G = len(a.x), math.sqrt(dt), a.balance
    for i in range(nv):
        for j in range(nv):
            G[i, j] = push[i, j] + dt * a.wrenches[i, j] - d.dq[i, j]
            G[i, nv + j] = a.dense[i, j] - root * d.dv[i, j]
        G[i, i] -= dt * a.stiffness[i]
    for tree in range(len(topology.free)):
        i, end, v = topology.tree_v[tree], topology.tree_v[tree + 1], a.middle
        if a.kind[tree] == PartKind.FLOATING:
            for k in range(i, end):
                m0, m1, m2 = dt * a.dense[k, i], dt * a.dense[k, i + 1], dt * a.dense[k, i + 2]
                turn_columns(G, nv + i, k, m0, m1, m2, v[i + 3], v[i + 4], v[i + 5])
                turn_columns(G, nv + i + 3, k, -m0, -m1, -m2, v[i], v[i + 1], v[i + 2])
        elif a.kind[tree] == PartKind.BODY:
            body_balance(topology, a, tree, G, dt)


@inner
def half_turning(inertia, link, w0, w1, w2, S, k):
    """Write ``([w x] I - [(I w) x]) / 2``; return ``w x I w / 2``."""
    for c in range(3):
        t0, t1, t2 = cross(w0, w1, w2, inertia[link, c], inertia[link, 3 + c], inertia[link, 6 + c])
        S[k, c], S[k, 3 + c], S[k, 6 + c] = 0.5 * t0, 0.5 * t1, 0.5 * t2
    l0, l1, l2 = times(inertia, link, w0, w1, w2)
    S[k, 1], S[k, 2], S[k, 3] = S[k, 1] + 0.5 * l2, S[k, 2] - 0.5 * l1, S[k, 3] - 0.5 * l2
    S[k, 5], S[k, 6], S[k, 7] = S[k, 5] + 0.5 * l0, S[k, 6] + 0.5 * l1, S[k, 7] - 0.5 * l0
    c0, c1, c2 = cross(w0, w1, w2, l0, l1, l2)
    return 0.5 * c0, 0.5 * c1, 0.5 * c2


@inner
def body_balance(topology, a, tree, G, dt):
    """Write the derivative of a rigid body's momentum by its velocity."""
    nv, i, link, v = len(a.x), topology.tree_v[tree], topology.tree_link[tree], a.v
    half_turning(a.body, link, v[i + 3], v[i + 4], v[i + 5], a.small, 0)
    for r in range(6):
        for c in range(6):
            G[i + r, nv + i + c] = a.dense[i + r, i + c]
    for r in range(3):
        for c in range(3):
            G[i + 3 + r, nv + i + 3 + c] -= dt * a.small[0, 3 * r + c]


@inner
def write_length(a, dt):
    """Write minus the derivative of G by the part's length; ``line`` holds ``J' r``."""
    nv = len(a.x)
    for i in range(nv):
        s = 0.0
        if dt > 0.0:
            for j in range(nv):
                s += a.dense[i, j] * (a.x[j] - a.v[j])
            s = (s - a.line[i]) / dt - dt * a.stiffness[i] * a.x[i]
        a.balance[i, 2 * nv] = s


@inner
def gains_act(a, joints, given, i):
    """Return whether a joint's gains acted in the step: not if its torque was cut or given."""
    K, D = given.acting[0, i], given.acting[1, i]
    rate = a.damping[i] - joints.damping[i]
    return abs(a.stiffness[i] - K) <= SAME * (K + 1.0) and abs(rate - D) <= SAME * (D + 1.0)


@inner
def added_inertia(a, joints, given, i, k, dt):
    """Return the derivative by a parameter of what joint i adds to the inertia."""
    s = given.armature[i, k] + dt * given.damping[i, k]
    if gains_act(a, joints, given, i):
        s += dt * (given.rate_gain[i, k] + dt * given.stiffness[i, k])
    return s


@inner
def write_parameters(a, joints, w, given, dt):
    """Write minus the derivative of G by parameters."""
    nv = len(a.x)
    for k in range(given.gravity.shape[1]):
        for i in range(nv):
            x = a.x[i]
            s = given.damping[i, k] * dt * x
            if gains_act(a, joints, given, i):
                s += given.stiffness[i, k] * dt * (a.q[i] + dt * x - joints.target[i])
                s += given.rate_gain[i, k] * dt * (x - joints.target_rate[i])
            s -= given.target[i, k] * dt * a.stiffness[i]
            s -= given.target_rate[i, k] * dt * (a.damping[i] - joints.damping[i])
            s += given.armature[i, k] * (x - a.v[i])
            for c in range(3):
                s -= dt * w.down[i, c] * given.gravity[c, k]
            a.balance[i, 2 * nv + 1 + k] = -s


@inner
def add_pushes(a, out):
    """Subtract the derivative of G by parameters that move contacts."""
    for k in range(out.by_p.shape[1]):
        for i in range(len(a.x)):
            a.balance[i, 2 * len(a.x) + 1 + k] += out.push_by_p[i, k]


@inner
def load_of(p, rows):
    """Return the sum of the sizes of all impulses."""
    load = 0.0
    for r in range(rows):
        load += abs(p.impulse[r])
    return load


@inner
def unbalanced_tree(topology, joints, a, force, load, dt):
    """Return a tree whose base's momentum does not balance, -1 if there is none."""
    for tree in range(len(topology.free)):
        if a.kind[tree] == PartKind.FIXED or topology.free[tree] == PRESCRIBED:
            continue
        i, end = topology.tree_v[tree], topology.tree_v[tree + 1]
        h0, h1, h2 = 0.0, 0.0, 0.0
        if a.kind[tree] == PartKind.BODY:
            v, link = a.v, topology.tree_link[tree]
            h0, h1, h2 = half_turning(a.body, link, v[i + 3], v[i + 4], v[i + 5], a.small, 0)
        held = (0.0, 0.0, 0.0, dt * h0, dt * h1, dt * h2)
        for k in range(6):
            left = force[i + k] - a.line[i + k] + held[k]
            left -= dt * (joints.tau[i + k] + joints.external[i + k])
            size = 1e-9 + 1e-7 * load  # impulses on a body that is squeezed cancel to rounding
            for j in range(i, end):
                # The last term is the rounding of x - v: a part may last 1e-15 s.
                size += abs(a.dense[i + k, j]) * (abs(a.x[j] - a.v[j]) + dt + 1e-8 * abs(a.v[j]))
            if abs(left) > AGREES * size:
                return tree
    return -1


@inner
def enter_contacts(p, sides, a, c, blocks, impulse):
    """Write the problem's contacts, which come first; return their number."""
    n, lowered = 0, 0.0 if p.size[ProblemSize.IMPULSIVE] == 1 else a.lowered[0]
    for b in range(blocks):
        if p.kind[b] != BlockKind.CONE:
            break
        for k in range(2):
            c.link[b, k] = sides.link[b, k]
        for k in range(3):
            c.position[b, k] = p.position[b, k]
            if c.varies[b] == 0:
                c.centre[b, k] = a.query[p.candidate[b], k]
            c.impulse[b, k] = impulse[3 * b + k]
            c.moment[b, k] = 0.0
            for j in range(3):
                c.frame[b, 3 * k + j] = p.frame[b, k, j]
        c.follows[b], c.lowered[b] = 0, lowered
        n += 1
    return n


@inner
def write_rows(t, m, w, p, sides, a, c, out, blocks, rows, impulse):
    """Write the rows of the problem, their derivatives, and ``line = J' impulse``."""
    nv = len(a.x)
    for i in range(nv):
        for j in range(nv):
            out.push[i, j] = 0.0
        for k in range(out.by_p.shape[1]):
            out.push_by_p[i, k] = 0.0
    for r in range(rows):
        for j in range(nv):
            out.J[r, j] = out.dJv[r, j] = 0.0
        for k in range(out.by_p.shape[1]):
            out.by_p[r, k] = 0.0
        out.longer[r] = 0.0
    n = enter_contacts(p, sides, a, c, blocks, impulse)
    for b in range(blocks):
        for j in range(nv):
            out.gap[b, j] = 0.0
        for k in range(out.by_p.shape[1]):
            out.gap_by_p[b, k] = 0.0
    differentiate_contacts(t, m, w, c, n, out)
    for b in range(n, blocks):
        j, r = sides.joint[b], p.row[b]
        out.J[r, a.dof[j]] = a.sign[j]
        for k in range(a.more_start[j], a.more_start[j + 1]):
            out.J[r, a.more_dof[k]] += a.more_value[k]
        if p.kind[b] == BlockKind.UNILATERAL:
            for k in range(nv):
                out.gap[b, k] = out.J[r, k]
    for i in range(nv):
        a.line[i] = 0.0
    for r in range(rows):
        for i in range(nv):
            a.line[i] += out.J[r, i] * impulse[r]


@inner
def write_delassus(a, z, J, rows):
    """Write ``J M^-1`` and ``W = J M^-1 J'`` to the answer z."""
    nv = len(a.x)
    for r in range(rows):
        n = 0
        for i in range(nv):
            z.JM[r, i] = 0.0
        for k in range(nv):
            s = J[r, k]
            if s != 0.0:
                a.places[n] = k
                n += 1
                for i in range(nv):
                    z.JM[r, i] += s * a.inverse[k, i]
        for i in range(r + 1):
            s = 0.0
            for k in range(n):
                s += z.JM[i, a.places[k]] * J[r, a.places[k]]
            z.W[r, i] = z.W[i, r] = s


@inner
def limit_slopes(a, p, sides, given, z, b, factor):
    """Add the derivative by parameters of a joint limit's target velocity, ``factor`` per gap."""
    if p.kind[b] == BlockKind.UNILATERAL:
        j, r = sides.joint[b], p.row[b]
        for k in range(given.bound.shape[1]):
            z.held[r, len(a.x) + 1 + k] -= factor * a.sign[j] * given.bound[j, k]


@inner
def write_held(a, p, sides, c, given, z, out, blocks, rows, dt, outside):
    """Write the target velocity and its derivative at fixed impulse and x."""
    nv = len(a.x)
    for r in range(rows):
        for j in range(nv):
            z.held[r, j] = out.dJv[r, j]
        for j in range(nv, z.held.shape[1]):
            z.held[r, j] = 0.0
        z.held[r, nv] = out.longer[r]
        for k in range(out.by_p.shape[1]):
            z.held[r, nv + 1 + k] = out.by_p[r, k]
    edge = -TOUCHING if outside else TOUCHING
    for b in range(blocks):
        r = p.row[b + 1] - 1
        if p.kind[b] != BlockKind.BOX and p.gap[b] > edge and dt > 0.0:
            for j in range(nv):
                z.held[r, j] += out.gap[b, j] / dt
            z.held[r, nv] -= p.gap[b] / (dt * dt)
            for k in range(out.by_p.shape[1]):
                z.held[r, nv + 1 + k] += out.gap_by_p[b, k] / dt
            limit_slopes(a, p, sides, given, z, b, 1.0 / dt)
    for r in range(rows):
        s = p.offset[r]
        for j in range(nv):
            s += out.J[r, j] * a.x[j]
        z.target[r] = s
    for b in range(blocks):
        if p.kind[b] == BlockKind.CONE:
            for i in range(9):
                z.target[3 * b + i // 3] -= c.frame[b, i] * c.flow[b, i % 3]


@inner
def write_restitution(p, z, out, given, blocks, nv, holds):
    """Write the effect of an impact's restitution; return whether none was cut.

    ``out`` holds the rows at the velocity before the impact. There is none if the impact holds all
    contacts, and for some models none of contacts that leave.
    """
    more = given.gravity.shape[1]
    for b in range(blocks):
        r, e = p.row[b + 1] - 1, p.restitution[b]
        if holds or (p.offset[r] == 0.0 and p.velocity[r] > 0.0):
            e = 0.0
        if abs(p.offset[r] - e * p.velocity[r]) > 1e-9:
            return False
        for j in range(nv):
            z.held[r, j] += e * out.dJv[r, j]
            z.held[r, nv + 1 + more + j] = e * out.J[r, j]
        for k in range(out.by_p.shape[1]):
            z.held[r, nv + 1 + k] += e * out.by_p[r, k]
        if e > 0.0 and p.candidate[b] >= 0:
            for k in range(more):
                z.held[r, nv + 1 + k] += p.velocity[r] * given.restitution[p.candidate[b], k]
    return True


@inner
def note_standing(p, z, blocks):
    """Note that restitution has a kink at contacts that neither approach nor leave."""
    for b in range(blocks):
        if p.restitution[b] > 0.0:
            z.margin[b] = min(z.margin[b], abs(p.velocity[p.row[b + 1] - 1]))


@inner
def let_flow(c, blocks, factor):
    """Set ``flows``: the ground's velocity belongs to the velocities x and v alone."""
    for b in range(min(blocks, len(c.flows))):
        c.flows[b] = factor


@inner
def write_shares(t, m, w, p, sides, a, c, out, z, blocks, rows, still):
    """Write the right sides that take the place of dependent equations: ``z' R (dJ x1 + C c)``.

    ``still``: ``flows`` for the rows at the end.
    """
    if not is_shared(z):
        return
    n, nv, given = z.size[AnswerSize.UNKNOWNS], len(a.x), z.given.shape[1]
    for i in range(nv):
        a.way[i], m.speed[i] = m.speed[i], 0.0
    soft_rates(z)
    let_flow(c, blocks, 0.0)
    for k in range(n):
        for i in range(nv):
            m.speed[i] += z.left[k, i] * z.rate[k, 0]
    write_rows(t, m, w, p, sides, a, c, out, blocks, rows, z.impulse)
    for i in range(z.size[AnswerSize.INDEPENDENT], n):
        right, tie = z.right[z.pivot[0, i]], z.tie[z.pivot[0, i]]
        for j in range(len(right)):
            right[j] = 0.0
        for k in range(n):
            for s in range(z.width[k]):
                r, e = z.first[k] + s, tie[k] * z.equation[k, s]
                for j in range(nv):
                    right[nv + j] += e * out.dJv[r, j]
                for j in range(given):
                    right[2 * nv + j] += e * z.soft[r] * z.given[r, j]
                for j in range(out.by_p.shape[1]):
                    right[2 * nv + 1 + j] += e * out.by_p[r, j]
    for i in range(nv):
        m.speed[i] = a.way[i]
    let_flow(c, blocks, still)
    write_rows(t, m, w, p, sides, a, c, out, blocks, rows, z.impulse)


@kernel
def differentiate(table, dt, outside, holds):
    """Differentiate a part up to the law's response; return ``DONE`` or an error code.

    ``outside``: whether contacts with zero gap close it; ``holds``: see ``enter_blocks``.
    """
    topology, joints, dynamics = part_topology(table), part_joints(table), part_dynamics(table)
    t, m, w, d = part_tree(table), part_motion(table), part_work(table), part_slopes(table)
    p, a, given, z = part_problem(table), part(table), parameters(table), answer(table)
    sides, c, out = part_sides(table), part_contacts(table), part_changes(table)
    nv, blocks, rows = len(a.x), p.size[ProblemSize.BLOCKS], p.size[ProblemSize.ROWS]
    for i in range(nv):
        for j in range(nv):
            a.dense[i, j] = 0.0
    if not copy_inertia(topology, dynamics, joints, a, dt):
        return GAINS
    invert_factor(topology, dynamics, a.inverse)
    for i in range(nv):
        m.speed[i] = a.x[i]
    let_flow(c, blocks, 1.0)
    write_rows(t, m, w, p, sides, a, c, out, blocks, rows, p.impulse)
    along_loops(a)
    begin_dynamics(topology, a, m, a.middle, dt)
    differentiate_dynamics(t, m, w, d)
    tree = unbalanced_tree(topology, joints, a, d.force, load_of(p, rows), dt)
    if tree >= 0:
        return UNBALANCED + tree
    write_balance(topology, a, d, out.push, dt)
    write_length(a, dt)
    write_parameters(a, joints, w, given, dt)
    add_pushes(a, out)
    write_delassus(a, z, out.J, rows)
    write_held(a, p, sides, c, given, z, out, blocks, rows, dt, outside)
    columns = nv + 1 + given.gravity.shape[1]
    if p.size[ProblemSize.IMPULSIVE] == 1:
        columns += nv
        for i in range(nv):
            m.speed[i] = a.v[i]
        write_rows(t, m, w, p, sides, a, c, out, blocks, rows, p.impulse)
        if not write_restitution(p, z, out, given, blocks, nv, holds):
            return CUT
    for r in range(rows):
        z.impulse[r] = p.impulse[r]
    respond(p, sides.joint, given, z, nv, blocks, rows, columns, dt, holds)
    if p.size[ProblemSize.IMPULSIVE] == 1 and not holds:
        note_standing(p, z, blocks)
    write_shares(t, m, w, p, sides, a, c, out, z, blocks, rows, 1.0)
    solve_left(z, nv)
    return DONE


@inner
def add_correction(p, a, given, z, sides, out, size, dt, gain, slop):
    """Add the velocities that split impulses reach, and their derivatives, to the last rows.

    ``size``: numbers of velocities and blocks. See ``differentiate_correction``.
    """
    nv, blocks = size
    for b in range(blocks):
        r, gap, push, factor = p.row[b + 1] - 1, p.gap[b], 0.0, 0.0
        if gap < -slop:
            push = gain * (gap + slop) / dt
            factor = gain / dt if is_uncut(p.kind[b], gap, p.deepest[0]) else 0.0
        elif p.kind[b] == BlockKind.CONE:
            push, factor = max(gap, 0.0) / dt, 1.0 / dt if gap > TOUCHING else 0.0
        z.target[r] += push
        z.held[r, nv] = -push / dt
        for j in range(nv):
            z.held[r, j] += factor * out.gap[b, j]
        for k in range(out.by_p.shape[1]):
            z.held[r, nv + 1 + k] += factor * out.gap_by_p[b, k]
        limit_slopes(a, p, sides, given, z, b, factor)


@kernel
def differentiate_correction(table, dt, gain, slop):
    """Differentiate the split impulses s: ``M z = J' s``, after the part's own answer.

    JM and W are those of the answer.

    Contacts deeper than the slop [m] reach ``gain (depth - slop) / dt``.
    """
    t, m, w, d = part_tree(table), part_motion(table), part_work(table), part_slopes(table)
    p, a, given, z = part_problem(table), part(table), parameters(table), answer(table)
    sides, c, out = part_sides(table), part_contacts(table), part_changes(table)
    joints = part_joints(table)
    nv, blocks, rows = len(a.x), p.size[ProblemSize.BLOCKS], p.size[ProblemSize.ROWS]
    more = given.gravity.shape[1]
    for r in range(rows):
        z.impulse[r] = p.correction[r]
    for i in range(nv):
        z.velocity[i] = m.velocity[i] = 0.0
    for r in range(rows):
        for i in range(nv):
            z.velocity[i] += z.JM[r, i] * p.correction[r]
    for i in range(nv):
        m.speed[i] = m.acceleration[i] = z.velocity[i]
    for k in range(3):
        m.gravity[k] = 0.0
    let_flow(c, blocks, 0.0)
    write_rows(t, m, w, p, sides, a, c, out, blocks, rows, p.correction)
    differentiate_dynamics(t, m, w, d)
    for i in range(nv):
        for j in range(nv):
            a.balance[i, j] = out.push[i, j] - d.dq[i, j]
            a.balance[i, nv + j] = 0.0
        a.balance[i, 2 * nv] = -(a.damping[i] + 2.0 * dt * a.stiffness[i]) * z.velocity[i]
        for k in range(more):
            added = added_inertia(a, joints, given, i, k, dt)
            a.balance[i, 2 * nv + 1 + k] = -added * z.velocity[i]
    add_pushes(a, out)
    for r in range(rows):
        s = 0.0
        for j in range(nv):
            z.held[r, j] = out.dJv[r, j]
            s += out.J[r, j] * z.velocity[j]
        for j in range(nv, z.held.shape[1]):
            z.held[r, j] = 0.0
        for k in range(out.by_p.shape[1]):
            z.held[r, nv + 1 + k] = out.by_p[r, k]
        z.target[r] = s
    add_correction(p, a, given, z, sides, out, (nv, blocks), dt, gain, slop)
    respond(p, sides.joint, given, z, nv, blocks, rows, nv + 1 + more, 0.0, False)
    write_shares(t, m, w, p, sides, a, c, out, z, blocks, rows, 0.0)
    solve_left(z, nv)
    return DONE
