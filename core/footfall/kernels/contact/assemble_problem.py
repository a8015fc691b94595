"""The contact problem of a step: typed blocks, Jacobians through the factor, Delassus matrix.

Rows that loops hold by themselves, such as those of a bolted foot, are told from the others.
"""

from __future__ import annotations

from typing import NamedTuple

from footfall.jit.compiling import by_type, inner
from footfall.kernels.contact.coefficients import pair_friction, pair_restitution
from footfall.kernels.contact.declared import normal_speed, stays_out
from footfall.kernels.dynamics.bias_acceleration import link_twists
from footfall.kernels.dynamics.factor import along_span, row_along_span, spread
from footfall.kernels.loops.eliminate import hold_side
from footfall.problem.arrays import BLOCKS, CONE, MOMENT, PAIRS, ROWS
from footfall.problem.blocks import begin_problem, enter_block
from footfall.spatial.rotation import tangent_basis, times, velocity_at
from footfall.world.arrays import NEVER


class General(NamedTuple):
    """A world that may have loops, rows of joints, moments of contacts and detected contacts."""


class Simple(NamedTuple):
    """A world that has none of them: what they need is not compiled."""


GENERAL, SIMPLE = General(), Simple()


@inner
def hold_rows(problem, ground, Z, begin, end, b):
    """Give block b's rows that nothing moves the velocity that they have: that of the ground alone.

    ``Z[begin:end]`` are its sides, zero where loops hold the row. Velocities end a step along
    chords of the loops; seen from such a row that would be motion, of order dt.
    """
    first, c = problem.row[b], problem.candidate[b]
    for a in range(problem.row[b + 1] - first):
        size = 0.0
        for i in range(begin + a, end, 3):
            size += abs(Z[i])
        if size > 0.0:
            continue
        speed = 0.0
        if problem.kind[b] == CONE and c < len(ground.gap):
            for k in range(3):
                speed -= problem.frame[b, a, k] * ground.velocity[c, k]
        problem.velocity[first + a] = problem.free_velocity[first + a] = speed


@inner
def select_contacts(candidates, ground, dynamics, state, sides, problem, margin, speeds, dt):
    """Enter the candidates that may touch within the step as cone blocks.

    With ``margin`` > 0 a candidate enters when its gap is at most the margin, or when half again
    its approach within the step covers the gap. With 0 only touching points enter (gap <= 0).
    ``speeds``: see ``stays_out``.
    """
    (skip, leave, _) = speeds
    splits, bounces = skip < NEVER, leave < NEVER
    begin_problem(problem, 0, dt)
    for c in range(len(candidates.link)):
        gap = candidates.gap[c]
        if gap > margin:
            if margin <= 0.0:
                continue
            u = normal_speed(candidates, ground, dynamics.twist, c)
            u_free = normal_speed(candidates, ground, dynamics.free_twist, c)
            if gap + 1.5 * dt * min(u, u_free) > 0.0:
                continue
        e = pair_restitution(candidates, ground, c) if splits or bounces else 0.0
        if splits or (bounces and e > 0.0):
            u = normal_speed(candidates, ground, dynamics.twist, c)
            if stays_out(gap, u, e, speeds):
                continue
        enter_contact(candidates, ground, state, sides, problem, c)


@inner
def enter_contact(candidates, ground, state, sides, problem, c):
    """Add candidate c to the problem."""
    b = enter_block(problem, sides, CONE, 3, c, -1, candidates.link[c])
    problem.gap[b] = max(candidates.gap[c], -problem.deepest[0])
    problem.mu[b] = pair_friction(candidates, ground, c)
    problem.restitution[b] = pair_restitution(candidates, ground, c)
    tangent_basis(ground.normal, c, problem.frame, b)
    for k in range(3):
        problem.position[b, k] = candidates.position[c, k]
        problem.impulse[3 * b + k] = state.impulse[c, k]


