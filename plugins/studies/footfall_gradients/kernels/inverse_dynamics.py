"""Derivatives of inverse dynamics, and of contact velocities and forces, by the configuration.

All quantities are along the world's axes about the world's origin, linear part first. A motion
``X = (u, w)`` and a wrench ``F = (f, m)`` have the products ``X x Y = (w x u' + u x w', w x w')``
and ``X x* F = (w x f, w x m + u x f)``.
"""

from __future__ import annotations

from footfall.api.kernels import inner, kernel
from footfall_gradients.tables import changes, contacts, motion, slopes, tree, work


@inner
def times(x, i, y, j, out, k):
    """Write ``x_i x y_j`` of two motions to ``out_k``."""
    a, b, c, d, e, f = x[i, 0], x[i, 1], x[i, 2], x[i, 3], x[i, 4], x[i, 5]
    u, v, w, p, q, r = y[j, 0], y[j, 1], y[j, 2], y[j, 3], y[j, 4], y[j, 5]
    out[k, 0] = e * w - f * v + b * r - c * q
    out[k, 1] = f * u - d * w + c * p - a * r
    out[k, 2] = d * v - e * u + a * q - b * p
    out[k, 3], out[k, 4], out[k, 5] = e * r - f * q, f * p - d * r, d * q - e * p


@inner
def add_wrench_times(x, i, F, j, factor, out, k):
    """Add ``factor x_i x* F_j`` to ``out_k``."""
    a, b, c, d, e, f = x[i, 0], x[i, 1], x[i, 2], x[i, 3], x[i, 4], x[i, 5]
    u, v, w, p, q, r = F[j, 0], F[j, 1], F[j, 2], F[j, 3], F[j, 4], F[j, 5]
    out[k, 0] += factor * (e * w - f * v)
    out[k, 1] += factor * (f * u - d * w)
    out[k, 2] += factor * (d * v - e * u)
    out[k, 3] += factor * (e * r - f * q + b * w - c * v)
    out[k, 4] += factor * (f * p - d * r + c * u - a * w)
    out[k, 5] += factor * (d * q - e * p + a * v - b * u)


@inner
def dot(x, i, y, j):
    """Return the product of a motion and a wrench."""
    s = x[i, 0] * y[j, 0] + x[i, 1] * y[j, 1] + x[i, 2] * y[j, 2]
    return s + x[i, 3] * y[j, 3] + x[i, 4] * y[j, 4] + x[i, 5] * y[j, 5]


@inner
def symmetric(A, k, at, x, y, z):
    """Return the product of a symmetric 3 x 3 matrix, six numbers of row k, and a vector."""
    b, c, e = A[k, at + 1], A[k, at + 2], A[k, at + 4]
    return (
        A[k, at] * x + b * y + c * z,
        b * x + A[k, at + 3] * y + e * z,
        c * x + e * y + A[k, at + 5] * z,
    )


@inner
def link_inertia(t, pose, link, inertia, k):
    """Add a link's inertia to that of dof k (Featherstone 2008, eq. 2.63, linear first)."""
    m, own, R = t.mass[link], t.inertia, pose  # R is stored column by column
    x, y, z = t.com[link, 0], t.com[link, 1], t.com[link, 2]
    c0 = R[link, 0] * x + R[link, 3] * y + R[link, 6] * z + R[link, 9]
    c1 = R[link, 1] * x + R[link, 4] * y + R[link, 7] * z + R[link, 10]
    c2 = R[link, 2] * x + R[link, 5] * y + R[link, 8] * z + R[link, 11]
    m0, m1, m2 = m * c0, m * c1, m * c2
    square = m0 * c0 + m1 * c1 + m2 * c2
    inertia[k, 0] += m
    inertia[k, 1], inertia[k, 2] = inertia[k, 1] + m0, inertia[k, 2] + m1
    inertia[k, 3] += m2
    at = 4
    for a in range(3):
        x, y, z = R[link, a], R[link, 3 + a], R[link, 6 + a]
        e0 = own[link, 0] * x + own[link, 3] * y + own[link, 6] * z
        e1 = own[link, 1] * x + own[link, 4] * y + own[link, 7] * z
        e2 = own[link, 2] * x + own[link, 5] * y + own[link, 8] * z
        n = m0 if a == 0 else (m1 if a == 1 else m2)
        for b in range(a, 3):
            c = c0 if b == 0 else (c1 if b == 1 else c2)
            s = R[link, b] * e0 + R[link, 3 + b] * e1 + R[link, 6 + b] * e2 - n * c
            inertia[k, at] += s + square if a == b else s
            at += 1


