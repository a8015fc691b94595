"""The new state of a part of a step as a function of the old state and the solved velocity.

Tangent coordinates of a base are along its own axes: those of the old base before, those of the
new base after: ``p <- p + R dp``, ``R <- R exp(dtheta)``. ``E = exp(dt W)`` turns the base.
"""

from __future__ import annotations

import math
from enum import IntEnum

from footfall.api.contact import BlockKind, ProblemSize
from footfall.api.kernels import inner, kernel
from footfall_gradients.kernels.answer import Mode
from footfall_gradients.kernels.part import PartKind, cross, half_turning, times
from footfall_gradients.tables import (
    answer,
    motion,
    parameters,
    part,
    part_dynamics,
    part_problem,
    part_topology,
    tree,
    work,
)

FLYING = 2
"""Value of ``PartArrays.flying`` for a tree that nothing touches."""


class Matrix(IntEnum):
    """Places in ``PartArrays.small``."""

    ROTATION = 0
    """The rotation of a base in the step."""
    JACOBIAN = 1
    """The right Jacobian of the rotation vector."""
    FLIGHT_INVERSE = 2
    """Inverse of the matrix of the mean angular velocity in flight."""
    INVERSE_INERTIA = 3
    """Inverse of the inertia of a body."""
    HALF_TURNING = 4
    """The half turning of a body."""
    PRODUCT = 5
    """Scratch."""
    OTHER = 6
    """Scratch."""
    FLIGHT = 7
    """The rotation of a body in flight without split impulses."""


@inner
def unit(k, place):
    """Return 1 at a place, else 0."""
    return 1.0 if k == place else 0.0


@inner
def back(A, i, x, y, z):
    """Return the product of the i-th 3 x 3 matrix, transposed, with a vector."""
    return (
        A[i, 0] * x + A[i, 3] * y + A[i, 6] * z,
        A[i, 1] * x + A[i, 4] * y + A[i, 7] * z,
        A[i, 2] * x + A[i, 5] * y + A[i, 8] * z,
    )


@inner
def series(S, k, w0, w1, w2, a, b):
    """Write ``1 + a [w x] + b [w x]^2``."""
    S[k, 0] = 1.0 - b * (w1 * w1 + w2 * w2)
    S[k, 1], S[k, 2] = b * w0 * w1 - a * w2, b * w0 * w2 + a * w1
    S[k, 3], S[k, 4] = b * w0 * w1 + a * w2, 1.0 - b * (w0 * w0 + w2 * w2)
    S[k, 5], S[k, 6] = b * w1 * w2 - a * w0, b * w0 * w2 - a * w1
    S[k, 7], S[k, 8] = b * w1 * w2 + a * w0, 1.0 - b * (w0 * w0 + w1 * w1)


@inner
def rotations(S, w0, w1, w2):
    """Write ``exp(w)`` and J with ``exp(w + dw) = exp(w) exp(J dw)`` to first order."""
    square = w0 * w0 + w1 * w1 + w2 * w2
    if square < 1e-6:
        a, b = 1.0 - square / 6.0 * (1.0 - square / 20.0), 0.5 - square / 24.0
        c = 1.0 / 6.0 - square / 120.0
    else:
        angle = math.sqrt(square)
        a, b = math.sin(angle) / angle, (1.0 - math.cos(angle)) / square
        c = (1.0 - a) / square
    series(S, Matrix.ROTATION, w0, w1, w2, a, b)
    series(S, Matrix.JACOBIAN, w0, w1, w2, -b, c)


@inner
def invert_small(S, i, k):
    """Write the inverse of the i-th 3 x 3 matrix to the k-th."""
    a, b, c, d, e, f = S[i, 0], S[i, 1], S[i, 2], S[i, 3], S[i, 4], S[i, 5]
    g, h, j = S[i, 6], S[i, 7], S[i, 8]
    m, n, o = e * j - f * h, f * g - d * j, d * h - e * g
    s = 1.0 / (a * m + b * n + c * o)
    S[k, 0], S[k, 1], S[k, 2] = s * m, s * (c * h - b * j), s * (b * f - c * e)
    S[k, 3], S[k, 4], S[k, 5] = s * n, s * (a * j - c * g), s * (c * d - a * f)
    S[k, 6], S[k, 7], S[k, 8] = s * o, s * (b * g - a * h), s * (a * e - b * d)


