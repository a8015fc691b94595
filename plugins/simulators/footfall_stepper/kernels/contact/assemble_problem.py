"""The contact problem of a step: typed blocks, and their Jacobians through the factor.

Rows that loops hold by themselves, such as those of a bolted foot, are treated separately.
"""

from __future__ import annotations

from footfall.jit.compiling import inner
from footfall.problem.arrays import BlockKind, ProblemSize
from footfall.problem.blocks import begin_problem, enter_block
from footfall.spatial.rotation import tangent_basis, times, velocity_at
from footfall_stepper.kernels.contact.coefficients import (
    pair_directions,
    pair_friction,
    pair_restitution,
)
from footfall_stepper.kernels.contact.declared import normal_speed, stays_out
from footfall_stepper.kernels.contact.directions import is_directed, scale_rows
from footfall_stepper.kernels.dynamics.bias_acceleration import link_twists
from footfall_stepper.kernels.dynamics.factor import along_span, row_along_span, spread
from footfall_stepper.kernels.loops.eliminate import hold_side
from footfall_stepper.world.step_arrays import NEVER


@inner
def hold_rows(problem, ground, Z, begin, end, b):
    """Set the velocity of block b's immovable rows: that of the ground alone.

    ``Z[begin:end]`` are the block's sides, zero where loops hold the row. Velocities end a step
    along chords of the loops; in such a row that would appear as motion of order dt.
    """
    first, c = problem.row[b], problem.candidate[b]
    for a in range(problem.row[b + 1] - first):
        size = 0.0
        for i in range(begin + a, end, 4):
            size += abs(Z[i])
        if size > 0.0:
            continue
        speed = 0.0
        if problem.kind[b] == BlockKind.CONE and c < len(ground.gap):
            for k in range(3):
                speed -= problem.frame[b, a, k] * ground.velocity[c, k]
        problem.velocity[first + a] = problem.free_velocity[first + a] = speed


@inner
def select_contacts(candidates, ground, dynamics, state, sides, problem, margin, speeds, dt):
    """Enter the candidates that may touch within the step as cone blocks.

    With ``margin`` > 0 a candidate enters if its gap is at most the margin, or at most 1.5 times
    its approach within the step. With 0 only touching points enter (gap <= 0).
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
        enter_contact(candidates, ground, dynamics.pose, state, sides, problem, c)


@inner
def enter_contact(candidates, ground, pose, state, sides, problem, c):
    """Add candidate c to the problem.

    In a step of a rigid law of impulses it acts on the ground below its point. The points of a flat
    foot tilted by its gaps then still lie in a plane, and may all stick while it turns flat. An
    impact closes no gaps.
    """
    b = enter_block(problem, sides, BlockKind.CONE, 3, c, -1, candidates.link[c])
    problem.gap[b] = max(candidates.gap[c], -problem.deepest[0])
    problem.mu[b] = pair_friction(candidates, ground, c)
    problem.restitution[b] = pair_restitution(candidates, ground, c)
    tangent_basis(ground.normal, c, problem.frame, b)
    impulsive = problem.size[ProblemSize.IMPULSIVE] == 1
    down = 0.0 if impulsive else candidates.lowered[0] * candidates.gap[c]
    for k in range(3):
        problem.position[b, k] = candidates.position[c, k] - down * ground.normal[c, k]
        problem.impulse[3 * b + k] = state.impulse[c, k]
    if is_directed(candidates.directions, c):
        along, across = pair_directions(candidates, ground, c)
        link, values = candidates.link[c], candidates.directions
        scale_rows(values, c, link, pose, along, across, problem, b)


@inner
def enter_moments(candidates, detected, sides, problem):
    """Enter a block of moments after all contacts, for each one with friction and a length."""
    if len(problem.moments) == 0:
        return
    contacts, declared = problem.size[ProblemSize.BLOCKS], len(candidates.link)
    for b in range(contacts):
        c, mu, spin, roll = problem.candidate[b], problem.mu[b], 0.0, 0.0
        if c < declared:
            spin, roll = candidates.lengths[c, 0], candidates.lengths[c, 1]
        else:
            spin, roll = detected.lengths[c - declared, 0], detected.lengths[c - declared, 1]
        problem.moments[b] = -1
        if not (mu > 0.0 and spin + roll > 0.0):
            continue
        m = enter_block(problem, sides, BlockKind.MOMENT, 3, -1, sides.link[b, 0], sides.link[b, 1])
        problem.moments[b], problem.moments[m] = m, b
        problem.mu[m], problem.restitution[m], problem.gap[m] = mu, 0.0, 0.0
        tangent_basis(problem.frame[b], 2, problem.frame, m)
        for k in range(3):
            length = (roll if k < 2 else spin) / mu
            for j in range(3):
                problem.frame[m, k, j] *= length
            problem.position[m, k] = problem.position[b, k]


@inner
def block_motion(problem, b, twist, i):
    """Return the i-th twist in block b's rows, world axes: angular velocity for moments."""
    if problem.kind[b] == BlockKind.MOMENT:
        return twist[i, 3], twist[i, 4], twist[i, 5]
    p = problem.position
    return velocity_at(twist, i, p[b, 0], p[b, 1], p[b, 2])