@inner
def multiply(inertia, k, x, i, out, j):
    """Write the product of the k-th inertia and ``x_i`` to ``out_j``."""
    u, v, w, p, q, r = x[i, 0], x[i, 1], x[i, 2], x[i, 3], x[i, 4], x[i, 5]
    m, c0, c1, c2 = inertia[k, 0], inertia[k, 1], inertia[k, 2], inertia[k, 3]
    out[j, 0], out[j, 1] = m * u + q * c2 - r * c1, m * v + r * c0 - p * c2
    out[j, 2] = m * w + p * c1 - q * c0
    h0, h1, h2 = symmetric(inertia, k, 4, p, q, r)
    out[j, 3], out[j, 4] = h0 + c1 * w - c2 * v, h1 + c2 * u - c0 * w
    out[j, 5] = h2 + c0 * v - c1 * u


@inner
def add_turning(Q, k, x, i, out, j):
    """Add the product of ``Q_k`` and ``x_i`` to ``out_j``."""
    p, q, r, s0, s1, s2 = x[i, 3], x[i, 4], x[i, 5], Q[k, 0], Q[k, 1], Q[k, 2]
    out[j, 0] += q * s2 - r * s1
    out[j, 1] += r * s0 - p * s2
    out[j, 2] += p * s1 - q * s0
    h0, h1, h2 = symmetric(Q, k, 6, p, q, r)
    s0, s1, s2 = Q[k, 3], Q[k, 4], Q[k, 5]
    out[j, 3] += h0 + q * s2 - r * s1
    out[j, 4] += h1 + r * s0 - p * s2
    out[j, 5] += h2 + p * s1 - q * s0


@inner
def transposed_turning(Q, k, S, out):
    """Write the product of the transposed ``Q_k`` and ``S_k`` to ``out_k``."""
    h0, h1, h2 = symmetric(Q, k, 6, S[k, 3], S[k, 4], S[k, 5])
    s0, s1, s2, n0, n1, n2 = Q[k, 0], Q[k, 1], Q[k, 2], Q[k, 3], Q[k, 4], Q[k, 5]
    out[k, 0] = out[k, 1] = out[k, 2] = 0.0
    out[k, 3] = h0 + s1 * S[k, 2] - s2 * S[k, 1] + n1 * S[k, 5] - n2 * S[k, 4]
    out[k, 4] = h1 + s2 * S[k, 0] - s0 * S[k, 2] + n2 * S[k, 3] - n0 * S[k, 5]
    out[k, 5] = h2 + s0 * S[k, 1] - s1 * S[k, 0] + n0 * S[k, 4] - n1 * S[k, 3]


@inner
def turning(inertia, V, h, Q, k):
    """Write ``Q x = x x* h + V x* (I x) - I (V x x)``, zero for linear motions x.

    For turning at w: the force ``w x s``, ``s = 2 l``, and the moment ``w x n + Y w`` with the
    momentum ``h = (l, n)``, and ``Y = [w x] J - J [w x] + 2 (u . mc) - mc u' - u mc'``, symmetric.
    """
    a, b, c = inertia[k, 4], inertia[k, 5], inertia[k, 6]
    d, e, f = inertia[k, 7], inertia[k, 8], inertia[k, 9]
    c0, c1, c2 = inertia[k, 1], inertia[k, 2], inertia[k, 3]
    u0, u1, u2, x, y, z = V[k, 0], V[k, 1], V[k, 2], V[k, 3], V[k, 4], V[k, 5]
    for i in range(3):
        Q[k, i], Q[k, 3 + i] = 2.0 * h[0, i], h[0, 3 + i]
    Q[k, 6] = 2.0 * (y * c - z * b + u1 * c1 + u2 * c2)
    Q[k, 7] = y * e - z * d + z * a - x * c - c0 * u1 - c1 * u0
    Q[k, 8] = y * f - z * e + x * b - y * a - c0 * u2 - c2 * u0
    Q[k, 9] = 2.0 * (z * b - x * e + u0 * c0 + u2 * c2)
    Q[k, 10] = z * c - x * f + x * d - y * b - c1 * u2 - c2 * u1
    Q[k, 11] = 2.0 * (x * e - y * c + u0 * c0 + u1 * c1)