@inner
def enter_moments(candidates, detected, sides, problem):
    """Enter a block of moments for each contact that has friction and a length, after them all."""
    if len(problem.moments) == 0:
        return
    contacts, declared = problem.size[BLOCKS], len(candidates.link)
    for b in range(contacts):
        c, mu, spin, roll = problem.candidate[b], problem.mu[b], 0.0, 0.0
        if c < declared:
            spin, roll = candidates.lengths[c, 0], candidates.lengths[c, 1]
        else:
            spin, roll = detected.lengths[c - declared, 0], detected.lengths[c - declared, 1]
        problem.moments[b] = -1
        if not (mu > 0.0 and spin + roll > 0.0):
            continue
        m = enter_block(problem, sides, MOMENT, 3, -1, sides.link[b, 0], sides.link[b, 1])
        problem.moments[b], problem.moments[m] = m, b
        problem.mu[m], problem.restitution[m], problem.gap[m] = mu, 0.0, 0.0
        for k in range(3):
            length = (roll if k < 2 else spin) / mu
            for j in range(3):
                problem.frame[m, k, j] = length * problem.frame[b, k, j]
            problem.position[m, k] = problem.position[b, k]


@inner
def block_motion(problem, b, twist, i):
    """Return what block b's rows see of the i-th twist, world axes: its turning, if of moments."""
    if problem.kind[b] == MOMENT:
        return twist[i, 3], twist[i, 4], twist[i, 5]
    p = problem.position
    return velocity_at(twist, i, p[b, 0], p[b, 1], p[b, 2])


@inner
def contact_velocity(problem, twist, ground, sides, b, out):
    """Write the velocity of block b's point on body 2, relative to body 1, in its contact frame.

    Body 1 of a declared point is the ground, which may move.
    """
    c, other, link = problem.candidate[b], sides.link[b, 0], sides.link[b, 1]
    g0, g1, g2 = 0.0, 0.0, 0.0
    if 0 <= c < len(ground.gap):
        g0, g1, g2 = ground.velocity[c, 0], ground.velocity[c, 1], ground.velocity[c, 2]
    elif other >= 0:
        g0, g1, g2 = block_motion(problem, b, twist, other)
    v0, v1, v2 = block_motion(problem, b, twist, link)
    v0, v1, v2 = times(problem.frame, b, v0 - g0, v1 - g1, v2 - g2)
    out[3 * b], out[3 * b + 1], out[3 * b + 2] = v0, v1, v2


@inner
def jacobian_side(topology, dynamics, problem, link, b, Z, at):
    """Write ``Z = D^-1/2 L^-T J'`` of block b and one of its links; return the end of its storage.

    Row p of Z (three numbers) belongs to the p-th dof of the link's chain.
    ``J_k = frame (S_lin + S_ang x x)``, of moments ``frame S_ang``.
    """
    tree = topology.link_tree[link]
    first = topology.tree_v[tree]
    start, end = topology.chain_start[link], topology.chain_start[link + 1]
    for p in range(end - start):
        k = first + topology.chain[start + p]
        j0, j1, j2 = block_motion(problem, b, dynamics.S, k)
        j0, j1, j2 = times(problem.frame, b, j0, j1, j2)
        Z[at + 3 * p], Z[at + 3 * p + 1], Z[at + 3 * p + 2] = j0, j1, j2
    if topology.wide[tree] == 1:
        spread(topology, link, Z, at)
    return along_span(topology, dynamics, link, Z, at)


@inner
def add_entry(topology, Z, at, start, last, dof, value):
    """Add a value to a row where the span from ``start`` to its ``last`` place has a dof."""
    p = last
    while topology.span[start + p] != dof:
        p -= 1
    Z[at + 3 * p] += value