@inner
def write_changes(a, z, s, dt, corrects, more):
    """Write dx to ``dv``, and the derivative of the velocity that moves positions to ``dq``.

    Columns are q, v, generalized forces, parameters, the part's length.
    """
    nv, impulsive = len(a.x), dt == 0.0
    for i in range(nv):
        for j in range(nv):
            a.dv[i, j] = z.change[i, j] + z.response[i, nv + j]
            a.dv[i, nv + j] = z.change[i, nv + j]
            a.dv[i, 2 * nv + j] = dt * z.response[i, j]
            if impulsive:
                a.dv[i, nv + j] += z.response[i, 2 * nv + 1 + more + j]
        for k in range(more):
            j = 2 * nv + 1 + k
            a.dv[i, 3 * nv + k] = z.change[i, j] + z.response[i, j] + z.moved[i, 1 + k]
        j = 2 * nv
        a.dv[i, 3 * nv + more] = z.change[i, j] + z.response[i, j] + z.moved[i, 0]
        for j in range(3 * nv + 1 + more):
            a.dq[i, j] = a.dv[i, j]
        if corrects:
            for j in range(nv):
                a.dq[i, j] += s.change[i, j] + s.response[i, nv + j]
                a.dq[i, nv + j] += s.change[i, nv + j]
            for k in range(more):
                j = 2 * nv + 1 + k
                a.dq[i, 3 * nv + k] += s.change[i, j] + s.response[i, j] + s.moved[i, 1 + k]
            a.dq[i, 3 * nv + more] += s.change[i, 2 * nv] + s.response[i, 2 * nv]


@inner
def weigh(a, first, end, theta, old):
    """Change dx to the derivative of ``theta x + old v`` in rows of ``dq``."""
    nv, rest = len(a.x), 1.0 - theta
    for i in range(first, end):
        for j in range(a.dq.shape[1] if rest != 0.0 else 0):
            a.dq[i, j] -= rest * a.dv[i, j]
        a.dq[i, nv + i] += old


@inner
def move_joints(a, first, end, dt):
    """Write the derivatives of the new joint positions."""
    n = a.dq.shape[1]
    for i in range(first, end):
        for j in range(n):
            a.dq[i, j] *= dt
        a.dq[i, i] += 1.0
        a.dq[i, n - 1] += a.place[i]
        a.new[i], a.way[i] = a.x[i], dt * a.place[i]


@inner
def base_column(a, i, j, dt, w0, w1, w2, t):
    """Write the derivative of a base's orientation; return phi, with ``E <- E exp(phi)``."""
    S, x = a.small, a.place
    f0, f1, f2 = dt * w0 + t * x[i + 3], dt * w1 + t * x[i + 4], dt * w2 + t * x[i + 5]
    f0, f1, f2 = times(S, Matrix.JACOBIAN, f0, f1, f2)
    e0, e1, e2 = 0.0, 0.0, 0.0
    if i + 3 <= j < i + 6:
        k = 3 * (j - i - 3)
        e0, e1, e2 = S[Matrix.ROTATION, k], S[Matrix.ROTATION, k + 1], S[Matrix.ROTATION, k + 2]
    a.dq[i + 3, j], a.dq[i + 4, j], a.dq[i + 5, j] = e0 + f0, e1 + f1, e2 + f2
    return f0, f1, f2


