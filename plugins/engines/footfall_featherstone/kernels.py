"""Featherstone's recursions over a tree, along the world's axes.

Positions, twists and moments are about the origin of a floating base, or about the world's origin
for a fixed base. All quantities are along the world's axes, so none is rotated from link to link,
and S has the form that contacts need.
"""

from __future__ import annotations

import math

from footfall.api.kernels import inner, kernel
from footfall_featherstone.arrays import constants, evaluation, moving, placed, state

POSITIONS_OF_A_BASE = 7
DOFS_OF_A_BASE = 6


@kernel
def evaluate(table):
    """Overwrite M, h, S and pose; return 0.

    M by composite inertias (Featherstone, Rigid Body Dynamics Algorithms (2008), section 6.2), h by
    Newton's and Euler's equations of each link (section 5.3).
    """
    of, now, out = constants(table), state(table), evaluation(table)
    at, go = placed(table), moving(table)
    floating = len(out.h) > len(of.parent)
    place_base(of, now, out, at, floating)
    for i in range(len(of.parent)):
        place_joint(of, now, out, at, i, floating)
    for link in range(len(of.mass)):
        place_inertia(of, out, at, link)
    accelerate(of, now, out, at, go, floating)
    for i in range(len(of.parent) - 1, -1, -1):
        inertia_row(of, out, at, i, floating)
    if floating:
        inertia_of_base(of, out, at)
    project_forces(of, out, at, go, floating)
    return 0


@kernel
def evaluate_bias(table):
    """Overwrite h for another velocity at the configuration of the last ``evaluate``; return 0."""
    of, now, out = constants(table), state(table), evaluation(table)
    at, go = placed(table), moving(table)
    floating = len(out.h) > len(of.parent)
    accelerate(of, now, out, at, go, floating)
    project_forces(of, out, at, go, floating)
    return 0


@inner
def turned(R, x, y, z):
    """Return R (x, y, z) for a rotation stored as nine numbers, column by column."""
    return (
        R[0] * x + R[3] * y + R[6] * z,
        R[1] * x + R[4] * y + R[7] * z,
        R[2] * x + R[5] * y + R[8] * z,
    )


@inner
def turned_back(R, x, y, z):
    """Return R' (x, y, z)."""
    return (
        R[0] * x + R[1] * y + R[2] * z,
        R[3] * x + R[4] * y + R[5] * z,
        R[6] * x + R[7] * y + R[8] * z,
    )


@inner
def cross(a, b, c, x, y, z):
    """Return (a, b, c) x (x, y, z)."""
    return b * z - c * y, c * x - a * z, a * y - b * x


@inner
def times(A, x, y, z):
    """Return the product of a symmetric matrix, stored as six numbers, and a vector."""
    return (
        A[0] * x + A[1] * y + A[2] * z,
        A[1] * x + A[3] * y + A[4] * z,
        A[2] * x + A[4] * y + A[5] * z,
    )


@inner
def place_base(of, now, out, at, floating):
    """Write a floating base's pose and its six rows of S; the pose of a fixed base is constant."""
    if not floating:
        return
    q, R, S = now.q, out.pose[0], out.S
    x, y, z, w = q[3], q[4], q[5], q[6]
    R[0], R[1], R[2] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)
    R[3], R[4], R[5] = 2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)
    R[6], R[7], R[8] = 2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)
    R[9], R[10], R[11] = q[0], q[1], q[2]
    for k in range(3):
        a, b, c = R[3 * k], R[3 * k + 1], R[3 * k + 2]
        S[k, 0], S[k, 1], S[k, 2] = a, b, c
        S[3 + k, 3], S[3 + k, 4], S[3 + k, 5] = a, b, c
        S[3 + k, 0], S[3 + k, 1], S[3 + k, 2] = cross(q[0], q[1], q[2], a, b, c)


