"""The new state of a robot in flight, which keeps its momentum.

The stepper (``footfall_stepper.kernels.dynamics.momentum``) gives the robot, in its new shape, the
base velocity that keeps its momentum P and its angular momentum K about the mass centre, changed
only by gravity. It places the mass centre on its parabola, unless positions are corrected. In the
axes of the new base, with ``E = exp(dt w)``, m c the mass moment and ``M_b`` the base's rows of the
inertia:

    M_b(s+) v+ = (E' P, E' K + c+ x E' P)

This is linear in the unknown base velocity. The derivative of ``M_b v`` by the joints is that of
inverse dynamics with v as acceleration.
"""

from __future__ import annotations

import numpy as np

from footfall.api.contact import ProblemReport
from footfall.api.plugin import Floats, SimulationError
from footfall_gradients.kernels.move import FLYING
from footfall_gradients.manifold import base_rotation, rotation, skew
from footfall_gradients.part import Workspace


def require_alone(space: Workspace, tree: int) -> None:
    """Reject a robot in flight that something pushes.

    Raises:
        SimulationError: if something does.
    """
    name, at = space.world.bodies[tree].name, space.world.v_slice(tree)
    if space.part.flying[tree] != FLYING:
        raise SimulationError(f"derivatives: {name} is pushed by flying bodies: not supported")
    if space.world.joints.external[at].any():
        raise SimulationError(f"derivatives: {name} is pushed in flight: not supported")


def fly_robot(
    space: Workspace,
    tree: int,
    dt: float,
    rows: Floats | None = None,
    start: Workspace | None = None,
    half: Floats | None = None,
) -> None:
    """Write the new base of a robot in flight and its derivatives.

    Args:
        space: its ``part`` holds the new joints, dx, and the base as if it were pushed.
        tree: number of the robot's tree.
        dt: length of the part, [s].
        rows: shape (2 nv, columns), derivatives of the new state; None: those in ``part``.
        start: the start of a part that is solved at its midpoint; None: that of ``space``.
        half: shape (3, 3), rotation of the base from there to the midpoint.

    Raises:
        SimulationError: if something pushes the robot.
    """
    world, out, h, position = space.world, space.part, dt, space.part.place
    at, topology, nv = world.v_slice(tree), world.topology, world.nv
    i, j = at.start, slice(at.start + 6, at.stop)
    require_alone(space, tree)
    rows, turned = space.state if rows is None else rows, np.eye(3) if half is None else half
    begin, n = space if start is None else start, rows.shape[1]
    new_q, new_v = rows[:nv], rows[nv:]
    dq, dv, df = (np.eye(nv, n, k)[at] for k in (0, nv, 2 * nv))
    length = np.zeros(n)
    length[-1] = 1.0
    R = base_rotation(begin.dynamics.pose[int(topology.tree_link[tree])])
    gravity = R.T @ topology.gravity
    dgravity = skew(gravity) @ dq[3:6]
    dgravity[:, 3 * nv : -1] += R.T @ space.given.gravity
    begin.place_rooms()
    M, v = bodies_inertia(begin, tree, at), begin.part.v
    mass, h0 = M[0, 0], M[:6] @ v[at]
    dh0 = M[:6] @ dv + momentum_slopes(begin, at, v) @ dq
    c0, dc0 = mass_centre(M), M[:3, 6:] @ dq[6:] / M[0, 0]
    by, dmass = slice(3 * nv, -1), np.zeros(n)
    if space.inertias.any:
        dmass[by], dcentre = begin.inertias.centre(tree, c0)
        dc0[:, by] += dcentre
        dh0[:, by] += begin.inertias.momentum(v)[i : i + 6]
    P = h0[:3] + h * mass * gravity
    dP = dh0[:3] + h * (mass * dgravity + turned @ df[:3]) + mass * np.outer(gravity, length)
    dP += h * np.outer(gravity, dmass)
    K, arm = h0[3:] - skew(c0) @ h0[:3], mass_centre(bodies_inertia(space, tree, at))
    dK = dh0[3:] - skew(c0) @ dh0[:3] + skew(h0[:3]) @ dc0
    dK += h * turned @ (df[3:6] - skew(arm) @ df[:3])
    E = turned @ rotation(h * position[i + 3 : i + 6])
    phi = new_q[i + 3 : i + 6] - E.T @ dq[3:6]
    P1, K1 = E.T @ P, E.T @ K
    dP1, dK1 = E.T @ dP + skew(P1) @ phi, E.T @ dK + skew(K1) @ phi
    space.place_rooms()
    space.shape_after(at.start, at.stop, h)
    M1 = after_inertia(space, at)
    c1, ds = mass_centre(M1), new_q[j]
    dc1 = M1[:3, 6:] @ ds / mass
    if space.inertias.any:
        dc1[:, by] += space.inertias.centre(tree, c1)[1]
    due = np.concatenate([P1, K1 + skew(c1) @ P1])
    ddue = np.vstack([dP1, dK1 + skew(c1) @ dP1 - skew(P1) @ dc1])
    out.new[i : i + 6] = np.linalg.solve(M1[:, :6], due - M1[:, 6:] @ out.x[j])
    v_new = np.zeros(nv)
    v_new[at] = np.concatenate([out.new[i : i + 6], out.x[j]])
    bent = momentum_slopes(space, at, v_new)[:, 6:] @ ds
    if space.inertias.any:
        bent[:, by] += space.inertias.momentum(v_new)[i : i + 6]
    new_v[i : i + 6] = np.linalg.solve(M1[:, :6], ddue - M1[:, 6:] @ new_v[j] - bent)
    if space.problem.report[ProblemReport.CORRECTS]:  # the base moves by its mean velocity
        return
    mean = 0.5 * (P + h0[:3]) / mass
    dmean = (0.5 * (dP + dh0[:3]) - np.outer(mean, dmass)) / mass
    way = c0 + h * mean - E @ c1
    dway = dc0 + h * dmean + np.outer(mean, length) - E @ dc1 + E @ skew(c1) @ phi
    new_q[i : i + 3] = E.T @ (dq[:3] - skew(way) @ dq[3:6] + dway)
    out.way[i : i + 3] = way


def bodies_inertia(space: Workspace, tree: int, at: slice) -> Floats:
    """Return the inertia of a tree without reflected inertia."""
    joints = space.world.joints
    M = space.part.dense[at, at] - np.diag(joints.armature[at])
    for e in range(joints.coupling_start[tree], joints.coupling_start[tree + 1]):
        i, j = joints.coupling[e]
        M[i, j] -= joints.coupling_inertia[e]
        M[j, i] -= joints.coupling_inertia[e]
    return M


def mass_centre(M: Floats) -> Floats:
    """Return the mass centre in the base's axes, from the base's rows of the inertia."""
    return np.array([-M[4, 2], M[3, 2], -M[3, 1]]) / float(M[0, 0])


def momentum_slopes(space: Workspace, at: slice, v: Floats) -> Floats:
    """Return the derivative of ``M_b v`` by q, shape (6, nv), in the configuration of the rooms."""
    found = space.rooms.inverse_dynamics(v, np.zeros_like(v), np.zeros(3))
    return np.array(found.dq[at.start : at.start + 6, at])


def after_inertia(space: Workspace, at: slice) -> Floats:
    """Return the base's rows of the inertia in the configuration of the rooms, shape (6, nv)."""
    work, S = space.rooms.work, space.rooms.motion.S
    zero = np.zeros(len(S))
    space.rooms.inverse_dynamics(zero, zero, np.zeros(3))
    return np.array(S[at.start : at.start + 6] @ work.down[at].T, float)