@inner
def forward(t, m, w):
    """Write twists and accelerations, and their changes with each dof."""
    nv = len(t.parent)
    for k in range(nv):
        p, begin = t.parent[k], k == t.first[k]
        if begin:
            for i in range(6):
                w.V[k, i] = w.V[p, i] if p >= 0 else 0.0
                w.A[k, i] = w.A[p, i] if p >= 0 else 0.0
            if p < 0:
                for i in range(3):
                    w.A[k, i] = -m.gravity[i]
            for j in range(k, t.last[k] + 1):  # of the parent, before this joint is added
                times(w.V, k, m.S, j, w.rate, j)
                times(w.A, k, m.S, j, w.second, j)
                times(w.V, k, w.rate, j, w.six, 0)
                for i in range(6):
                    w.second[j, i] += w.six[0, i]
        else:
            for i in range(6):
                w.V[k, i], w.A[k, i] = w.V[k - 1, i], w.A[k - 1, i]
        for i in range(6):
            w.V[k, i] += m.S[k, i] * m.velocity[k]
            w.A[k, i] += m.S[k, i] * m.acceleration[k] + w.rate[k, i] * m.velocity[k]
    for k in range(nv):
        times(w.V, t.last[k], m.S, k, w.turn, k)
        for i in range(6):
            w.turn[k, i] += w.rate[k, i]


@inner
def bodies(t, m, w):
    """Write inertia, Q and wrench of each dof's own links."""
    for k in range(len(t.parent)):
        for a in range(6):
            w.F[k, a] = 0.0
        for a in range(12):
            w.Q[k, a] = 0.0
        for a in range(10):
            w.inertia[k, a] = 0.0
    for link in range(len(t.mass)):
        if t.link_dof[link] >= 0 and t.mass[link] != 0.0:
            link_inertia(t, m.pose, link, w.inertia, t.link_dof[link])
    for k in range(len(t.parent)):
        if k == t.last[k]:
            multiply(w.inertia, k, w.V, k, w.six, 0)  # momentum
            multiply(w.inertia, k, w.A, k, w.F, k)
            add_wrench_times(w.V, k, w.six, 0, 1.0, w.F, k)
            turning(w.inertia, w.V, w.six, w.Q, k)


@inner
def gather(t, w):
    """Add the load of each joint to the joint before it; all dofs of a joint have the same load."""
    for k in range(len(t.parent) - 1, -1, -1):
        if k != t.last[k]:
            e = t.last[k]
            for a in range(6):
                w.F[k, a] = w.F[e, a]
            for a in range(10):
                w.inertia[k, a] = w.inertia[e, a]
            for a in range(12):
                w.Q[k, a] = w.Q[e, a]
        elif t.parent[k] >= 0:
            p = t.parent[k]
            for a in range(6):
                w.F[p, a] += w.F[k, a]
            for a in range(10):
                w.inertia[p, a] += w.inertia[k, a]
            for a in range(12):
                w.Q[p, a] += w.Q[k, a]


@inner
def differentiate_dynamics(t, m, w, out):
    """Write ``ID(q, v, a)`` and its derivatives.

    With dof j, dof k moved by j or of the same joint, and ``I``, ``Q``, ``F`` composites:

        dID_k/dq_j = S_k . (I_k second_j + Q_k rate_j)
        dID_k/dv_j = S_k . (I_k turn_j + Q_k S_j)

    If k moves j, with the composites of j and ``S_j x* F_j`` added to the first (Singh, Russell
    and Wensing 2022, Efficient analytical derivatives of rigid-body dynamics using spatial vector
    algebra, IEEE Robotics and Automation Letters 7).
    """
    nv = len(t.parent)
    forward(t, m, w)
    bodies(t, m, w)
    gather(t, w)
    for k in range(nv):
        for j in range(nv):
            out.dq[k, j] = out.dv[k, j] = 0.0
    for k in range(nv):
        out.force[k] = dot(m.S, k, w.F, k)
        multiply(w.inertia, k, m.S, k, w.down, k)
        transposed_turning(w.Q, k, m.S, w.across)
        j = t.last[k]
        while j >= 0:
            out.dq[k, j] = dot(w.second, j, w.down, k) + dot(w.rate, j, w.across, k)
            out.dv[k, j] = dot(w.turn, j, w.down, k) + dot(m.S, j, w.across, k)
            j = j - 1 if j > t.first[j] else t.parent[j]
        multiply(w.inertia, k, w.second, k, w.six, 0)
        add_turning(w.Q, k, w.rate, k, w.six, 0)
        multiply(w.inertia, k, w.turn, k, w.six, 2)
        add_turning(w.Q, k, m.S, k, w.six, 2)
        add_wrench_times(m.S, k, w.F, k, 1.0, w.six, 0)
        j = t.parent[k]
        while j >= 0:
            out.dq[j, k], out.dv[j, k] = dot(m.S, j, w.six, 0), dot(m.S, j, w.six, 2)
            j = j - 1 if j > t.first[j] else t.parent[j]