@inner
def place_joint(of, now, out, at, i, floating):
    """Write pose and twist of a joint's link.

    ``R = R_parent R_joint(q)``, ``p = p_parent + R_parent (offset + q axis)`` (no q for a revolute
    joint); the twist is ``(p x a, a)``, or ``(a, 0)`` for a prismatic joint.
    """
    carrier, link = of.parent[i], i + 1
    B, before, p = out.pose[carrier], at.origin[carrier], at.origin[link]
    axis, offset, apart, S = of.axis[i], of.offset[i], at.offset[i], at.twist[i]
    a, b, c = turned(B, axis[0], axis[1], axis[2])
    d, e, f = turned(B, offset[0], offset[1], offset[2])
    q = now.q[POSITIONS_OF_A_BASE + i] if floating else now.q[i]
    if of.slides[i] == 1:
        d, e, f = d + q * a, e + q * b, f + q * c
        sine, cosine = 0.0, 0.0
    else:
        sine, cosine = math.sin(q), math.cos(q)
    x, y, z = before[0] + d, before[1] + e, before[2] + f
    apart[0], apart[1], apart[2] = d, e, f
    p[0], p[1], p[2] = x, y, z
    if of.slides[i] == 1:
        S[0], S[1], S[2] = a, b, c
        S[3], S[4], S[5] = 0.0, 0.0, 0.0
    else:
        S[0], S[1], S[2] = cross(x, y, z, a, b, c)
        S[3], S[4], S[5] = a, b, c
    turn_link(B, out.pose[link], of.still[i], of.sine[i], of.cosine[i], sine, cosine)
    show(now, out, at, i, floating)


@inner
def turn_link(B, R, A, C, D, s, t):
    """Write ``R = B (A + s C + t D)``."""
    for k in range(3):
        j = 3 * k
        R[j], R[j + 1], R[j + 2] = turned(
            B,
            A[j] + s * C[j] + t * D[j],
            A[j + 1] + s * C[j + 1] + t * D[j + 1],
            A[j + 2] + s * C[j + 2] + t * D[j + 2],
        )


@inner
def show(now, out, at, i, floating):
    """Write a joint's row of S and its link's position, about the world's origin."""
    S, p, R, q = at.twist[i], at.origin[i + 1], out.pose[i + 1], now.q
    a, b, c = S[3], S[4], S[5]
    if floating:
        row, (x, y, z) = out.S[DOFS_OF_A_BASE + i], cross(q[0], q[1], q[2], a, b, c)
        row[0], row[1], row[2] = S[0] + x, S[1] + y, S[2] + z
        R[9], R[10], R[11] = q[0] + p[0], q[1] + p[1], q[2] + p[2]
    else:
        row = out.S[i]
        row[0], row[1], row[2] = S[0], S[1], S[2]
        R[9], R[10], R[11] = p[0], p[1], p[2]
    row[3], row[4], row[5] = a, b, c


@inner
def place_inertia(of, out, at, link):
    """Write a link's inertia about its centre of mass, and about the base, along the world's axes.

    ``R I R'``, and with ``m (|c|^2 1 - c c')`` added (Steiner), c from the base's origin.
    """
    R, local, I, lever = out.pose[link], of.inertia[link], at.inertia[link], at.lever[link]  # noqa: E741
    m, com, p = of.mass[link], of.com[link], at.origin[link]
    # Columns of I R'.
    a0, b0, c0 = times(local, R[0], R[3], R[6])
    a1, b1, c1 = times(local, R[1], R[4], R[7])
    a2, b2, c2 = times(local, R[2], R[5], R[8])
    xx, xy, yy = (
        R[0] * a0 + R[3] * b0 + R[6] * c0,
        R[0] * a1 + R[3] * b1 + R[6] * c1,
        R[1] * a1 + R[4] * b1 + R[7] * c1,
    )
    xz, yz, zz = turned(R, a2, b2, c2)
    I[0], I[1], I[2], I[3], I[4], I[5] = xx, xy, xz, yy, yz, zz
    x, y, z = turned(R, com[0], com[1], com[2])
    lever[0], lever[1], lever[2] = x, y, z
    x, y, z = p[0] + x, p[1] + y, p[2] + z
    u, v, w = m * x, m * y, m * z
    moment, J = at.moment[link], at.carried[link]
    moment[0], moment[1], moment[2] = u, v, w
    J[0], J[1], J[2] = xx + (v * y + w * z), xy - u * y, xz - u * z
    J[3], J[4], J[5] = yy + (u * x + w * z), yz - v * z, zz + (u * x + v * y)


@inner
def accelerate(of, now, out, at, go, floating):
    """Write each link's motion for dv/dt = 0, and the force that this motion needs.

    The velocity (v, w) of a floating base is in its own frame, so its acceleration is ``w x v``.
    Gravity enters as an upward acceleration of all links.
    """
    accelerate_base(of, now, out, go, floating)
    first = DOFS_OF_A_BASE if floating else 0
    for i in range(len(of.parent)):
        accelerate_joint(of, at, go, i, now.v[first + i])
    for link in range(len(of.mass)):
        inertial_force(of, at, go, link)