@inner
def joint_side(rows, j, topology, dynamics, Z, at):
    """Write ``Z = D^-1/2 L^-T J'`` of row j: ``sign v`` of its joint, and of more that it moves.

    In the storage of a cone, three numbers a dof, of which the second and third are zero. Returns
    the end of it.
    """
    link = rows.link[j]
    first, start = topology.tree_v[topology.link_tree[link]], topology.span_start[link]
    last = topology.span_start[link + 1] - start - 1
    for k in range(3 * last + 3):
        Z[at + k] = 0.0
    add_entry(topology, Z, at, start, last, rows.dof[j] - first, rows.sign[j])
    for m in range(rows.more_start[j], rows.more_start[j + 1]):
        add_entry(topology, Z, at, start, last, rows.more_dof[m] - first, rows.more_value[m])
    return row_along_span(topology, dynamics, link, Z, at)


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
def block_velocities(problem, dynamics, rows, ground, sides, b, v):
    """Write J v and J v_free of block b."""
    if problem.kind[b] >= CONE:
        contact_velocity(problem, dynamics.twist, ground, sides, b, problem.velocity)
        contact_velocity(problem, dynamics.free_twist, ground, sides, b, problem.free_velocity)
    else:
        joint_velocity(rows, dynamics, problem, sides, b, v)


@inner
def jacobians(topology, dynamics, loops, rows, ground, sides, problem, v):
    """Write Z of every block and side, and the velocities J v and J v_free."""
    end = 0
    for b in range(problem.size[BLOCKS]):
        begin, held = end, False
        for s in range(1 if sides.link[b, 0] < 0 else 0, 2):
            link, at = sides.link[b, s], end
            sides.start[b, s] = at
            if problem.kind[b] >= CONE:
                end = jacobian_side(topology, dynamics, problem, link, b, sides.Z, at)
            else:
                end = joint_side(rows, sides.joint[b], topology, dynamics, sides.Z, at)
            if topology.closed[topology.link_tree[link]] > 0:
                size = problem.row[b + 1] - problem.row[b]
                hold_side(topology, loops, sides.Z, at, link, 2 * b + s, size)
                held = True
        block_velocities(problem, dynamics, rows, ground, sides, b, v)
        if held:
            hold_rows(problem, ground, sides.Z, begin, end, b)


@inner
def contact_jacobians(topology, dynamics, loops, rows, ground, sides, problem, v):
    """Do the same where every block is a contact, and no loop is closed."""
    end = 0
    for b in range(problem.size[BLOCKS]):
        for s in range(1 if sides.link[b, 0] < 0 else 0, 2):
            sides.start[b, s] = end
            end = jacobian_side(topology, dynamics, problem, sides.link[b, s], b, sides.Z, end)
        contact_velocity(problem, dynamics.twist, ground, sides, b, problem.velocity)
        contact_velocity(problem, dynamics.free_twist, ground, sides, b, problem.free_velocity)


@inner
def list_by_tree(topology, sides, n):
    """List the blocks that push each tree, each once (counting sort)."""
    trees = len(topology.free)
    start = sides.tree_start
    for t in range(trees + 1):
        start[t] = 0
    for b in range(n):
        t = topology.link_tree[sides.link[b, 1]]
        start[t + 1] += 1
        if sides.link[b, 0] >= 0 and topology.link_tree[sides.link[b, 0]] != t:
            start[topology.link_tree[sides.link[b, 0]] + 1] += 1
    for t in range(trees):
        start[t + 1] += start[t]
    for b in range(n):
        tree = topology.link_tree[sides.link[b, 1]]
        for s in range(2):
            if s == 1 or sides.link[b, 0] >= 0:
                t = topology.link_tree[sides.link[b, s]]
                if s == 0 and t == tree:
                    continue
                sides.tree_block[start[t]] = b
                sides.place[b, s] = start[t]
                start[t] += 1
    for t in range(trees, 0, -1):
        start[t] = start[t - 1]
    start[0] = 0


@inner
def common_span(topology, link_a, link_b):
    """Return how many dofs, from the root, the spans of two links of one tree share."""
    return topology.shared[topology.shared_row[link_a] + link_b]


