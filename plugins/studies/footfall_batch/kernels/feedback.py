"""Commands of a control in kernels: interpolated knots, feedback on the state's manifold."""

from __future__ import annotations

import math

from footfall.api.kernels import inner

SERIES = 1e-8
"""Square of the angle below which the coefficient of a logarithm is that of its series, [rad^2]."""


@inner
def rotation_between(q, p, r, at):
    """Return the rotation vector from the quaternion ``r[at:]`` to ``q[p:]``, along the axes of r.

    Also the half of its angle times the cotangent of that half.
    """
    x, y, z, w = -r[at], -r[at + 1], -r[at + 2], r[at + 3]
    a = w * q[p] + x * q[p + 3] + y * q[p + 2] - z * q[p + 1]
    b = w * q[p + 1] - x * q[p + 2] + y * q[p + 3] + z * q[p]
    c = w * q[p + 2] + x * q[p + 1] - y * q[p] + z * q[p + 3]
    d = w * q[p + 3] - x * q[p] - y * q[p + 1] - z * q[p + 2]
    if d < 0.0:
        a, b, c, d = -a, -b, -c, -d
    size = math.sqrt(a * a + b * b + c * c)
    half = math.atan2(size, d)
    s, cotangent = 2.0, 1.0
    if size > 0.0:
        s, cotangent = 2.0 * half / size, half * d / size
    return s * a, s * b, s * c, cotangent


@inner
def base_difference(q, p, r, at, out, i):
    """Write the logarithm of SE(3) from the base ``r[at:at+7]`` to ``q[p:p+7]`` to ``out[i:]``.

    With w the rotation vector and x the displacement along the axes of r, the linear part is
    ``x - w x x / 2 + c w x (w x x)``, ``c = (1 - |w|/2 cot(|w|/2)) / |w|^2`` (Sola, Deray and
    Atchuthan 2018, eq. 174, inverted).
    """
    w0, w1, w2, cotangent = rotation_between(q, p + 3, r, at + 3)
    square = w0 * w0 + w1 * w1 + w2 * w2
    c = 1.0 / 12.0
    if square > SERIES:
        c = (1.0 - cotangent) / square
    d0, d1, d2 = q[p] - r[at], q[p + 1] - r[at + 1], q[p + 2] - r[at + 2]
    x, y, z, w = r[at + 3], r[at + 4], r[at + 5], r[at + 6]
    t0, t1, t2 = 2.0 * (y * d2 - z * d1), 2.0 * (z * d0 - x * d2), 2.0 * (x * d1 - y * d0)
    x0 = d0 - w * t0 + (y * t2 - z * t1)
    x1 = d1 - w * t1 + (z * t0 - x * t2)
    x2 = d2 - w * t2 + (x * t1 - y * t0)
    y0, y1, y2 = w1 * x2 - w2 * x1, w2 * x0 - w0 * x2, w0 * x1 - w1 * x0
    out[i] = x0 - 0.5 * y0 + c * (w1 * y2 - w2 * y1)
    out[i + 1] = x1 - 0.5 * y1 + c * (w2 * y0 - w0 * y2)
    out[i + 2] = x2 - 0.5 * y2 + c * (w0 * y1 - w1 * y0)
    out[i + 3], out[i + 4], out[i + 5] = w0, w1, w2


@inner
def state_difference(topology, q, v, r, at, out):
    """Write ``footfall.difference`` of the state (q, v) from ``r[at:]`` to out, shape (2 nv,)."""
    nv = len(topology.dof_q)
    for tree in range(len(topology.floating)):
        if topology.floating[tree] == 1:
            p = topology.tree_q[tree]
            base_difference(q, p, r, at + p, out, topology.tree_v[tree])
    for k in range(nv):
        p = topology.dof_q[k]
        if p >= 0:
            out[k] = q[p] - r[at + p]
        out[nv + k] = v[k] - r[at + len(q) + k]


@inner
def command(b, topology, i, t):
    """Write the torques of control t of run i: ``u = sum_k w_k knot_k + K dx``, limited."""
    nu = b.applied.shape[1] // b.knot.shape[0]
    if b.control.shape[1] == 0:
        return
    for k in range(nu):
        b.torque[k] = 0.0
    for j in range(b.knot.shape[1]):
        weight, first = b.weight[t, j], b.knot[t, j] * nu
        for k in range(nu):
            b.torque[k] += weight * b.control[i, first + k]
    if b.gain.shape[1] > 0:
        wide, nx = len(b.dx), len(b.q) + len(b.v)
        row, first = i % b.gain.shape[0], t * wide * nu
        state_difference(topology, b.q, b.v, b.reference[i % b.reference.shape[0]], t * nx, b.dx)
        for j in range(wide):
            x = b.dx[j]
            for k in range(nu):
                b.torque[k] += b.gain[row, first + j * nu + k] * x
    for k in range(len(b.limit)):
        b.torque[k] = min(max(b.torque[k], -b.limit[k]), b.limit[k])
    for k in range(nu):
        b.applied[i, t * nu + k] = b.torque[k]