@inner
def carry(a, i, j, d0, d1, d2):
    """Write the derivative of a base's position, from that of its displacement along old axes."""
    way = a.way
    if i <= j < i + 3:
        k = j - i
        d0, d1, d2 = d0 + unit(k, 0), d1 + unit(k, 1), d2 + unit(k, 2)
    elif i + 3 <= j < i + 6:
        k = j - i - 3
        e0, e1, e2 = unit(k, 0), unit(k, 1), unit(k, 2)
        c0, c1, c2 = cross(way[i], way[i + 1], way[i + 2], e0, e1, e2)
        d0, d1, d2 = d0 - c0, d1 - c1, d2 - c2
    a.dq[i, j], a.dq[i + 1, j], a.dq[i + 2, j] = back(a.small, Matrix.ROTATION, d0, d1, d2)


@inner
def move_base(a, i, dt):
    """Write the derivatives of a base that a fixed body pushes."""
    S, x, new = a.small, a.place, a.new
    rotations(S, dt * x[i + 3], dt * x[i + 4], dt * x[i + 5])
    for k in range(6):
        a.way[i + k] = dt * x[i + k]
    for k in range(i, i + 6, 3):
        new[k], new[k + 1], new[k + 2] = back(S, Matrix.ROTATION, a.x[k], a.x[k + 1], a.x[k + 2])
    for j in range(a.dq.shape[1]):
        t = unit(j, a.dq.shape[1] - 1)
        p0, p1, p2 = a.dq[i, j], a.dq[i + 1, j], a.dq[i + 2, j]
        f0, f1, f2 = base_column(a, i, j, dt, a.dq[i + 3, j], a.dq[i + 4, j], a.dq[i + 5, j], t)
        carry(a, i, j, dt * p0 + t * x[i], dt * p1 + t * x[i + 1], dt * p2 + t * x[i + 2])
        for k in range(i, i + 6, 3):
            d0, d1, d2 = back(S, Matrix.ROTATION, a.dv[k, j], a.dv[k + 1, j], a.dv[k + 2, j])
            c0, c1, c2 = cross(new[k], new[k + 1], new[k + 2], f0, f1, f2)
            a.dv[k, j], a.dv[k + 1, j], a.dv[k + 2, j] = d0 + c0, d1 + c1, d2 + c2


@inner
def mean_turn(a, link, dt, A0, A1, A2):
    """Write ``Matrix.FLIGHT_INVERSE``, of the matrix of the mean angular velocity in flight.

    ``I W = (I w + A) / 2`` with ``A = E' L``: ``I - dt/2 [A x] J``. E goes to ``Matrix.FLIGHT``.
    """
    S, inertia = a.small, a.body
    for k in range(9):
        S[Matrix.FLIGHT, k] = S[Matrix.ROTATION, k]
    for c in range(3):
        j0, j1, j2 = S[Matrix.JACOBIAN, c], S[Matrix.JACOBIAN, 3 + c], S[Matrix.JACOBIAN, 6 + c]
        t0, t1, t2 = cross(A0, A1, A2, j0, j1, j2)
        S[Matrix.OTHER, c] = inertia[link, c] - 0.5 * dt * t0
        S[Matrix.OTHER, 3 + c] = inertia[link, 3 + c] - 0.5 * dt * t1
        S[Matrix.OTHER, 6 + c] = inertia[link, 6 + c] - 0.5 * dt * t2
    invert_small(S, Matrix.OTHER, Matrix.FLIGHT_INVERSE)


