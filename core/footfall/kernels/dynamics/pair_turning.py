"""Angular momentum of bodies in flight whose overlap is removed.

Split impulses move two bodies apart without changing their velocities; with velocities that are
not along the way, this changes the angular momentum of the pair by ``dt s x (V2 - V1)``, with s
the split impulse on the second and V the velocities of the mass centres. It is given back by
turning the pair as one about its common mass centre: of all changes of velocity that do, the one
with the least kinetic energy, and it changes no velocity at their contact.
"""

from __future__ import annotations

from footfall.jit.compiling import inner
from footfall.kernels.dynamics.free_motion import carries_momentum
from footfall.spatial.rotation import cross

PASSES = 3
"""Each is for the velocities that the one before has changed, by 1e-6 of it and less."""


@inner
def centre_of(topology, dynamics, link, v, at):
    """Return the mass centre of a rigid body and its velocity, world; ``v[at:]`` in its axes."""
    c0, c1, c2 = topology.com[link, 0], topology.com[link, 1], topology.com[link, 2]
    u0, u1, u2 = cross(v[at + 3], v[at + 4], v[at + 5], c0, c1, c2)
    u0, u1, u2 = u0 + v[at], u1 + v[at + 1], u2 + v[at + 2]
    R = dynamics.pose
    return (
        R[link, 0] * c0 + R[link, 3] * c1 + R[link, 6] * c2 + R[link, 9],
        R[link, 1] * c0 + R[link, 4] * c1 + R[link, 7] * c2 + R[link, 10],
        R[link, 2] * c0 + R[link, 5] * c1 + R[link, 8] * c2 + R[link, 11],
        R[link, 0] * u0 + R[link, 3] * u1 + R[link, 6] * u2,
        R[link, 1] * u0 + R[link, 4] * u1 + R[link, 7] * u2,
        R[link, 2] * u0 + R[link, 5] * u1 + R[link, 8] * u2,
    )


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
    a0 = R[link, 0] * w0 + R[link, 1] * w1 + R[link, 2] * w2
    a1 = R[link, 3] * w0 + R[link, 4] * w1 + R[link, 5] * w2
    a2 = R[link, 6] * w0 + R[link, 7] * w1 + R[link, 8] * w2
    x, y, z = cross(a0, a1, a2, x, y, z)
    x = R[link, 0] * u0 + R[link, 1] * u1 + R[link, 2] * u2 - x
    y = R[link, 3] * u0 + R[link, 4] * u1 + R[link, 5] * u2 - y
    z = R[link, 6] * u0 + R[link, 7] * u1 + R[link, 8] * u2 - z
    for v in (new, move):
        v[at], v[at + 1], v[at + 2] = v[at] + x, v[at + 1] + y, v[at + 2] + z
        v[at + 3], v[at + 4], v[at + 5] = v[at + 3] + a0, v[at + 4] + a1, v[at + 5] + a2


@inner
def turn_pair(topology, dynamics, problem, b, first, second, v, dt):
    """Give back what the split impulse of block b takes from the angular momentum of a pair."""
    E, s = problem.frame, problem.correction
    r0, r1, r2 = s[3 * b], s[3 * b + 1], s[3 * b + 2]
    s0 = E[b, 0, 0] * r0 + E[b, 1, 0] * r1 + E[b, 2, 0] * r2
    s1 = E[b, 0, 1] * r0 + E[b, 1, 1] * r1 + E[b, 2, 1] * r2
    s2 = E[b, 0, 2] * r0 + E[b, 1, 2] * r1 + E[b, 2, 2] * r2
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

    ``v_new`` holds what the pairs are given until ``take_back``.
    """
    new, v, seen = dynamics.v_new, dynamics.before, dynamics.moved
    for k in range(len(new)):
        seen[k, 0] = 0.0
        v[len(new) + 6 + k] = new[k]
    for _ in range(PASSES):
        for k in range(len(new)):
            v[k] = new[k] - seen[k, 0]
            seen[k, 0] = new[k]
        for b in range(problem.size[0]):
            first, second = sides.link[b, 0], sides.link[b, 1]
            if first < 0 or problem.candidate[b] < 0:
                continue
            one, other = topology.link_tree[first], topology.link_tree[second]
            if dynamics.airborne[one] == 0 or dynamics.airborne[other] == 0:
                continue
            if carries_momentum(topology, one) and carries_momentum(topology, other):
                turn_pair(topology, dynamics, problem, b, first, second, v, dt)


@inner
def take_back(dynamics):
    """Let ``v_new`` be the velocity that the law solved for again."""
    new = dynamics.v_new
    for k in range(len(new)):
        new[k] = dynamics.before[len(new) + 6 + k]
