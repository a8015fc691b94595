"""``Jdot v`` of contact points: classical acceleration for zero mixed accelerations."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner
from footfall.problem.arrays import ProblemSize
from footfall.spatial.rotation import cross, times, turned
from footfall.world.arrays import CandidateKind
from footfall.world.kernels import chain_bias


@inner
def link_bias(topology, dynamics, links, state):
    """Write the accelerations at the world origin of some links for zero mixed accelerations."""
    out = dynamics.bias_acceleration
    for i in range(len(links)):
        link = links[i]
        motion = chain_bias(topology, dynamics, link, state.v, 0)
        out[link, 0], out[link, 1], out[link, 2] = motion[6], motion[7], motion[8]
        out[link, 3], out[link, 4], out[link, 5] = motion[9], motion[10], motion[11]


@inner
def arm_rate(candidates, dynamics, ground, c, w0, w1, w2, m0, m1, m2):
    """Return the rate of the arm m from the feature's centre to its contact point.

    A point turns with the body, ``w x arm``; a sphere's contact point does not; a rim's follows the
    lowest point ``d = -y/|y|, y = n - (n.a) a`` as the axis turns with ``a' = w x a``.
    """
    kind = candidates.kind[c]
    if kind == CandidateKind.POINT:
        return cross(w0, w1, w2, m0, m1, m2)
    if kind != CandidateKind.RIM:
        return 0.0, 0.0, 0.0
    pose, link, n = dynamics.pose, candidates.link[c], ground.normal[c]
    x, y, z = candidates.axis[c, 0], candidates.axis[c, 1], candidates.axis[c, 2]
    a0, a1, a2 = turned(pose, link, x, y, z)
    b0, b1, b2 = cross(w0, w1, w2, a0, a1, a2)
    na = n[0] * a0 + n[1] * a1 + n[2] * a2
    nb = n[0] * b0 + n[1] * b1 + n[2] * b2
    y0, y1, y2 = n[0] - na * a0, n[1] - na * a1, n[2] - na * a2
    size = math.sqrt(y0 * y0 + y1 * y1 + y2 * y2)
    if size < 1e-9:
        return cross(w0, w1, w2, m0, m1, m2)
    d0, d1, d2 = -y0 / size, -y1 / size, -y2 / size
    f0, f1, f2 = nb * a0 + na * b0, nb * a1 + na * b1, nb * a2 + na * b2
    along = d0 * f0 + d1 * f1 + d2 * f2
    f0, f1, f2 = (f0 - along * d0) / size, (f1 - along * d1) / size, (f2 - along * d2) / size
    r = candidates.radius[c]
    cos, sin = math.cos(candidates.phase[c]), math.sin(candidates.phase[c])
    return (
        r * (cos * f0 + sin * (b1 * d2 - b2 * d1 + a1 * f2 - a2 * f1)),
        r * (cos * f1 + sin * (b2 * d0 - b0 * d2 + a2 * f0 - a0 * f2)),
        r * (cos * f2 + sin * (b0 * d1 - b1 * d0 + a0 * f1 - a1 * f0)),
    )


@inner
def contact_bias(topology, dynamics, candidates, ground, sides, problem, state):
    """Write ``Jdot v`` of every block, in its contact frame.

    The contact point's velocity is ``v_c + w x arm``; its rate at zero accelerations is
    ``a_c + alpha x arm + w x arm'``, with ``a_c`` the centre's classical acceleration.
    """
    link_bias(topology, dynamics, candidates.links, state)
    A, V, x = dynamics.bias_acceleration, dynamics.twist, candidates.position
    out = problem.jdot_v
    for b in range(problem.size[ProblemSize.BLOCKS]):
        c, link = problem.candidate[b], sides.link[b, 1]
        if c < 0:
            out[problem.row[b]] = 0.0
            continue
        c0, c1, c2 = candidates.query[c, 0], candidates.query[c, 1], candidates.query[c, 2]
        m0, m1, m2 = x[c, 0] - c0, x[c, 1] - c1, x[c, 2] - c2
        w0, w1, w2 = V[link, 3], V[link, 4], V[link, 5]
        d0, d1, d2 = A[link, 3], A[link, 4], A[link, 5]
        r0, r1, r2 = arm_rate(candidates, dynamics, ground, c, w0, w1, w2, m0, m1, m2)
        r0, r1, r2 = cross(w0, w1, w2, r0, r1, r2)
        v0, v1, v2 = cross(w0, w1, w2, c0, c1, c2)
        v0, v1, v2 = cross(w0, w1, w2, V[link, 0] + v0, V[link, 1] + v1, V[link, 2] + v2)
        c0, c1, c2 = cross(d0, d1, d2, c0, c1, c2)
        m0, m1, m2 = cross(d0, d1, d2, m0, m1, m2)
        a0 = A[link, 0] + c0 + v0 + m0 + r0
        a1 = A[link, 1] + c1 + v1 + m1 + r1
        a2 = A[link, 2] + c2 + v2 + m2 + r2
        a0, a1, a2 = times(problem.frame, b, a0, a1, a2)
        out[3 * b], out[3 * b + 1], out[3 * b + 2] = a0, a1, a2


@inner
def link_twists(topology, links, S, x, twist):
    """Write the world twist of each of some links, for the velocity x.

    ``V_link = sum over the link's chain of S_k x_k``.
    """
    for i in range(len(links)):
        link = links[i]
        first = topology.tree_v[topology.link_tree[link]]
        v0, v1, v2, w0, w1, w2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for p in range(topology.chain_start[link], topology.chain_start[link + 1]):
            k = first + topology.chain[p]
            xk = x[k]
            v0 += S[k, 0] * xk
            v1 += S[k, 1] * xk
            v2 += S[k, 2] * xk
            w0 += S[k, 3] * xk
            w1 += S[k, 4] * xk
            w2 += S[k, 5] * xk
        twist[link, 0], twist[link, 1], twist[link, 2] = v0, v1, v2
        twist[link, 3], twist[link, 4], twist[link, 5] = w0, w1, w2