@inner
def trace_body(topology, a, body, dt, flies, split, share):
    """Write the motion of a rigid body without joints, as the stepper does (``rigid_bodies``).

    Writes its rotations, new velocity and displacement. Returns, along its axes: the centre of mass
    (old axes), the half turning of its momentum, its momentum and the velocity of its centre (new
    axes), the mean velocity of its centre; in flight without split impulses: its momentum, and the
    mean rotation times J. ``share`` of ``split``, shape (nv,), is the velocity by these.
    """
    S, x, v, i, inertia = a.small, a.x, a.v, topology.tree_v[body], a.body
    link, j, com = topology.tree_link[body], i + 3, topology.com
    c = (com[link, 0], com[link, 1], com[link, 2])
    W, B, turned = (a.place[j], a.place[j + 1], a.place[j + 2]), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    held = half_turning(inertia, link, v[j], v[j + 1], v[j + 2], S, Matrix.HALF_TURNING)
    for k in range(9):
        S[Matrix.OTHER, k] = inertia[link, k]
    invert_small(S, Matrix.OTHER, Matrix.INVERSE_INERTIA)
    L0, L1, L2 = times(inertia, link, x[j], x[j + 1], x[j + 2])
    L0, L1, L2 = L0 + dt * held[0], L1 + dt * held[1], L2 + dt * held[2]
    if flies:
        w0, w1 = W[0] - share * split[j], W[1] - share * split[j + 1]
        w2 = W[2] - share * split[j + 2]
        rotations(S, dt * w0, dt * w1, dt * w2)
        B = back(S, Matrix.ROTATION, L0, L1, L2)
        turned = times(S, Matrix.JACOBIAN, w0, w1, w2)
        mean_turn(a, link, dt, B[0], B[1], B[2])
    rotations(S, dt * W[0], dt * W[1], dt * W[2])
    A = back(S, Matrix.ROTATION, L0, L1, L2)
    cx = cross(c[0], c[1], c[2], x[j], x[j + 1], x[j + 2])
    u = (x[i] - cx[0], x[i + 1] - cx[1], x[i + 2] - cx[2])
    n = back(S, Matrix.ROTATION, u[0], u[1], u[2])
    spin = times(S, Matrix.INVERSE_INERTIA, A[0], A[1], A[2])
    cs = cross(c[0], c[1], c[2], spin[0], spin[1], spin[2])
    for k in range(3):
        a.way[j + k] = dt * W[k]
        a.new[j + k], a.new[i + k] = spin[k], n[k] + cs[k]
    if flies:
        cw = cross(c[0], c[1], c[2], v[j], v[j + 1], v[j + 2])
        cs = cross(c[0], c[1], c[2], split[j], split[j + 1], split[j + 2])
        for k in range(3):
            a.line[k] = 0.5 * (v[i + k] - cw[k] + u[k]) + share * (split[i + k] - cs[k])
    else:
        cw = cross(c[0], c[1], c[2], W[0], W[1], W[2])
        for k in range(3):
            a.line[k] = a.place[i + k] - cw[k]
    mean = (a.line[0], a.line[1], a.line[2])
    ec = times(S, Matrix.ROTATION, c[0], c[1], c[2])
    for k in range(3):
        a.way[i + k] = dt * mean[k] + c[k] - ec[k]
    return c, held, A, n, mean, B, turned


@inner
def move_body(topology, a, body, dt, split, share):
    """Write the derivatives of the result of ``trace_body``."""
    i, flies = topology.tree_v[body], a.flying[body] == FLYING
    known = trace_body(topology, a, body, dt, flies, split, share)
    for k in range(a.dq.shape[1]):
        body_column(a, i, topology.tree_link[body], k, dt, known, flies)