@kernel
def inverse_dynamics(table):
    """Call ``differentiate_dynamics`` on the named tuples of a table."""
    differentiate_dynamics(tree(table), motion(table), work(table), slopes(table))


@inner
def twists_of(t, S, x, out):
    """Write the twist of the links after each dof, for velocities x."""
    for k in range(len(t.parent)):
        p = t.parent[k] if k == t.first[k] else k - 1
        for i in range(6):
            out[k, i] = (out[p, i] if p >= 0 else 0.0) + S[k, i] * x[k]


@inner
def clear(F):
    """Write zeros to the rows of all dofs."""
    for k in range(F.shape[0]):
        for i in range(6):
            F[k, i] = 0.0


@inner
def gather_wrenches(t, F):
    """Add the load of each joint to the joint before it; all dofs of a joint have the same load."""
    for k in range(len(t.parent) - 1, -1, -1):
        if k != t.last[k]:
            for i in range(6):
                F[k, i] = F[t.last[k], i]
        elif t.parent[k] >= 0:
            for i in range(6):
                F[t.parent[k], i] += F[k, i]


@inner
def point_speed(S, j, x, y, z):
    """Return the velocity that a motion gives to a point."""
    u, v, w, a, b, c = S[j, 0], S[j, 1], S[j, 2], S[j, 3], S[j, 4], S[j, 5]
    return u + b * z - c * y, v + c * x - a * z, w + a * y - b * x


@inner
def before(t, w, j, out, k):
    """Write the twist that does not turn with dof j to ``out_k``."""
    p = t.before[j]
    for i in range(6):
        out[k, i] = w.V[p, i] if p >= 0 else 0.0


@inner
def by_motion(c, b, row, e, a):
    """Return a row of ``Contacts.slope`` times a motion: velocity of the point, rotation."""
    s, k = c.slope[b], 6 * row
    linear = s[k] * e[0] + s[k + 1] * e[1] + s[k + 2] * e[2]
    return linear + s[k + 3] * a[0] + s[k + 4] * a[1] + s[k + 5] * a[2]


@inner
def by_drift(c, b, row, e, a):
    """Return a row of ``Contacts.drift`` times a motion: velocity of the point, rotation."""
    s, k = c.drift[b], 7 * row
    linear = s[k] * e[0] + s[k + 1] * e[1] + s[k + 2] * e[2]
    return linear + s[k + 3] * a[0] + s[k + 4] * a[1] + s[k + 5] * a[2]


@inner
def change_flow(c, b, side, e, a):
    """Return the change of the flow at contact b with the motion of a side; see ``by_drift``."""
    d = (by_drift(c, b, 0, e, a), by_drift(c, b, 1, e, a), by_drift(c, b, 2, e, a))
    if side == 0:  # it turns with both, and body 2 moves back
        f0, f1, f2 = c.flow[b, 0], c.flow[b, 1], c.flow[b, 2]
        d = (
            a[1] * f2 - a[2] * f1 - d[0],
            a[2] * f0 - a[0] * f2 - d[1],
            a[0] * f1 - a[1] * f0 - d[2],
        )
    return c.flows[b] * d[0], c.flows[b] * d[1], c.flows[b] * d[2]


@inner
def change_place(m, c, b, j, side, e, a):
    """Return the changes of point, rotation of the frame, and gap of contact b with dof j."""
    f = c.frame
    if c.varies[b] == 1:
        d = (by_motion(c, b, 0, e, a), by_motion(c, b, 1, e, a), by_motion(c, b, 2, e, a))
        r = (by_motion(c, b, 3, e, a), by_motion(c, b, 4, e, a), by_motion(c, b, 5, e, a))
        n = by_motion(c, b, 6, e, a)
        if side == 0:  # both move, and body 2 moves back
            d = (e[0] - d[0], e[1] - d[1], e[2] - d[2])
            r = (a[0] - r[0], a[1] - r[1], a[2] - r[2])
            n = -n
        return d, r, n
    d0, d1, d2 = point_speed(m.S, j, c.centre[b, 0], c.centre[b, 1], c.centre[b, 2])
    n = f[b, 6] * d0 + f[b, 7] * d1 + f[b, 8] * d2
    low = n * c.lowered[b]
    d = (d0 - low * f[b, 6], d1 - low * f[b, 7], d2 - low * f[b, 8])
    r = (0.0, 0.0, 0.0)
    if c.follows[b] == 1:
        r = (a[0], a[1], a[2])
    return d, r, n


