"""Conservation of momentum: for robots in flight, and for bodies whose overlap is removed.

**Bodies whose overlap is removed.** Split impulses move two bodies apart without changing their
velocities. If the velocities are not along this motion, the angular momentum of the pair changes
by ``dt s x (V2 - V1)``, with s the split impulse on the second body and V the velocities of the
mass centres. It is restored by turning the pair as one about its common mass centre. Of all
changes of velocity that restore it, this one has the least kinetic energy, and it changes no
velocity at their contact.

**Robots in flight.** A step of a tree with joints is computed at its old configuration, with a
second-order error in its momentum at the new one. If nothing fixed pushes the tree, that momentum
is known: the old momentum, gravity, pushes and the impulses of other moving bodies. After the
step the whole tree gets the missing velocity as one rigid body, which changes no joint velocity:
of all changes that give the momentum, this one has the least kinetic energy. In flight the base is
placed such that the mass centre moves as its momentum requires. If other bodies touch the tree, it
moves as the law has solved, and only the angular momentum about its mass centre is exact.

The new configuration is found without the engine, from the twists S of the old one: a link moves by
``exp(S_1 dt s_1) exp(S_2 dt s_2) ...`` along its chain (product of exponentials).
"""

from __future__ import annotations

from footfall.jit.compiling import inner, routine
from footfall.problem.arrays import ProblemSize
from footfall.spatial.rotation import (
    cross,
    exponential,
    placed,
    quaternion_to_pose,
    rotate_back,
    times,
    transposed_times,
    turned,
    turned_back,
)
from footfall.world.arrays import Airborne
from footfall_stepper.kernels.dynamics.equations_of_motion import move_tree
from footfall_stepper.kernels.dynamics.rigid_bodies import carries_momentum

PASSES = 3
"""Each round uses velocities changed by the one before, by a relative 1e-6 or less."""


@inner
def centre_of(topology, dynamics, link, v, at):
    """Return the mass centre of a rigid body and its velocity, world; ``v[at:]`` in its axes."""
    c0, c1, c2 = topology.com[link, 0], topology.com[link, 1], topology.com[link, 2]
    u0, u1, u2 = cross(v[at + 3], v[at + 4], v[at + 5], c0, c1, c2)
    u0, u1, u2 = turned(dynamics.pose, link, u0 + v[at], u1 + v[at + 1], u2 + v[at + 2])
    c0, c1, c2 = placed(dynamics.pose, link, c0, c1, c2)
    return c0, c1, c2, u0, u1, u2


@inner
def inertia_entry(topology, dynamics, link, a, b):
    """Return an entry of a link's inertia about its mass centre, world axes: ``R I R'``."""
    R, inertia, total = dynamics.pose, topology.inertia, 0.0
    for j in range(3):
        for k in range(3):
            total += R[link, 3 * j + a] * inertia[link, j, k] * R[link, 3 * k + b]
    return total


@inner
def solve_symmetric(a, b, c, d, e, f, x, y, z):
    """Return ``[[a, b, c], [b, d, e], [c, e, f]]^-1 (x, y, z)``; Cramer's rule."""
    m, n, o = d * f - e * e, c * e - b * f, b * e - c * d
    det = a * m + b * n + c * o
    return (
        (m * x + n * y + o * z) / det,
        (n * x + (a * f - c * c) * y + (b * c - a * e) * z) / det,
        (o * x + (b * c - a * e) * y + (a * d - b * b) * z) / det,
    )


@inner
def turn_body(topology, dynamics, link, at, w0, w1, w2, u0, u1, u2):
    """Add an angular velocity and a velocity of the mass centre, world axes, to a rigid body."""
    R, new, move = dynamics.pose, dynamics.v_new, dynamics.v_position
    x, y, z = topology.com[link, 0], topology.com[link, 1], topology.com[link, 2]
    a0, a1, a2 = turned_back(R, link, w0, w1, w2)
    x, y, z = cross(a0, a1, a2, x, y, z)
    u0, u1, u2 = turned_back(R, link, u0, u1, u2)
    x, y, z = u0 - x, u1 - y, u2 - z
    for v in (new, move):
        v[at], v[at + 1], v[at + 2] = v[at] + x, v[at + 1] + y, v[at + 2] + z
        v[at + 3], v[at + 4], v[at + 5] = v[at + 3] + a0, v[at + 4] + a1, v[at + 5] + a2