@inner
def body_column(a, i, link, k, dt, known, flies):
    """Write one column of ``move_body``."""
    S, j, nv, inertia = a.small, i + 3, len(a.x), a.body
    c, held, A, n, mean, B, turned = known
    t = unit(k, a.dq.shape[1] - 1)
    v0, v1, v2, w0, w1, w2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    s = k - nv - i  # velocity of the body in this column
    if 0 <= s < 6:
        v0, v1, v2 = unit(s, 0), unit(s, 1), unit(s, 2)
        w0, w1, w2 = unit(s, 3), unit(s, 4), unit(s, 5)
    x0, x1, x2, y0, y1, y2 = a.dv[i, k], a.dv[i + 1, k], a.dv[i + 2, k], a.dv[j, k], 0.0, 0.0
    y1, y2 = a.dv[j + 1, k], a.dv[j + 2, k]
    b0, b1, b2 = cross(c[0], c[1], c[2], y0, y1, y2)
    u0, u1, u2 = x0 - b0, x1 - b1, x2 - b2
    l0, l1, l2 = times(inertia, link, y0, y1, y2)
    h0, h1, h2 = times(S, Matrix.HALF_TURNING, w0, w1, w2)
    l0, l1 = l0 + dt * h0 + t * held[0], l1 + dt * h1 + t * held[1]
    l2 = l2 + dt * h2 + t * held[2]
    if flies:
        r0, r1, r2 = times(inertia, link, w0, w1, w2)
        f0, f1, f2 = back(S, Matrix.FLIGHT, l0, l1, l2)
        b0, b1, b2 = cross(B[0], B[1], B[2], turned[0], turned[1], turned[2])
        r0, r1, r2 = r0 + f0 + t * b0, r1 + f1 + t * b1, r2 + f2 + t * b2
        d0, d1, d2 = times(S, Matrix.FLIGHT_INVERSE, 0.5 * r0, 0.5 * r1, 0.5 * r2)
        s0, s1, s2 = a.dq[j, k] - y0, a.dq[j + 1, k] - y1, a.dq[j + 2, k] - y2
        d0, d1, d2 = d0 + s0, d1 + s1, d2 + s2
        b0, b1, b2 = cross(c[0], c[1], c[2], 0.5 * w0 + s0, 0.5 * w1 + s1, 0.5 * w2 + s2)
        m0, m1 = a.dq[i, k] - x0 + 0.5 * (v0 + u0) - b0, a.dq[i + 1, k] - x1 + 0.5 * (v1 + u1) - b1
        m2 = a.dq[i + 2, k] - x2 + 0.5 * (v2 + u2) - b2
    else:
        d0, d1, d2 = a.dq[j, k], a.dq[j + 1, k], a.dq[j + 2, k]
        b0, b1, b2 = cross(c[0], c[1], c[2], d0, d1, d2)
        m0, m1, m2 = a.dq[i, k] - b0, a.dq[i + 1, k] - b1, a.dq[i + 2, k] - b2
    l0, l1, l2 = back(S, Matrix.ROTATION, l0, l1, l2)
    f0, f1, f2 = base_column(a, i, k, dt, d0, d1, d2, t)
    b0, b1, b2 = cross(A[0], A[1], A[2], f0, f1, f2)
    s0, s1, s2 = times(S, Matrix.INVERSE_INERTIA, l0 + b0, l1 + b1, l2 + b2)
    u0, u1, u2 = back(S, Matrix.ROTATION, u0, u1, u2)
    b0, b1, b2 = cross(n[0], n[1], n[2], f0, f1, f2)
    u0, u1, u2 = u0 + b0, u1 + b1, u2 + b2
    b0, b1, b2 = cross(c[0], c[1], c[2], s0, s1, s2)
    a.dv[i, k], a.dv[i + 1, k], a.dv[i + 2, k] = u0 + b0, u1 + b1, u2 + b2
    a.dv[j, k], a.dv[j + 1, k], a.dv[j + 2, k] = s0, s1, s2
    b0, b1, b2 = cross(c[0], c[1], c[2], f0, f1, f2)
    b0, b1, b2 = times(S, Matrix.ROTATION, b0, b1, b2)
    m0, m1 = dt * m0 + t * mean[0] + b0, dt * m1 + t * mean[1] + b1
    carry(a, i, k, m0, m1, dt * m2 + t * mean[2] + b2)


@inner
def multiply(A, i, B, j, C, k):
    """Write the product of two 3 x 3 matrices, row by row, to the k-th of C."""
    for r in range(3):
        x, y, z = A[i, 3 * r], A[i, 3 * r + 1], A[i, 3 * r + 2]
        for c in range(3):
            C[k, 3 * r + c] = x * B[j, c] + y * B[j, 3 + c] + z * B[j, 6 + c]


