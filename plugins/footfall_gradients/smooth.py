"""The momentum balance of a part of a step, and its derivatives at a fixed answer of the law.

``G = M (x - v) + dt h(q, v) - dt (tau + f - K (s + dt x - target) - D x + Kd rate) - J' r = 0``
gives the velocity x at the end. With ``dt h + M (x - v)`` taken as inverse dynamics of the
acceleration ``x - v - dt w x v`` (the base's, in its own axes), the velocity ``sqrt(dt) v`` and the
gravity ``dt g``, the derivatives are those of inverse dynamics, and hold for impacts, ``dt = 0``.

A rigid body without joints has half of its gyroscopic moment in h and no centrifugal force.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.api.plugin import Floats
from footfall_gradients.part import Part


def skew(x: Floats) -> Floats:
    """Return the matrix of ``x cross``."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def smooth_slopes(part: Part) -> tuple[Floats, Floats, Floats]:
    """Return ``M (x - v) + dt h``, shape (nv,), and its derivatives by q and v at fixed x."""
    topology, v, dt = part.sim.world.topology, part.v, part.dt
    jump = part.x - v
    acceleration, velocity, root = jump.copy(), math.sqrt(dt) * v, math.sqrt(dt)
    for tree, at in part.trees:
        i = at.start
        if part.carries_momentum(tree):
            velocity[at] = 0.0
        elif topology.floating[tree]:
            acceleration[i : i + 3] -= dt * np.cross(v[i + 3 : i + 6], v[i : i + 3])
    part.place()
    found = part.rooms.inverse_dynamics(acceleration, velocity, dt * topology.gravity)
    # What reflected inertia adds to M is no body's.
    force = found.force + part.M @ jump - bodies_inertia(part) @ jump
    dq, dv = found.dq.copy(), root * found.dv - part.M
    for tree, at in part.trees:
        i = at.start
        if part.carries_momentum(tree):
            inertia, w = topology.inertia[topology.tree_link[tree]], v[i + 3 : i + 6]
            force[i + 3 : i + 6] += 0.5 * dt * np.cross(w, inertia @ w)
            half = 0.5 * dt * (skew(w) @ inertia - skew(inertia @ w))
            dv[at, at] = -part.M[at, at]
            dv[i + 3 : i + 6, i + 3 : i + 6] += half
        elif topology.floating[tree]:
            linear = dt * part.M[at, i : i + 3]
            dv[at, i : i + 3] -= linear @ skew(v[i + 3 : i + 6])
            dv[at, i + 3 : i + 6] += linear @ skew(v[i : i + 3])
    return force, dq, dv


def bodies_inertia(part: Part) -> Floats:
    """Return M without reflected inertia."""
    joints = part.sim.world.joints
    M = part.M - np.diag(joints.armature)
    for tree, at in part.trees:
        for e in range(joints.coupling_start[tree], joints.coupling_start[tree + 1]):
            i, j = at.start + joints.coupling[e]
            M[i, j] -= joints.coupling_inertia[e]
            M[j, i] -= joints.coupling_inertia[e]
    return M