@inner
def relative_motion(t, w, c, b):
    """Return velocity, without the flow, and angular velocity of body 2 relative to body 1.

    Both at contact b's point.
    """
    s, o = -c.flows[b], (0.0, 0.0, 0.0)
    u = (s * c.flow[b, 0], s * c.flow[b, 1], s * c.flow[b, 2])
    for side in range(2):
        link, sign = c.link[b, side], 2.0 * side - 1.0
        if link >= 0 and t.link_dof[link] >= 0:
            k = t.link_dof[link]
            x, y, z = point_speed(w.V, k, c.position[b, 0], c.position[b, 1], c.position[b, 2])
            u = (u[0] + sign * x, u[1] + sign * y, u[2] + sign * z)
            x, y, z = w.V[k, 3], w.V[k, 4], w.V[k, 5]
            o = (o[0] + sign * x, o[1] + sign * y, o[2] + sign * z)
    return u, o


@inner
def change_point(t, m, w, c, out, b, j, end, side, motion):
    """Write the change of contact b with dof j, for a link that dof ``end`` moves last.

    The velocity changes with the twist, by ``S_j x (V - V_before)``, with the position, and with
    the frame. Returns the changes of position and frame.
    """
    x, y, z = c.position[b, 0], c.position[b, 1], c.position[b, 2]
    f, sign, (u, o) = c.frame, 2.0 * side - 1.0, motion
    e = point_speed(m.S, j, x, y, z)
    a = (m.S[j, 3], m.S[j, 4], m.S[j, 5])
    d, r, n = change_place(m, c, b, j, side, e, a)
    out.gap[b, j] += n
    before(t, w, j, w.six, 0)
    for i in range(6):
        w.six[1, i] = w.V[end, i] - w.six[0, i]
    times(m.S, j, w.six, 1, w.six, 2)
    u0, u1, u2 = point_speed(w.six, 2, x, y, z)
    u0, u1 = sign * u0 + o[1] * d[2] - o[2] * d[1], sign * u1 + o[2] * d[0] - o[0] * d[2]
    u2 = sign * u2 + o[0] * d[1] - o[1] * d[0]
    if c.varies[b] == 1:  # the frame turns
        u0, u1 = u0 + u[1] * r[2] - u[2] * r[1], u1 + u[2] * r[0] - u[0] * r[2]
        u2 += u[0] * r[1] - u[1] * r[0]
    f0, f1, f2 = change_flow(c, b, side, e, a)
    u0, u1, u2 = u0 - f0, u1 - f1, u2 - f2
    for i in range(3):
        row = 3 * b + i
        out.J[row, j] += sign * (
            f[b, 3 * i] * e[0] + f[b, 3 * i + 1] * e[1] + f[b, 3 * i + 2] * e[2]
        )
        out.dJv[row, j] += f[b, 3 * i] * u0 + f[b, 3 * i + 1] * u1 + f[b, 3 * i + 2] * u2
    return d, r


@inner
def change_wrench(w, c, b, g, d, r):
    """Write the wrench of contact b to ``w.six[3]``, and its change to ``w.six[4]``.

    It turns by r, and its point moves by d.
    """
    x, y, z = c.position[b, 0], c.position[b, 1], c.position[b, 2]
    g0, g1, g2 = g
    m0, m1, m2 = c.moment[b, 0], c.moment[b, 1], c.moment[b, 2]
    F = w.six
    F[3, 0], F[3, 1], F[3, 2] = g0, g1, g2
    F[3, 3], F[3, 4], F[3, 5] = m0 + y * g2 - z * g1, m1 + z * g0 - x * g2, m2 + x * g1 - y * g0
    e0, e1, e2 = r[1] * g2 - r[2] * g1, r[2] * g0 - r[0] * g2, r[0] * g1 - r[1] * g0
    n0, n1, n2 = r[1] * m2 - r[2] * m1, r[2] * m0 - r[0] * m2, r[0] * m1 - r[1] * m0
    F[4, 0], F[4, 1], F[4, 2] = e0, e1, e2
    F[4, 3] = n0 + d[1] * g2 - d[2] * g1 + y * e2 - z * e1
    F[4, 4] = n1 + d[2] * g0 - d[0] * g2 + z * e0 - x * e2
    F[4, 5] = n2 + d[0] * g1 - d[1] * g0 + x * e1 - y * e0