@inner
def turn_dof(t, S, m, a, T, k, way):
    """Write rotation and shift of the links after dof k to ``T_k``, and its new twist."""
    p, R = t.parent[k], a.small
    l0, l1, l2, a0, a1, a2 = S[k, 0], S[k, 1], S[k, 2], S[k, 3], S[k, 4], S[k, 5]
    rotations(R, way * a0, way * a1, way * a2)
    e0, e1, e2 = way * l0, way * l1, way * l2
    if a0 * a0 + a1 * a1 + a2 * a2 > 0.5:  # a rotation; x is a point of its axis
        x0, x1, x2 = cross(a0, a1, a2, l0, l1, l2)
        y0, y1, y2 = times(R, Matrix.ROTATION, x0, x1, x2)
        e0, e1, e2 = x0 - y0, x1 - y1, x2 - y2
    multiply(T, p, R, Matrix.ROTATION, T, k)
    e0, e1, e2 = times(T, p, e0, e1, e2)
    T[k, 9], T[k, 10], T[k, 11] = T[p, 9] + e0, T[p, 10] + e1, T[p, 11] + e2
    a0, a1, a2 = times(T, p, a0, a1, a2)
    l0, l1, l2 = times(T, p, l0, l1, l2)
    c0, c1, c2 = cross(T[p, 9], T[p, 10], T[p, 11], a0, a1, a2)
    m.S[k, 0], m.S[k, 1], m.S[k, 2] = l0 + c0, l1 + c1, l2 + c2
    m.S[k, 3], m.S[k, 4], m.S[k, 5] = a0, a1, a2


@kernel
def shape_after(rooms, table, first, end, dt):
    """Set the rooms to a robot's new joints, with its base unmoved.

    A link goes by ``exp(S_1 way_1) exp(S_2 way_2) ...`` along its chain.

    Args:
        rooms: table of ``inverse_dynamics``.
        table: table of the part.
        first: first dof of the robot.
        end: dof after its last one.
        dt: length of the part, [s].
    """
    t, m, T = tree(rooms), motion(rooms), work(rooms).Q
    dynamics, a = part_dynamics(table), part(table)
    b = first + 5
    for k in range(12):
        T[b, k] = 0.0
    T[b, 0] = T[b, 4] = T[b, 8] = 1.0
    for k in range(first + 6, end):
        turn_dof(t, dynamics.S, m, a, T, k, dt * a.place[k])
    for link in range(len(t.link_dof)):
        k = t.link_dof[link]
        if k < first + 6 or k >= end:
            continue
        for c in range(4):
            x, y, z = dynamics.pose[link, 3 * c], dynamics.pose[link, 3 * c + 1], 0.0
            z = dynamics.pose[link, 3 * c + 2]
            x, y, z = times(T, k, x, y, z)
            m.pose[link, 3 * c], m.pose[link, 3 * c + 1] = x, y
            m.pose[link, 3 * c + 2] = z
        for r in range(3):
            m.pose[link, 9 + r] += T[k, 9 + r]


@inner
def gap_margin(p, z, slop):
    """Return the smallest distance of a contact's gap to a change of rules, [m]."""
    nearest = 1e300
    for b in range(p.size[ProblemSize.BLOCKS]):
        if p.kind[b] == BlockKind.CONE and z.mode[b] != Mode.OPEN:
            nearest = min(nearest, abs(p.gap[b]), abs(p.gap[b] + slop))
            if p.gap[b] > -p.deepest[0]:
                nearest = min(nearest, p.gap[b] + p.deepest[0])
    return nearest


@kernel
def move(table, other, dt, slop, theta, old, corrects):
    """Write the new state and its derivatives; robots in flight move as if they were pushed.

    Args:
        table: table of the part.
        other: table with the answer of the split impulses.
        dt: length of the part, [s].
        slop: depth from which positions are corrected, [m]; 0: no correction.
        theta: weight of the new velocity in the motion.
        old: weight of the old one.
        corrects: whether there are split impulses.
    """
    topology, a, z, s = part_topology(table), part(table), answer(table), answer(other)
    p = part_problem(table)
    a.nearest[0] = gap_margin(p, z, slop)
    write_changes(a, z, s, dt, corrects, parameters(table).gravity.shape[1])
    for body in range(len(topology.free)):
        first, end = topology.tree_v[body], topology.tree_v[body + 1]
        if a.kind[body] == PartKind.BODY:
            if a.flying[body] != FLYING:
                weigh(a, first, end, theta, old)
            move_body(topology, a, body, dt, s.velocity, 1.0 if corrects else 0.0)
        elif a.kind[body] == PartKind.FIXED:
            weigh(a, first, end, theta, old)
            move_joints(a, first, end, dt)
        else:
            if a.flying[body] > 0:
                weigh(a, first, first + 3, 0.5, theta + old - 0.5)
            else:
                weigh(a, first, first + 3, theta, old)
            weigh(a, first + 3, end, theta, old)
            move_joints(a, first + 6, end, dt)
            move_base(a, first, dt)