@inner
def turn_pair(topology, dynamics, problem, b, first, second, v, dt):
    """Restore the angular momentum of a pair after the split impulse of block b."""
    s = problem.correction
    s0, s1, s2 = transposed_times(problem.frame, b, s[3 * b], s[3 * b + 1], s[3 * b + 2])
    i = topology.tree_v[topology.link_tree[first]]
    j = topology.tree_v[topology.link_tree[second]]
    x, y, z, u0, u1, u2 = centre_of(topology, dynamics, first, v, i)
    d0, d1, d2, w0, w1, w2 = centre_of(topology, dynamics, second, v, j)
    d0, d1, d2 = d0 - x, d1 - y, d2 - z
    x, y, z = cross(s0, s1, s2, u0 - w0, u1 - w1, u2 - w2)
    m1, m2 = topology.mass[first], topology.mass[second]
    part = m1 / (m1 + m2)
    m, square = part * m2, d0 * d0 + d1 * d1 + d2 * d2
    K = (
        m * (square - d0 * d0) + both(topology, dynamics, first, second, 0, 0),
        both(topology, dynamics, first, second, 0, 1) - m * d0 * d1,
        both(topology, dynamics, first, second, 0, 2) - m * d0 * d2,
        m * (square - d1 * d1) + both(topology, dynamics, first, second, 1, 1),
        both(topology, dynamics, first, second, 1, 2) - m * d1 * d2,
        m * (square - d2 * d2) + both(topology, dynamics, first, second, 2, 2),
    )
    w0, w1, w2 = solve_symmetric(*K, dt * x, dt * y, dt * z)
    u0, u1, u2 = cross(w0, w1, w2, d0, d1, d2)
    rest = part - 1.0
    turn_body(topology, dynamics, first, i, w0, w1, w2, rest * u0, rest * u1, rest * u2)
    turn_body(topology, dynamics, second, j, w0, w1, w2, part * u0, part * u1, part * u2)


@inner
def both(topology, dynamics, first, second, a, b):
    """Return the sum of an entry of two links' inertias."""
    one = inertia_entry(topology, dynamics, first, a, b)
    return one + inertia_entry(topology, dynamics, second, a, b)


@inner
def turn_pairs(topology, dynamics, sides, problem, dt):
    """Turn all pairs of rigid bodies that nothing fixed pushes, for their split impulses.

    ``v_new`` holds the resulting velocities of the pairs until ``take_back``.
    """
    new, v, seen = dynamics.v_new, dynamics.before, dynamics.moved
    for k in range(len(new)):
        seen[k, 0] = 0.0
        v[len(new) + 6 + k] = new[k]
    for _ in range(PASSES):
        for k in range(len(new)):
            v[k] = new[k] - seen[k, 0]
            seen[k, 0] = new[k]
        for b in range(problem.size[ProblemSize.BLOCKS]):
            first, second = sides.link[b, 0], sides.link[b, 1]
            if first < 0 or problem.candidate[b] < 0:
                continue
            one, other = topology.link_tree[first], topology.link_tree[second]
            if Airborne.PUSHED in (dynamics.airborne[one], dynamics.airborne[other]):
                continue
            if carries_momentum(topology, one) and carries_momentum(topology, other):
                turn_pair(topology, dynamics, problem, b, first, second, v, dt)


@inner
def take_back(dynamics):
    """Reset ``v_new`` to the velocity that the law solved for."""
    new = dynamics.v_new
    for k in range(len(new)):
        new[k] = dynamics.before[len(new) + 6 + k]