@inner
def add_product(Z, a, b, count, sign, W, at):
    """Add ``+- Z_i' Z_j`` of two pieces of three numbers a dof to the 3 x 3 block at ``W[at:]``."""
    w0, w1, w2, w3, w4, w5, w6, w7, w8 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for _k in range(count):
        x0, x1, x2 = Z[a], Z[a + 1], Z[a + 2]
        y0, y1, y2 = Z[b], Z[b + 1], Z[b + 2]
        w0 += x0 * y0
        w1 += x0 * y1
        w2 += x0 * y2
        w3 += x1 * y0
        w4 += x1 * y1
        w5 += x1 * y2
        w6 += x2 * y0
        w7 += x2 * y1
        w8 += x2 * y2
        a += 3
        b += 3
    W[at] += sign * w0
    W[at + 1] += sign * w1
    W[at + 2] += sign * w2
    W[at + 3] += sign * w3
    W[at + 4] += sign * w4
    W[at + 5] += sign * w5
    W[at + 6] += sign * w6
    W[at + 7] += sign * w7
    W[at + 8] += sign * w8


@inner
def add_row(Z, a, b, cone, count, sign, W, at):
    """Add ``+- Z_i' Z_j`` where i has one row, to the one number at ``W[at:]``, three of a cone.

    In two sums, of every other dof: each addition waits for the one before it in its own.
    """
    v0, v1, v2, w0, w1, w2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    even = 3 * (count - count % 2)
    if not cone:
        for k in range(0, even, 6):
            v0 += Z[a + k] * Z[b + k]
            w0 += Z[a + k + 3] * Z[b + k + 3]
        if count % 2 == 1:
            v0 += Z[a + even] * Z[b + even]
    else:
        for k in range(0, even, 6):
            x, y = Z[a + k], Z[a + k + 3]
            v0, v1, v2 = v0 + x * Z[b + k], v1 + x * Z[b + k + 1], v2 + x * Z[b + k + 2]
            w0, w1, w2 = w0 + y * Z[b + k + 3], w1 + y * Z[b + k + 4], w2 + y * Z[b + k + 5]
        if count % 2 == 1:
            x, k = Z[a + even], b + even
            v0, v1, v2 = v0 + x * Z[k], v1 + x * Z[k + 1], v2 + x * Z[k + 2]
        W[at + 1] += sign * (v1 + w1)
        W[at + 2] += sign * (v2 + w2)
    W[at] += sign * (v0 + w0)


@inner
def add_sides(topology, loops, sides, problem, i, s, j, t, at):
    """Add ``+- (Z_i' Z_j - T_i' T_j)`` of two sides of one tree, as the blocks' kinds have it.

    Wide rows have lost what loops hold of them already: of those there is no T here.
    """
    sign, tree = 1.0 if s == t else -1.0, topology.link_tree[sides.link[i, s]]
    Z, a, b, width = sides.Z, sides.start[i, s], sides.start[j, t], loops.width[0]
    count = common_span(topology, sides.link[i, s], sides.link[j, t])
    for part in range(2 if topology.closed[tree] > 0 and topology.wide[tree] == 0 else 1):
        if part == 1:
            Z, a, b, sign = loops.T, (6 * i + 3 * s) * width, (6 * j + 3 * t) * width, -sign
            count = loops.rank[tree]
        if problem.kind[i] < CONE:
            add_row(Z, a, b, problem.kind[j] >= CONE, count, sign, problem.W, at)
        elif problem.kind[j] < CONE:
            add_row(Z, b, a, True, count, sign, problem.W, at)
        else:
            add_product(Z, a, b, count, sign, problem.W, at)


@inner
def add_contacts(topology, loops, sides, problem, i, s, j, t, at):
    """Do the same where every block is a contact, and no loop is closed."""
    sign = 1.0 if s == t else -1.0
    shared = common_span(topology, sides.link[i, s], sides.link[j, t])
    add_product(sides.Z, sides.start[i, s], sides.start[j, t], shared, sign, problem.W, at)