@kernel
def write_jump(table, other):
    """Write the derivative of the velocity after an impact."""
    a, more = part(table), parameters(table).gravity.shape[1]
    write_changes(a, answer(table), answer(other), 0.0, False, more)


@inner
def pull_base(a, i, dt):
    """Carry the gradient back over ``move_base``."""
    S, x, place, way = a.small, a.x, a.place, a.way
    rotations(S, dt * place[i + 3], dt * place[i + 4], dt * place[i + 5])
    f0, f1, f2 = a.of_q[i + 3], a.of_q[i + 4], a.of_q[i + 5]
    e0, e1, e2 = times(S, Matrix.ROTATION, f0, f1, f2)
    for k in range(i, i + 6, 3):
        n0, n1, n2 = back(S, Matrix.ROTATION, x[k], x[k + 1], x[k + 2])
        a.new[k], a.new[k + 1], a.new[k + 2] = n0, n1, n2
        c0, c1, c2 = cross(a.of_v[k], a.of_v[k + 1], a.of_v[k + 2], n0, n1, n2)
        f0, f1, f2 = f0 + c0, f1 + c1, f2 + c2
        g0, g1, g2 = times(S, Matrix.ROTATION, a.of_v[k], a.of_v[k + 1], a.of_v[k + 2])
        a.of_x[k], a.of_x[k + 1], a.of_x[k + 2] = g0, g1, g2
        a.of_v[k] = a.of_v[k + 1] = a.of_v[k + 2] = 0.0
    for k in range(i, i + 3):
        way[k] = dt * place[k]
    h0, h1, h2 = pull_place(a, i, e0, e1, e2)
    f0, f1, f2 = back(S, Matrix.JACOBIAN, f0, f1, f2)
    a.of_place[i], a.of_place[i + 1], a.of_place[i + 2] = dt * h0, dt * h1, dt * h2
    a.of_place[i + 3], a.of_place[i + 4], a.of_place[i + 5] = dt * f0, dt * f1, dt * f2


@inner
def pull_place(a, i, e0, e1, e2):
    """Carry the gradient back over ``carry``; return that by the displacement along the old axes.

    ``e``: gradient by the old orientation, from that by the new one.
    """
    h0, h1, h2 = times(a.small, Matrix.ROTATION, a.of_q[i], a.of_q[i + 1], a.of_q[i + 2])
    c0, c1, c2 = cross(h0, h1, h2, a.way[i], a.way[i + 1], a.way[i + 2])
    a.of_q[i], a.of_q[i + 1], a.of_q[i + 2] = h0, h1, h2
    a.of_q[i + 3], a.of_q[i + 4], a.of_q[i + 5] = e0 - c0, e1 - c1, e2 - c2
    return h0, h1, h2