@inner
def momentum_due(topology, dynamics, tree, v, dt):
    """Write the momentum after the step to ``dynamics.moved[0]``, world axes.

    Velocity of the mass centre at the end, angular momentum about it, then the centre and its
    velocity at the start, 3 each. ``P = M v+ + dt (h - gravity)``, rows of the base: h without
    gravity is the change of momentum by the configuration alone.
    """
    first, at, link = topology.tree_v[tree], topology.tree_M[tree], topology.tree_link[tree]
    n = topology.tree_v[tree + 1] - first
    M, R, g, out, w = dynamics.M, dynamics.pose, topology.gravity, dynamics.moved, dynamics.before
    for i in range(6):
        s = dt * dynamics.h[first + i]
        for j in range(n):
            s += M[at + i * n + j] * dynamics.v_new[first + j]
        w[i] = s
    m = M[at]
    c0, c1, c2 = -M[at + 4 * n + 2] / m, M[at + 3 * n + 2] / m, -M[at + 3 * n + 1] / m
    f0, f1, f2 = turned_back(R, link, g[0], g[1], g[2])
    f0, f1, f2 = dt * m * f0, dt * m * f1, dt * m * f2
    t0, t1, t2 = cross(c0, c1, c2, f0, f1, f2)
    p0, p1, p2 = w[0] + f0, w[1] + f1, w[2] + f2
    a0, a1, a2 = cross(c0, c1, c2, p0, p1, p2)
    k0, k1, k2 = w[3] + t0 - a0, w[4] + t1 - a1, w[5] + t2 - a2
    u = (0.0, 0.0, 0.0)
    for j in range(n):
        x = v[first + j] / m
        u = (
            u[0] + M[at + j] * x,
            u[1] + M[at + n + j] * x,
            u[2] + M[at + 2 * n + j] * x,
        )
    for i in range(3):
        a, b, c = R[link, i], R[link, 3 + i], R[link, 6 + i]
        out[0, i] = (a * p0 + b * p1 + c * p2) / m
        out[0, 3 + i] = a * k0 + b * k1 + c * k2
        out[0, 6 + i] = a * c0 + b * c1 + c * c2 + R[link, 9 + i]
        out[0, 9 + i] = a * u[0] + b * u[1] + c * u[2]


@inner
def place_base(topology, dynamics, tree, q, v):
    """Write the motion of the base: displacement (rotation row-major, translation) and twist.

    Both at the world origin, to the row of the base's last dof in ``dynamics.moved``.
    """
    i, p, link = topology.tree_v[tree], topology.tree_q[tree], topology.tree_link[tree]
    R, out, row = dynamics.pose, dynamics.moved, topology.tree_v[tree] + 6
    quaternion_to_pose(q, p, out, i + 1)
    N = i + 1
    for a in range(3):
        for b in range(3):
            s = 0.0
            for k in range(3):
                s += out[N, 3 * k + a] * R[link, 3 * k + b]
            out[row, 3 * a + b] = s
    for a in range(3):
        s = q[p + a]
        for b in range(3):
            s -= out[row, 3 * a + b] * R[link, 9 + b]
        out[row, 9 + a] = s
    x, y, z, w = -q[p + 3], -q[p + 4], -q[p + 5], q[p + 6]
    w0, w1, w2 = rotate_back(x, y, z, w, v[i + 3], v[i + 4], v[i + 5])
    u0, u1, u2 = rotate_back(x, y, z, w, v[i], v[i + 1], v[i + 2])
    a0, a1, a2 = cross(q[p], q[p + 1], q[p + 2], w0, w1, w2)
    out[row, 12], out[row, 13], out[row, 14] = u0 + a0, u1 + a1, u2 + a2
    out[row, 15], out[row, 16], out[row, 17] = w0, w1, w2