@inner
def change_push(t, m, w, out, j, end, first, factor):
    """Add the change, with dof j, of the generalized force of the wrench ``w.six[3]``.

    ``d(S_k . F) = S_k . (dF - S_j x* F)`` from dof k = ``first`` on, which j moves, else
    ``S_k . dF``; dF is ``w.six[4]``.
    """
    for i in range(6):
        w.six[5, i] = w.six[4, i]
    add_wrench_times(m.S, j, w.six, 3, -1.0, w.six, 5)
    k = end
    while k >= 0:
        out.push[k, j] += factor * dot(m.S, k, w.six, 5 if k >= first else 4)
        k = k - 1 if k > t.first[k] else t.parent[k]


@inner
def change_with_parameters(t, m, w, c, out, b, g, motion):
    """Write the change of contact b with parameters, and with the part's length."""
    s, h, f, (u, o) = c.course[b], c.drift[b], c.frame, motion
    n, factor = out.by_p.shape[1], c.flows[b]
    for i in range(3):
        flow = f[b, 3 * i] * h[6] + f[b, 3 * i + 1] * h[13] + f[b, 3 * i + 2] * h[20]
        out.longer[3 * b + i] = -factor * flow
    for k in range(n):
        d, r = (s[k], s[n + k], s[2 * n + k]), (s[3 * n + k], s[4 * n + k], s[5 * n + k])
        u0 = o[1] * d[2] - o[2] * d[1] + u[1] * r[2] - u[2] * r[1] - factor * s[7 * n + k]
        u1 = o[2] * d[0] - o[0] * d[2] + u[2] * r[0] - u[0] * r[2] - factor * s[8 * n + k]
        u2 = o[0] * d[1] - o[1] * d[0] + u[0] * r[1] - u[1] * r[0] - factor * s[9 * n + k]
        for i in range(3):
            speed = f[b, 3 * i] * u0 + f[b, 3 * i + 1] * u1 + f[b, 3 * i + 2] * u2
            out.by_p[3 * b + i, k] = speed
        out.gap_by_p[b, k] = s[6 * n + k]
        change_wrench(w, c, b, g, d, r)
        for side in range(2):
            link, sign = c.link[b, side], 2.0 * side - 1.0
            j = t.link_dof[link] if link >= 0 else -1
            while j >= 0:
                out.push_by_p[j, k] += sign * dot(m.S, j, w.six, 4)
                j = j - 1 if j > t.first[j] else t.parent[j]


@inner
def differentiate_contacts(t, m, w, c, n, out):
    """Add Jacobians of n contacts, and derivatives of their velocities, gaps and forces."""
    twists_of(t, m.S, m.speed, w.V)
    for b in range(n):
        g0, g1, g2 = 0.0, 0.0, 0.0
        for a in range(3):
            r, f = c.impulse[b, a], c.frame
            g0, g1, g2 = g0 + r * f[b, 3 * a], g1 + r * f[b, 3 * a + 1], g2 + r * f[b, 3 * a + 2]
        g, motion = (g0, g1, g2), relative_motion(t, w, c, b)
        change_with_parameters(t, m, w, c, out, b, g, motion)
        for side in range(2):
            link, back, sign = c.link[b, side], c.link[b, 1 - side], 2.0 * side - 1.0
            end = t.link_dof[link] if link >= 0 else -1
            other = t.link_dof[back] if back >= 0 else -1
            j = end
            while j >= 0:
                d, turn = change_point(t, m, w, c, out, b, j, end, side, motion)
                change_wrench(w, c, b, g, d, turn)
                change_push(t, m, w, out, j, end, t.first[j], sign)
                if other >= 0:
                    change_push(t, m, w, out, j, other, len(t.parent), -sign)
                j = j - 1 if j > t.first[j] else t.parent[j]


@kernel
def contact_changes(table):
    """Call ``differentiate_contacts`` on the named tuples of a table."""
    t, c = tree(table), contacts(table)
    differentiate_contacts(t, motion(table), work(table), c, len(c.link), changes(table))
