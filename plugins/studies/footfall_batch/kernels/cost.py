"""Costs in kernels: quantities of a state, residuals, and their norms."""

from __future__ import annotations

import math
from typing import NamedTuple

from footfall.api.device import link_motion, quaternion_of
from footfall.api.kernels import (
    call,
    inner,
    kernel,
    open_dynamics,
    open_joints,
    open_topology,
    opener,
)
from footfall.api.plugin import Floats1, Floats2, Ints1, Ints2
from footfall_batch.kernels.feedback import rotation_between

WIDE = 12
"""Numbers of a spot: position [m], rotation from its target [rad], velocities [m/s, rad/s]."""


class CostArrays(NamedTuple):
    """The residuals of a cost, and the quantities that they compare with their targets.

    A spot is a frame of a link, or the mass centre of several links.

    Attributes:
        q, v, torque: of the worker's world; row: shape (width or 0,), copy of the recording's row.
        stage: shape (calls, 2), functions and frames: evaluation of the poses, user's functions.
        value: shape (m,), all quantities: q, v, torque, row, spots, functions.
        at: shape (2,), places of the row and of the spots among them.
        link: shape (spots, 3), first link and end, 1 for a mass centre.
        frame: shape (spots, 12), in the link: rotation column-major, translation.
        goal: shape (spots, 4), target orientation x y z w; turn: shape (4,), scratch.
        source: shape (r,), place of each residual's quantity; target: shape (T or 1, r).
        weight: shape (2, r), of the running and of the final cost.
        width: shape (r,), width of the norm: infinite for squares, 0 for the value itself.
        residual: shape (r,).
    """

    q: Floats1
    v: Floats1
    torque: Floats1
    row: Floats1
    stage: Ints2
    value: Floats1
    at: Ints1
    link: Ints2
    frame: Floats2
    goal: Floats2
    turn: Floats1
    source: Ints1
    target: Floats2
    weight: Floats2
    width: Floats1
    residual: Floats1


class States(NamedTuple):
    """States whose residuals are found.

    Attributes:
        q: shape (m, nq); v: shape (m, nv); torque: shape (m, nu); residual: shape (m, r).
    """

    q: Floats2
    v: Floats2
    torque: Floats2
    residual: Floats2


FIRST = sum(len(o.kind.__annotations__) for o in (open_topology, open_joints, open_dynamics))
"""Row of the first array of ``CostArrays`` in a table."""
cost_of = opener(CostArrays, FIRST)
states_of = opener(States, FIRST + len(CostArrays.__annotations__))


@inner
def apply(R, x, y, z):
    """Return R (x, y, z) of a pose."""
    return (
        R[0] * x + R[3] * y + R[6] * z,
        R[1] * x + R[4] * y + R[7] * z,
        R[2] * x + R[5] * y + R[8] * z,
    )


@inner
def measure_spot(table, topology, c, s):
    """Write position, rotation from the target, linear and angular velocity of a spot.

    Of a mass centre the former and the velocity are means over its links; it has no rotation.
    """
    at, F, out, total = c.at[1] + WIDE * s, c.frame[s], c.value, 0.0
    for k in range(WIDE):
        out[at + k] = 0.0
    for link in range(c.link[s, 0], c.link[s, 1]):
        twist, _still, P, _gravity = link_motion(table, link, c.value, len(c.q), len(c.q))
        V0, V1, V2, W0, W1, W2 = twist
        m, x, y, z = 1.0, F[9], F[10], F[11]
        if c.link[s, 2] == 1:
            local = topology.com[link]
            m, x, y, z = topology.mass[link], local[0], local[1], local[2]
        x, y, z = apply(P, x, y, z)
        x, y, z = x + P[9], y + P[10], z + P[11]
        total += m
        out[at] += m * x
        out[at + 1] += m * y
        out[at + 2] += m * z
        out[at + 6] += m * (V0 + W1 * z - W2 * y)
        out[at + 7] += m * (V1 + W2 * x - W0 * z)
        out[at + 8] += m * (V2 + W0 * y - W1 * x)
        out[at + 9], out[at + 10], out[at + 11] = W0, W1, W2
        a0, a1, a2 = apply(P, F[0], F[1], F[2])
        b0, b1, b2 = apply(P, F[3], F[4], F[5])
        c0, c1, c2 = apply(P, F[6], F[7], F[8])
        turn = quaternion_of(a0, a1, a2, b0, b1, b2, c0, c1, c2)
        c.turn[0], c.turn[1], c.turn[2], c.turn[3] = turn
    w0, w1, w2, _cotangent = rotation_between(c.turn, 0, c.goal[s], 0)
    out[at + 3], out[at + 4], out[at + 5] = w0, w1, w2
    for k in range(3):
        out[at + k] /= total
        out[at + 6 + k] /= total


@inner
def write_residuals(table, c, topology, t):
    """Write the residuals of the present state with the targets of control t."""
    nq, nv = len(c.q), len(c.v)
    for k in range(nq):
        c.value[k] = c.q[k]
    for k in range(nv):
        c.value[nq + k] = c.v[k]
    for k in range(len(c.torque)):
        c.value[nq + nv + k] = c.torque[k]
    for k in range(len(c.row)):
        c.value[c.at[0] + k] = c.row[k]
    code = 0
    for k in range(len(c.stage)):
        code += abs(call(c.stage[k, 0], c.stage[k, 1]))
    for s in range(len(c.link)):
        measure_spot(table, topology, c, s)
    row = t % len(c.target)
    for k in range(len(c.source)):
        c.residual[k] = c.value[c.source[k]] - c.target[row, k]
        if code != 0:
            c.residual[k] = math.nan


@inner
def add_norms(c, when, cost, i):
    """Add the weighted norms of the present residuals, running (0) or final (1), to ``cost[i]``.

    ``r^2 / 2``, the value r, or ``d^2 (sqrt(1 + (r / d)^2) - 1)`` of the width d (pseudo-Huber).
    """
    for k in range(len(c.source)):
        r, d, norm = c.residual[k], c.width[k], 0.5 * c.residual[k] ** 2
        if d == 0.0:
            norm = r
        elif d < math.inf:
            norm = d * d * (math.sqrt(1.0 + (r / d) ** 2) - 1.0)
        cost[i] += c.weight[when, k] * norm


@kernel
def measure_states(table):
    """Write the residuals of states; targets by control take their rows in order."""
    c, s, topology = cost_of(table), states_of(table), open_topology(table)
    for i in range(len(s.q)):
        for k in range(len(c.q)):
            c.q[k] = s.q[i, k]
        for k in range(len(c.v)):
            c.v[k] = s.v[i, k]
        for k in range(len(c.torque)):
            c.torque[k] = s.torque[i, k]
        write_residuals(table, c, topology, i)
        for k in range(len(c.source)):
            s.residual[i, k] = c.residual[k]