@inner
def place_dof(dynamics, k, parent, dt):
    """Write displacement and twist after dof k, from those of the dof before it.

    ``T = T_parent exp(S dt s)``; ``V = V_parent + Ad(T_parent) S s+``.
    """
    S, T, P, rate = dynamics.S, dynamics.moved, parent + 1, dynamics.v_new[k]
    s0, s1, s2, a0, a1, a2 = S[k, 0], S[k, 1], S[k, 2], S[k, 3], S[k, 4], S[k, 5]
    angle, square = dt * dynamics.v_position[k], a0 * a0 + a1 * a1 + a2 * a2
    x, y, z, w = exponential(angle * a0, angle * a1, angle * a2)
    if square > 0.5:
        # Revolute: the axis goes through c = a x s, and the translation is c - exp(..) c.
        c0, c1, c2 = cross(a0, a1, a2, s0, s1, s2)
        e0, e1, e2 = rotate_back(-x, -y, -z, w, c0, c1, c2)
        e0, e1, e2 = c0 - e0, c1 - e1, c2 - e2
    else:
        e0, e1, e2 = angle * s0, angle * s1, angle * s2
    row = k + 1
    for i in range(3):
        r0, r1, r2 = T[P, 3 * i], T[P, 3 * i + 1], T[P, 3 * i + 2]
        T[row, 9 + i] = T[P, 9 + i] + r0 * e0 + r1 * e1 + r2 * e2
        T[row, 12 + i] = T[P, 12 + i] + rate * (r0 * s0 + r1 * s1 + r2 * s2)
        T[row, 15 + i] = T[P, 15 + i] + rate * (r0 * a0 + r1 * a1 + r2 * a2)
        # Row i of R exp(a): exp(a)' applied to row i of R.
        T[row, 3 * i], T[row, 3 * i + 1], T[row, 3 * i + 2] = rotate_back(x, y, z, w, r0, r1, r2)
    b0 = rate * (T[P, 0] * a0 + T[P, 1] * a1 + T[P, 2] * a2)
    b1 = rate * (T[P, 3] * a0 + T[P, 4] * a1 + T[P, 5] * a2)
    b2 = rate * (T[P, 6] * a0 + T[P, 7] * a1 + T[P, 8] * a2)
    b0, b1, b2 = cross(T[P, 9], T[P, 10], T[P, 11], b0, b1, b2)
    T[row, 12], T[row, 13], T[row, 14] = T[row, 12] + b0, T[row, 13] + b1, T[row, 14] + b2
    T[row, 18] = 1.0


@inner
def place_links(topology, dynamics, tree, dt):
    """Write the displacements of all dofs of a tree's joints."""
    first, T = topology.tree_v[tree], dynamics.moved
    for k in range(first + 6, topology.tree_v[tree + 1]):
        T[k + 1, 18] = 0.0
    for link in range(topology.tree_link[tree], topology.tree_link[tree + 1]):
        for p in range(topology.chain_start[link] + 6, topology.chain_start[link + 1]):
            k = first + topology.chain[p]
            if T[k + 1, 18] == 0.0:
                place_dof(dynamics, k, first + topology.chain[p - 1], dt)


@inner
def turn_link(T, row, R, link, total):
    """Write the world rotation of a link after the step, row-major, to ``total[23:32]``."""
    for k in range(0, 9, 3):
        x, y, z = turned_back(R, link, T[row, k], T[row, k + 1], T[row, k + 2])
        total[23 + k], total[24 + k], total[25 + k] = x, y, z


@inner
def turn_inertia(inertia, link, total):
    """Write a link's inertia in world axes, xx xy xz yy yz zz, to ``total[32:38]``."""
    at = 32
    for a in range(23, 32, 3):
        x, y, z = times(inertia, link, total[a], total[a + 1], total[a + 2])
        for b in range(a, 32, 3):
            total[at] = x * total[b] + y * total[b + 1] + z * total[b + 2]
            at += 1


@inner
def add_link(topology, dynamics, link, row, total):
    """Add a link's mass, mass moment, momentum and inertia after the step to ``total``.

    About the tree's mass centre at the start; see ``world.arrays.Dynamics.total``.
    """
    T, R, m = dynamics.moved, dynamics.pose, topology.mass[link]
    x, y, z = topology.com[link, 0], topology.com[link, 1], topology.com[link, 2]
    x, y, z = placed(R, link, x, y, z)
    total[20], total[21], total[22] = x, y, z
    c0 = T[row, 0] * x + T[row, 1] * y + T[row, 2] * z + T[row, 9]
    c1 = T[row, 3] * x + T[row, 4] * y + T[row, 5] * z + T[row, 10]
    c2 = T[row, 6] * x + T[row, 7] * y + T[row, 8] * z + T[row, 11]
    turn_link(T, row, R, link, total)
    w0, w1, w2 = T[row, 15], T[row, 16], T[row, 17]
    u0, u1, u2 = cross(w0, w1, w2, c0, c1, c2)
    u0, u1, u2 = m * (T[row, 12] + u0), m * (T[row, 13] + u1), m * (T[row, 14] + u2)
    # From here on about the mass centre at the start, so that the world origin has no effect.
    c0, c1, c2 = c0 - T[0, 6], c1 - T[0, 7], c2 - T[0, 8]
    L0, L1, L2 = cross(c0, c1, c2, u0, u1, u2)
    turn_inertia(topology.inertia, link, total)
    L0 += total[32] * w0 + total[33] * w1 + total[34] * w2
    L1 += total[33] * w0 + total[35] * w1 + total[36] * w2
    L2 += total[34] * w0 + total[36] * w1 + total[37] * w2
    square = c0 * c0 + c1 * c1 + c2 * c2
    total[0] += m
    total[1], total[2], total[3] = total[1] + m * c0, total[2] + m * c1, total[3] + m * c2
    total[4], total[5], total[6] = total[4] + u0, total[5] + u1, total[6] + u2
    total[7], total[8], total[9] = total[7] + L0, total[8] + L1, total[9] + L2
    total[10] += total[32] + m * (square - c0 * c0)
    total[11] += total[33] - m * c0 * c1
    total[12] += total[34] - m * c0 * c2
    total[13] += total[35] + m * (square - c1 * c1)
    total[14] += total[36] - m * c1 * c2
    total[15] += total[37] + m * (square - c2 * c2)