@inner
def contact_velocity(problem, twist, ground, sides, b, out):
    """Write the velocity of block b's point on body 2, relative to body 1, in its contact frame.

    Body 1 of a declared point is the ground, which may move. Of a detected contact, the ground's
    velocity is that of body 1's surface along the body.
    """
    c, other, link = problem.candidate[b], sides.link[b, 0], sides.link[b, 1]
    g0, g1, g2 = 0.0, 0.0, 0.0
    if other >= 0:
        g0, g1, g2 = block_motion(problem, b, twist, other)
    if 0 <= c < len(ground.velocity):
        v = ground.velocity
        g0, g1, g2 = g0 + v[c, 0], g1 + v[c, 1], g2 + v[c, 2]
    v0, v1, v2 = block_motion(problem, b, twist, link)
    v0, v1, v2 = times(problem.frame, b, v0 - g0, v1 - g1, v2 - g2)
    out[3 * b], out[3 * b + 1], out[3 * b + 2] = v0, v1, v2


@inner
def jacobian_side(topology, dynamics, problem, link, b, Z, at):
    """Write ``Z = D^-1/2 L^-T J'`` of block b and one of its links; return the end of its entries.

    Row p of Z (three numbers and a zero) belongs to the p-th dof of the link's chain.
    ``J_k = frame (S_lin + S_ang x x)``; for moments ``J_k = frame S_ang``.
    """
    tree = topology.link_tree[link]
    first = topology.tree_v[tree]
    start, end = topology.chain_start[link], topology.chain_start[link + 1]
    for p in range(end - start):
        k = first + topology.chain[start + p]
        j0, j1, j2 = block_motion(problem, b, dynamics.S, k)
        j0, j1, j2 = times(problem.frame, b, j0, j1, j2)
        i = at + 4 * p
        Z[i], Z[i + 1], Z[i + 2], Z[i + 3] = j0, j1, j2, 0.0
    if topology.wide[tree] == 1:
        spread(topology, link, Z, at)
    return along_span(topology, dynamics, link, Z, at)


@inner
def add_entry(topology, Z, at, start, last, dof, value):
    """Add a value to the row of a dof if the span from ``start`` to ``last`` contains the dof."""
    p = last
    while topology.span[start + p] != dof:
        p -= 1
    Z[at + 4 * p] += value


@inner
def joint_side(rows, j, topology, dynamics, Z, at):
    """Write ``Z = D^-1/2 L^-T J'`` of row j: ``sign v`` of its joint and other joints it moves.

    Stored like a cone, four numbers per dof, of which the first counts. Returns the end.
    """
    link = rows.link[j]
    first, start = topology.tree_v[topology.link_tree[link]], topology.span_start[link]
    last = topology.span_start[link + 1] - start - 1
    for k in range(4 * last + 4):
        Z[at + k] = 0.0
    add_entry(topology, Z, at, start, last, rows.dof[j] - first, rows.sign[j])
    for m in range(rows.more_start[j], rows.more_start[j + 1]):
        add_entry(topology, Z, at, start, last, rows.more_dof[m] - first, rows.more_value[m])
    return row_along_span(topology, dynamics, link, Z, at)


@inner
def row_speeds(rows, j, v, v_free):
    """Return the speed of row j, and its speed without impulses."""
    now, free = rows.sign[j] * v[rows.dof[j]], rows.sign[j] * v_free[rows.dof[j]]
    for m in range(rows.more_start[j], rows.more_start[j + 1]):
        now += rows.more_value[m] * v[rows.more_dof[m]]
        free += rows.more_value[m] * v_free[rows.more_dof[m]]
    return now, free


@inner
def joint_velocity(rows, dynamics, problem, sides, b, v):
    """Write the velocities of block b's row."""
    j, row = sides.joint[b], problem.row[b]
    now, free = row_speeds(rows, j, v, dynamics.v_free)
    problem.velocity[row], problem.free_velocity[row] = now, free


@inner
def block_velocities(problem, dynamics, rows, ground, sides, b, v):
    """Write J v and J v_free of block b."""
    if problem.kind[b] >= BlockKind.CONE:
        contact_velocity(problem, dynamics.twist, ground, sides, b, problem.velocity)
        contact_velocity(problem, dynamics.free_twist, ground, sides, b, problem.free_velocity)
    else:
        joint_velocity(rows, dynamics, problem, sides, b, v)


@inner
def find_jacobians(topology, dynamics, loops, rows, ground, sides, problem, v):
    """Write Z of every block and side, and the velocities J v and J v_free."""
    end = 0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        begin, held = end, False
        for s in range(1 if sides.link[b, 0] < 0 else 0, 2):
            link, at = sides.link[b, s], end
            sides.start[b, s] = at
            if problem.kind[b] >= BlockKind.CONE:
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
def select_touching(candidates, ground, pose, state, sides, problem, touch, dt):
    """Enter the candidates with ``gap <= touch`` as cone blocks of an impulsive problem."""
    begin_problem(problem, 1, dt)
    for c in range(len(candidates.link)):
        if candidates.gap[c] <= touch:
            enter_contact(candidates, ground, pose, state, sides, problem, c)
            state.touching[c] = 1.0
            for k in range(problem.size[ProblemSize.ROWS] - 3, problem.size[ProblemSize.ROWS]):
                problem.impulse[k] = 0.0


@inner
def refresh_velocities(candidates, topology, dynamics, rows, ground, sides, problem, v):
    """Write J v and J v_free again after a change of velocities at the same configuration."""
    link_twists(topology, candidates.links, dynamics.S, v, dynamics.twist)
    link_twists(topology, candidates.links, dynamics.S, dynamics.v_free, dynamics.free_twist)
    for b in range(problem.size[ProblemSize.BLOCKS]):
        block_velocities(problem, dynamics, rows, ground, sides, b, v)