find_jacobians = by_type({General: jacobians, Simple: contact_jacobians})
multiply = by_type({General: add_sides, Simple: add_contacts})


@inner
def delassus(way, topology, loops, sides, problem):
    """Write the block-sparse Delassus matrix ``W = J M^-1 J'`` of blocks that share a tree.

    ``Z' Z``, with loops ``Z' Z - T' T``. On the diagonal and above; the rest is mirrored.
    """
    n = problem.size[BLOCKS]
    list_by_tree(topology, sides, n)
    for b in range(n):
        sides.mark[b] = -1
    pair = 0
    for i in range(n):
        problem.pair_start[i] = pair
        for s in range(2):
            if sides.link[i, s] < 0:
                continue
            tree = topology.link_tree[sides.link[i, s]]
            for p in range(sides.tree_start[tree], sides.tree_start[tree + 1]):
                j = sides.tree_block[p]
                if sides.mark[j] == i:
                    continue
                sides.mark[j] = i
                problem.pair_block[pair] = j
                problem.pair_data[pair] = 9 * pair
                pair_product(way, topology, loops, sides, problem, i, j, pair)
                pair += 1
    problem.pair_start[n] = pair
    problem.size[PAIRS] = pair


@inner
def pair_with(topology, sides, problem, i, j):
    """Return which of block i's pairs is that with block j.

    They are listed by the trees that the block pushes; none twice.
    """
    first, start = sides.link[i, 0], problem.pair_start[i]
    tree = topology.link_tree[first if first >= 0 else sides.link[i, 1]]
    for s in range(1, -1, -1):
        link = sides.link[j, s]
        if link >= 0 and topology.link_tree[link] == tree:
            return start + sides.place[j, s] - sides.tree_start[tree]
    pair = start + sides.tree_start[tree + 1] - sides.tree_start[tree]
    while problem.pair_block[pair] != j:
        pair += 1
    return pair


@inner
def pair_product(way, topology, loops, sides, problem, i, j, pair):
    """Write one 3 x 3 block of the Delassus matrix, mirrored from above if it is there.

    Blocks of joints have one row: of these there are three numbers, or one.
    """
    W, at = problem.W, 9 * pair
    if j < i:
        mirror = 9 * pair_with(topology, sides, problem, j, i)
        if problem.kind[i] >= CONE and problem.kind[j] >= CONE:
            for k in range(9):
                W[at + k] = W[mirror + 3 * (k % 3) + k // 3]
        else:
            # One of them has one row: transposed, the numbers are in the same order.
            for k in range(3):
                W[at + k] = W[mirror + k]
        return
    for k in range(9):
        W[at + k] = 0.0
    for s in range(1 if sides.link[i, 0] < 0 else 0, 2):
        for t in range(1 if sides.link[j, 0] < 0 else 0, 2):
            if topology.link_tree[sides.link[i, s]] == topology.link_tree[sides.link[j, t]]:
                multiply(way, topology, loops, sides, problem, i, s, j, t, at)


@inner
def select_touching(candidates, ground, state, sides, problem, touch, dt):
    """Enter the candidates with ``gap <= touch`` as cone blocks of an impulsive problem."""
    begin_problem(problem, 1, dt)
    for c in range(len(candidates.link)):
        if candidates.gap[c] <= touch:
            enter_contact(candidates, ground, state, sides, problem, c)
            state.touching[c] = 1.0
            for k in range(problem.size[ROWS] - 3, problem.size[ROWS]):
                problem.impulse[k] = 0.0


@inner
def refresh_velocities(candidates, topology, dynamics, rows, ground, sides, problem, v):
    """Write J v and J v_free again for changed velocities at the same configuration."""
    link_twists(topology, candidates.links, dynamics.S, v, dynamics.twist)
    link_twists(topology, candidates.links, dynamics.S, dynamics.v_free, dynamics.free_twist)
    for b in range(problem.size[BLOCKS]):
        block_velocities(problem, dynamics, rows, ground, sides, b, v)