@inner
def give_missing(topology, dynamics, tree, q, v, flown, dt):
    """Give the base the missing velocity, and move the mass centre to its required position."""
    due, t = dynamics.moved, dynamics.total
    m, i, p = t[0], topology.tree_v[tree], topology.tree_q[tree]
    c0, c1, c2 = t[1] / m, t[2] / m, t[3] / m
    L0, L1, L2 = cross(c0, c1, c2, t[4], t[5], t[6])
    L0, L1, L2 = due[0, 3] - t[7] + L0, due[0, 4] - t[8] + L1, due[0, 5] - t[9] + L2
    square = c0 * c0 + c1 * c1 + c2 * c2
    w0, w1, w2 = solve_symmetric(
        t[10] - m * (square - c0 * c0),
        t[11] + m * c0 * c1,
        t[12] + m * c0 * c2,
        t[13] - m * (square - c1 * c1),
        t[14] + m * c1 * c2,
        t[15] - m * (square - c2 * c2),
        L0,
        L1,
        L2,
    )
    d0, d1, d2 = q[p] - due[0, 6], q[p + 1] - due[0, 7], q[p + 2] - due[0, 8]
    u0, u1, u2 = cross(w0, w1, w2, d0 - c0, d1 - c1, d2 - c2)
    u0 += due[0, 0] - t[4] / m
    u1 += due[0, 1] - t[5] / m
    u2 += due[0, 2] - t[6] / m
    x, y, z, w = q[p + 3], q[p + 4], q[p + 5], q[p + 6]
    u0, u1, u2 = rotate_back(x, y, z, w, u0, u1, u2)
    w0, w1, w2 = rotate_back(x, y, z, w, w0, w1, w2)
    v[i], v[i + 1], v[i + 2] = v[i] + u0, v[i + 1] + u1, v[i + 2] + u2
    v[i + 3], v[i + 4], v[i + 5] = v[i + 3] + w0, v[i + 4] + w1, v[i + 5] + w2
    if flown:
        for k in range(3):
            mean = 0.5 * (due[0, k] + due[0, 9 + k])
            q[p + k] += dt * mean - t[1 + k] / m


@routine
def fly_tree(topology, dynamics, tree, q, v, flown, dt):
    """Move a robot that nothing fixed pushes, and correct its momentum to the required value.

    ``flown``: no impulse from outside at all; the mass centre then moves with the mean velocity of
    both ends.
    """
    move_tree(topology, tree, q, v, dynamics.v_new, dynamics.v_position, dt)
    place_base(topology, dynamics, tree, q, v)
    place_links(topology, dynamics, tree, dt)
    for k in range(len(dynamics.total)):
        dynamics.total[k] = 0.0
    first = topology.tree_v[tree]
    for link in range(topology.tree_link[tree], topology.tree_link[tree + 1]):
        last = first + topology.chain[topology.chain_start[link + 1] - 1]
        if topology.mass[link] > 0.0:
            add_link(topology, dynamics, link, last + 1, dynamics.total)
    give_missing(topology, dynamics, tree, q, v, flown, dt)