@inner
def pull_body(topology, p, a, body, dt):
    """Carry the gradient back over ``trace_body``.

    f: gradient by the rotation, m: by the mean velocity, l and u: by momentum.
    """
    S, i, inertia = a.small, topology.tree_v[body], a.body
    link, j, flies = topology.tree_link[body], i + 3, p.airborne[body] == FLYING
    # Flying bodies that are corrected go by their Jacobians.
    c, _, A, n, _, _, _ = trace_body(topology, a, body, dt, flies, a.x, 0.0)
    (c0, c1, c2), (A0, A1, A2), (n0, n1, n2) = c, A, n
    f0, f1, f2 = a.of_q[j], a.of_q[j + 1], a.of_q[j + 2]
    d0, d1, d2 = cross(a.of_q[i], a.of_q[i + 1], a.of_q[i + 2], c0, c1, c2)
    e0, e1, e2 = times(S, Matrix.ROTATION, f0, f1, f2)
    f0, f1, f2 = f0 + d0, f1 + d1, f2 + d2
    g0, g1, g2 = a.of_v[i], a.of_v[i + 1], a.of_v[i + 2]
    d0, d1, d2 = cross(g0, g1, g2, n0, n1, n2)
    f0, f1, f2 = f0 + d0, f1 + d1, f2 + d2
    u0, u1, u2 = times(S, Matrix.ROTATION, g0, g1, g2)
    d0, d1, d2 = cross(g0, g1, g2, c0, c1, c2)
    d0, d1, d2 = d0 + a.of_v[j], d1 + a.of_v[j + 1], d2 + a.of_v[j + 2]
    l0, l1, l2 = back(S, Matrix.INVERSE_INERTIA, d0, d1, d2)
    d0, d1, d2 = cross(l0, l1, l2, A0, A1, A2)
    f0, f1, f2 = back(S, Matrix.JACOBIAN, f0 + d0, f1 + d1, f2 + d2)
    f0, f1, f2 = dt * f0, dt * f1, dt * f2
    m0, m1, m2 = pull_place(a, i, e0, e1, e2)
    m0, m1, m2 = dt * m0, dt * m1, dt * m2
    y0, y1, y2, z0, z1, z2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    d0, d1, d2 = cross(m0, m1, m2, c0, c1, c2)
    for k in range(i, i + 6):
        a.of_place[k] = 0.0
    if flies:
        u0, u1, u2 = u0 + 0.5 * m0, u1 + 0.5 * m1, u2 + 0.5 * m2
        y0, y1, y2 = 0.5 * m0, 0.5 * m1, 0.5 * m2
        f0, f1, f2 = back(S, Matrix.FLIGHT_INVERSE, 0.5 * f0, 0.5 * f1, 0.5 * f2)
        l0, l1, l2 = l0 + f0, l1 + f1, l2 + f2
        z0, z1, z2 = times(inertia, link, f0, f1, f2)
        z0, z1, z2 = z0 - 0.5 * d0, z1 - 0.5 * d1, z2 - 0.5 * d2
    else:
        a.of_place[i], a.of_place[i + 1], a.of_place[i + 2] = m0, m1, m2
        a.of_place[j], a.of_place[j + 1], a.of_place[j + 2] = f0 - d0, f1 - d1, f2 - d2
    l0, l1, l2 = times(S, Matrix.ROTATION, l0, l1, l2)
    h0, h1, h2 = back(S, Matrix.HALF_TURNING, l0, l1, l2)
    a.of_v[i], a.of_v[i + 1], a.of_v[i + 2] = y0, y1, y2
    a.of_v[j], a.of_v[j + 1], a.of_v[j + 2] = z0 + dt * h0, z1 + dt * h1, z2 + dt * h2
    l0, l1, l2 = times(inertia, link, l0, l1, l2)
    d0, d1, d2 = cross(u0, u1, u2, c0, c1, c2)
    a.of_x[i], a.of_x[i + 1], a.of_x[i + 2] = u0, u1, u2
    a.of_x[j], a.of_x[j + 1], a.of_x[j + 2] = l0 - d0, l1 - d1, l2 - d2


@inner
def pull_state(topology, p, a, dt):
    """Replace the gradient by the new state with those by velocities and by the old state."""
    for body in range(len(topology.free)):
        first, end = topology.tree_v[body], topology.tree_v[body + 1]
        if a.kind[body] == PartKind.BODY:
            pull_body(topology, p, a, body, dt)
            continue
        start = first
        if a.kind[body] == PartKind.FLOATING:
            start = first + 6
            pull_base(a, first, dt)
        for i in range(start, end):
            a.of_place[i] = dt * a.of_q[i]
            a.of_x[i], a.of_v[i], a.new[i] = a.of_v[i], 0.0, a.x[i]