@inner
def accelerate_base(of, now, out, go, floating):
    """Write the base's motion."""
    v, R, g, rate, spin = now.v, out.pose[0], of.gravity, go.rate[0], go.spin[0]
    if floating:
        x, y, z = cross(v[3], v[4], v[5], v[0], v[1], v[2])
        x, y, z = turned(R, x, y, z)
        rate[0], rate[1], rate[2] = x - g[0], y - g[1], z - g[2]
        spin[0], spin[1], spin[2] = turned(R, v[3], v[4], v[5])
    else:
        rate[0], rate[1], rate[2] = -g[0], -g[1], -g[2]
        spin[0], spin[1], spin[2] = 0.0, 0.0, 0.0
    turn = go.turn[0]
    turn[0], turn[1], turn[2] = 0.0, 0.0, 0.0
    write_gradient(go.gradient[0], spin[0], spin[1], spin[2], 0.0, 0.0, 0.0)


@inner
def write_gradient(K, u, v, w, x, y, z):
    """Write ``K = [turn] + [spin]^2`` of spin (u, v, w) and turn (x, y, z), with [a] b = a x b."""
    uu, vv, ww, uv, uw, vw = u * u, v * v, w * w, u * v, u * w, v * w
    K[0], K[1], K[2] = -(vv + ww), uv - z, uw + y
    K[3], K[4], K[5] = uv + z, -(uu + ww), vw - x
    K[6], K[7], K[8] = uw - y, vw + x, -(uu + vv)


@inner
def accelerate_joint(of, at, go, i, rate):
    """Write the motion of a joint's link from that of the link that carries it.

    Revolute: ``w = w_p + a qd``, ``w' = w_p' + w_p x a qd``, ``p'' = p_p'' + K_p d``. Prismatic:
    ``p'' = p_p'' + K_p d + 2 w_p x a qd`` (Coriolis).
    """
    carrier, link = of.parent[i], i + 1
    K, d, S, w, turn = (
        go.gradient[carrier],
        at.offset[i],
        at.twist[i],
        go.spin[carrier],
        go.turn[carrier],
    )
    a = go.rate[carrier]
    x = a[0] + (K[0] * d[0] + K[1] * d[1] + K[2] * d[2])
    y = a[1] + (K[3] * d[0] + K[4] * d[1] + K[5] * d[2])
    z = a[2] + (K[6] * d[0] + K[7] * d[1] + K[8] * d[2])
    new, spin, turning = go.rate[link], go.spin[link], go.turn[link]
    if of.slides[i] == 1:
        s, t, r = 2.0 * rate * S[0], 2.0 * rate * S[1], 2.0 * rate * S[2]
        s, t, r = cross(w[0], w[1], w[2], s, t, r)
        new[0], new[1], new[2] = x + s, y + t, z + r
        spin[0], spin[1], spin[2] = w[0], w[1], w[2]
        turning[0], turning[1], turning[2] = turn[0], turn[1], turn[2]
        L = go.gradient[link]
        for k in range(9):
            L[k] = K[k]
        return
    new[0], new[1], new[2] = x, y, z
    s, t, r = rate * S[3], rate * S[4], rate * S[5]
    x, y, z = cross(w[0], w[1], w[2], s, t, r)
    x, y, z = turn[0] + x, turn[1] + y, turn[2] + z
    s, t, r = w[0] + s, w[1] + t, w[2] + r
    spin[0], spin[1], spin[2] = s, t, r
    turning[0], turning[1], turning[2] = x, y, z
    write_gradient(go.gradient[link], s, t, r, x, y, z)


@inner
def inertial_force(of, at, go, link):
    """Write the force and torque on a link: ``m c''`` and ``c x m c'' + I w' + w x I w``."""
    K, lever, a, p = go.gradient[link], at.lever[link], go.rate[link], at.origin[link]
    w, turn, I, m = go.spin[link], go.turn[link], at.inertia[link], of.mass[link]  # noqa: E741
    force, torque = go.force[link], go.torque[link]
    x, y, z = lever[0], lever[1], lever[2]
    f = m * (a[0] + (K[0] * x + K[1] * y + K[2] * z))
    g = m * (a[1] + (K[3] * x + K[4] * y + K[5] * z))
    h = m * (a[2] + (K[6] * x + K[7] * y + K[8] * z))
    force[0], force[1], force[2] = f, g, h
    x, y, z = cross(p[0] + x, p[1] + y, p[2] + z, f, g, h)
    r, s, t = times(I, w[0], w[1], w[2])
    r, s, t = cross(w[0], w[1], w[2], r, s, t)
    f, g, h = times(I, turn[0], turn[1], turn[2])
    torque[0], torque[1], torque[2] = x + (f + r), y + (g + s), z + (h + t)


