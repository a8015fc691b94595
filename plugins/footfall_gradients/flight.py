"""The new state of a robot in flight, which keeps its momentum.

``footfall.kernels.dynamics.momentum`` gives the robot, in its new shape, the base velocity with
which its momentum P and its angular momentum K about the mass centre are what they were, changed by
gravity, and places the mass centre on its parabola. In the axes of the new base, with
``E = exp(dt w)``, m c the mass moment and ``M_b`` the base's rows of the inertia:

    M_b(s+) v+ = (E' P, E' K + c+ x E' P)

What follows of it is linear in the unknown base velocity. The derivative of ``M_b v`` with respect
to the joints is that of inverse dynamics with v as acceleration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footfall.api.errors import SimulationError
from footfall.api.plugin import Floats
from footfall_gradients.motion import FLYING, base_rotation, carry, rotation, turn_base
from footfall_gradients.smooth import bodies_inertia, skew

if TYPE_CHECKING:
    from footfall_gradients.directions import Directions
    from footfall_gradients.motion import Given, Moved
    from footfall_gradients.part import Part


def fly_robot(
    part: Part,
    tree: int,
    at: slice,
    given: Given,
    along: Directions,
    position: Floats,
    out: Moved,
) -> None:
    """Write the new base of a robot in flight and its derivatives.

    Raises:
        SimulationError: if anything pushes it.
    """
    dq, dv, _, dp, dt = given
    world, h, i = part.sim.world, part.dt, at.start
    name = world.bodies[tree].name
    if world.dynamics.airborne[tree] != FLYING:
        raise SimulationError(f"derivatives: {name} is pushed by bodies that fly, too: not covered")
    if world.joints.external[at].any():
        raise SimulationError(f"derivatives: {name} is pushed in flight: not covered")
    topology, j = world.topology, slice(i + 6, at.stop)
    R = base_rotation(part.pose[int(topology.tree_link[tree])])
    gravity = R.T @ topology.gravity
    dgravity = skew(gravity) @ dq[i + 3 : i + 6]
    if "gravity" in along.arrays:
        dgravity += R.T @ along.arrays["gravity"]
    part.place()
    M = bodies_inertia(part)[at, at]
    start = momentum_slopes(part, at, part.v)
    mass, h0 = M[0, 0], M[:6] @ part.v[at]
    dh0 = M[:6] @ dv[at] + start @ dq[at]
    c0, dc0 = mass_centre(M), M[:3, 6:] @ dq[j] / M[0, 0]
    df = along.dforce[i : i + 6]
    P = h0[:3] + h * mass * gravity
    dP = dh0[:3] + h * (mass * dgravity + df[:3]) + mass * np.outer(gravity, dt)
    K = h0[3:] - np.cross(c0, h0[:3])
    dK = dh0[3:] - skew(c0) @ dh0[:3] + skew(h0[:3]) @ dc0
    dK += h * (df[3:] - skew(c0) @ df[:3])
    dW = dp[i + 3 : i + 6]
    E, phi = turn_base(part, i, given, position[i + 3 : i + 6], dW, out)
    P1, K1 = E.T @ P, E.T @ K
    dP1, dK1 = E.T @ dP + skew(P1) @ phi, E.T @ dK + skew(K1) @ phi
    shape_after(part, at, h * position)
    M1 = after_inertia(part, at)
    c1, ds = mass_centre(M1), out.dq[j]
    dc1 = M1[:3, 6:] @ ds / mass
    due = np.concatenate([P1, K1 + np.cross(c1, P1)])
    ddue = np.vstack([dP1, dK1 + skew(c1) @ dP1 - skew(P1) @ dc1])
    out.v[i : i + 6] = np.linalg.solve(M1[:, :6], due - M1[:, 6:] @ part.x[j])
    v_new = part.v * 0.0
    v_new[at] = np.concatenate([out.v[i : i + 6], part.x[j]])
    bent = momentum_slopes(part, at, v_new)[:, 6:] @ ds
    out.dv[i : i + 6] = np.linalg.solve(M1[:, :6], ddue - M1[:, 6:] @ out.dv[j] - bent)
    mean, dmean = 0.5 * (P + h0[:3]) / mass, 0.5 * (dP + dh0[:3]) / mass
    way = c0 + h * mean - E @ c1
    dway = dc0 + h * dmean + np.outer(mean, dt) - E @ dc1 + E @ skew(c1) @ phi
    carry(i, given, E, way, dway, out)


def mass_centre(M: Floats) -> Floats:
    """Return the mass centre in the base's axes, of its rows of the inertia."""
    return np.array([-M[4, 2], M[3, 2], -M[3, 1]]) / float(M[0, 0])


def momentum_slopes(part: Part, at: slice, v: Floats) -> Floats:
    """Return the derivative of ``M_b v`` by q, shape (6, nv), where the rooms are."""
    found = part.rooms.inverse_dynamics(v, np.zeros_like(v), np.zeros(3))
    return np.array(found.dq[at.start : at.start + 6, at])


def after_inertia(part: Part, at: slice) -> Floats:
    """Return the base's rows of the inertia where the rooms are, shape (6, nv)."""
    work, S = part.rooms.work, part.rooms.motion.S
    zero = np.zeros(len(S))
    part.rooms.inverse_dynamics(zero, zero, np.zeros(3))
    return np.array(S[at.start : at.start + 6] @ work.down[at].T, float)


def shape_after(part: Part, at: slice, way: Floats) -> None:
    """Let the rooms be those of the new joints, the base where it was.

    A link goes by ``exp(S_1 way_1) exp(S_2 way_2) ...`` along its chain.
    """
    rooms, i = part.rooms, at.start
    S, pose, tree = rooms.motion.S, rooms.motion.pose, rooms.tree
    turned, shifted = {i + 5: np.eye(3)}, {i + 5: np.zeros(3)}
    for k in range(i + 6, at.stop):
        p = int(tree.parent[k])
        R, t = turned[p], shifted[p]
        lin, ang = part.S[k, :3], part.S[k, 3:]
        E = rotation(way[k] * ang)
        axis = np.cross(ang, lin)  # a point of the axis
        e = axis - E @ axis if ang @ ang > 0.5 else way[k] * lin
        turned[k], shifted[k] = R @ E, t + R @ e
        S[k, 3:] = R @ ang
        S[k, :3] = R @ lin + np.cross(t, S[k, 3:])
    for link in np.flatnonzero((tree.link_dof >= i + 6) & (tree.link_dof < at.stop)):
        R, t = turned[int(tree.link_dof[link])], shifted[int(tree.link_dof[link])]
        pose[link, :9] = (R @ base_rotation(part.pose[link])).T.reshape(9)
        pose[link, 9:] = R @ part.pose[link, 9:] + t