@inner
def inertia_row(of, out, at, i, floating):
    """Write a joint's row and column of M; add its composite inertia to that of its carrier.

    ``(f, t) = I_c S_i`` is the momentum of all links that the joint moves, and
    ``M_ij = S_j . (f, t)`` for each joint j towards the root.
    """
    link, S, M = i + 1, at.twist[i], out.M
    first = DOFS_OF_A_BASE if floating else 0
    moment, J, m = at.moment[link], at.carried[link], of.carried_mass[link]
    a, b, c = moment[0], moment[1], moment[2]
    f, g, h = cross(S[3], S[4], S[5], a, b, c)
    f, g, h = f + m * S[0], g + m * S[1], h + m * S[2]
    x, y, z = cross(a, b, c, S[0], S[1], S[2])
    r, s, t = times(J, S[3], S[4], S[5])
    r, s, t = r + x, s + y, t + z
    k, row = first + i, M[first + i]
    row[k] = (S[0] * f + S[1] * g + S[2] * h) + (S[3] * r + S[4] * s + S[5] * t)
    carrier = of.parent[i]
    before = carrier
    while before > 0:
        T = at.twist[before - 1]
        j = first + before - 1
        row[j] = (T[0] * f + T[1] * g + T[2] * h) + (T[3] * r + T[4] * s + T[5] * t)
        M[j, k] = row[j]
        before = of.parent[before - 1]
    if floating:
        R = out.pose[0]
        row[0], row[1], row[2] = turned_back(R, f, g, h)
        row[3], row[4], row[5] = turned_back(R, r, s, t)
        for j in range(6):
            M[j, k] = row[j]
    moment, J_out = at.moment[carrier], at.carried[carrier]
    moment[0], moment[1], moment[2] = moment[0] + a, moment[1] + b, moment[2] + c
    for j in range(6):
        J_out[j] = J_out[j] + J[j]


@inner
def inertia_of_base(of, out, at):
    """Write a floating base's six rows of M: mass, moment and inertia of the tree, base axes."""
    M, R, J, moment, m = out.M, out.pose[0], at.carried[0], at.moment[0], of.carried_mass[0]
    a, b, c = turned_back(R, moment[0], moment[1], moment[2])
    for k in range(3):
        M[k, 0], M[k, 1], M[k, 2] = 0.0, 0.0, 0.0
        M[k, k] = m
        x, y, z = times(J, R[3 * k], R[3 * k + 1], R[3 * k + 2])
        x, y, z = turned_back(R, x, y, z)
        M[3, 3 + k], M[4, 3 + k], M[5, 3 + k] = x, y, z
    # Symmetric to the last bit.
    M[4, 3], M[5, 3], M[5, 4] = M[3, 4], M[3, 5], M[4, 5]
    M[0, 3], M[0, 4], M[0, 5] = 0.0, c, -b
    M[1, 3], M[1, 4], M[1, 5] = -c, 0.0, a
    M[2, 3], M[2, 4], M[2, 5] = b, -a, 0.0
    for k in range(3):
        M[3 + k, 0], M[3 + k, 1], M[3 + k, 2] = M[0, 3 + k], M[1, 3 + k], M[2, 3 + k]


@inner
def project_forces(of, out, at, go, floating):
    """Write ``h_i = S_i . force`` from the leaves to the root, with the force on a composite."""
    first = DOFS_OF_A_BASE if floating else 0
    for i in range(len(of.parent) - 1, -1, -1):
        f, t, S = go.force[i + 1], go.torque[i + 1], at.twist[i]
        out.h[first + i] = (S[0] * f[0] + S[1] * f[1] + S[2] * f[2]) + (
            S[3] * t[0] + S[4] * t[1] + S[5] * t[2]
        )
        into, around = go.force[of.parent[i]], go.torque[of.parent[i]]
        into[0], into[1], into[2] = into[0] + f[0], into[1] + f[1], into[2] + f[2]
        around[0], around[1], around[2] = around[0] + t[0], around[1] + t[1], around[2] + t[2]
    if floating:
        f, t, h, R = go.force[0], go.torque[0], out.h, out.pose[0]
        h[0], h[1], h[2] = turned_back(R, f[0], f[1], f[2])
        h[3], h[4], h[5] = turned_back(R, t[0], t[1], t[2])
