"""The new state of a part of a step as a function of the old one and of the velocity solved for.

Tangent coordinates of a base are along its own axes, before those of the old base, afterwards those
of the new one: ``p <- p + R dp``, ``R <- R exp(dtheta)``. ``E = exp(dt w)`` turns the base.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.api.plugin import Floats
from footfall_gradients.directions import Directions
from footfall_gradients.part import Part
from footfall_gradients.smooth import skew

FLYING = 2
"""What ``Dynamics.airborne`` holds of a tree that nothing touches."""


def rotation(x: Floats) -> Floats:
    """Return ``exp(x)`` of a rotation vector, shape (3, 3)."""
    angle, K = float(np.linalg.norm(x)), skew(x)
    if angle < 1e-4:
        a, b = 1.0 - angle**2 / 6.0, 0.5 - angle**2 / 24.0
    else:
        a, b = np.sin(angle) / angle, (1.0 - np.cos(angle)) / angle**2
    found: Floats = np.eye(3) + a * K + b * K @ K
    return found


def right_jacobian(x: Floats) -> Floats:
    """Return J with ``exp(x + dx) = exp(x) exp(J dx)`` to first order."""
    angle, K = float(np.linalg.norm(x)), skew(x)
    if angle < 1e-3:
        a, b = 0.5 - angle**2 / 24.0, 1.0 / 6.0 - angle**2 / 120.0
    else:
        a, b = (1.0 - np.cos(angle)) / angle**2, (angle - np.sin(angle)) / angle**3
    found: Floats = np.eye(3) - a * K + b * K @ K
    return found


def base_rotation(pose: Floats) -> Floats:
    """Return a link's rotation, of its row in ``pose``."""
    return pose[:9].reshape(3, 3).T


@dataclass
class Moved:
    """A derivative of the new state, columns are directions, and the state itself in local terms.

    Attributes:
        dq, dv: shape (nv, directions).
        step: shape (nv,), displacement of q in tangent coordinates of the start (of a base the way
            of its origin along the old axes, then the rotation vector).
        v: shape (nv,), the new velocity.
    """

    dq: Floats
    dv: Floats
    step: Floats
    v: Floats


def move(part: Part, along: Directions, dx: Floats, dcorrection: Floats) -> Moved:
    """Return the new state and its derivatives.

    Args:
        part: of the step.
        along: derivatives of what it begins with.
        dx: of the velocity solved for.
        dcorrection: of the velocity that only moves positions.
    """
    world, h = part.sim.world, part.dt
    position = world.dynamics.v_position.copy()
    given = Given(along.dq, along.dv, dx, dx + dcorrection, along.dt)
    dq = along.dq + h * given.dp + np.outer(position, along.dt)
    out = Moved(dq, dx.copy(), h * position, part.x.copy())
    for tree, at in part.trees:
        if not world.topology.floating[tree]:
            continue
        if part.carries_momentum(tree):
            move_body(part, tree, at, given, position, out)
        elif world.dynamics.airborne[tree] > 0:
            from footfall_gradients.flight import fly_robot

            fly_robot(part, tree, at, given, along, position, out)
        else:
            move_base(part, at.start, given, position, out)
    return out


class Given(NamedTuple):
    """Derivatives of q and v at the start, of the velocities solved for and moved with, of dt."""

    dq: Floats
    dv: Floats
    dx: Floats
    dp: Floats
    dt: Floats


def turn_base(
    part: Part, i: int, given: Given, W: Floats, dW: Floats, out: Moved
) -> tuple[Floats, Floats]:
    """Write the derivative of the base's orientation; return E and its own derivative.

    The derivative phi of E is such that ``E <- E exp(phi)``.
    """
    h = part.dt
    E = rotation(h * W)
    phi = right_jacobian(h * W) @ (h * dW + np.outer(W, given.dt))
    out.dq[i + 3 : i + 6] = E.T @ given.dq[i + 3 : i + 6] + phi
    out.step[i + 3 : i + 6] = h * W
    return E, phi


def carry(i: int, given: Given, E: Floats, way: Floats, dway: Floats, out: Moved) -> None:
    """Write the derivative of the base's position for a way along the old axes."""
    dq = given.dq
    changed = dq[i : i + 3] - skew(way) @ dq[i + 3 : i + 6] + dway
    out.dq[i : i + 3] = E.T @ changed
    out.step[i : i + 3] = way


def move_base(part: Part, i: int, given: Given, position: Floats, out: Moved) -> None:
    """Write what the step does to a base that something fixed pushes."""
    _, _, dx, dp, dt = given
    h, W = part.dt, position[i + 3 : i + 6]
    E, phi = turn_base(part, i, given, W, dp[i + 3 : i + 6], out)
    way = h * position[i : i + 3]
    carry(i, given, E, way, h * dp[i : i + 3] + np.outer(position[i : i + 3], dt), out)
    for k in (i, i + 3):
        out.v[k : k + 3] = E.T @ part.x[k : k + 3]
        out.dv[k : k + 3] = E.T @ dx[k : k + 3] + skew(out.v[k : k + 3]) @ phi


def move_body(part: Part, tree: int, at: slice, given: Given, position: Floats, out: Moved) -> None:
    """Write what ``footfall.kernels.dynamics.rigid_bodies`` does to a rigid body without joints."""
    _, dv, dx, dp, dt = given
    topology, h, i, j = part.sim.world.topology, part.dt, at.start, at.start + 3
    link = int(topology.tree_link[tree])
    c, inertia = topology.com[link], topology.inertia[link]
    v, x, w = part.v, part.x, part.v[j : j + 3]
    half, C = 0.5 * (skew(w) @ inertia - skew(inertia @ w)), skew(c)
    held = 0.5 * np.cross(w, inertia @ w)
    u, du = x[i:j] - C @ x[j : j + 3], dx[i:j] - C @ dx[j : j + 3]
    L = inertia @ x[j : j + 3] + h * held
    dL = inertia @ dx[j : j + 3] + h * half @ dv[j : j + 3] + np.outer(held, dt)
    W = position[j : j + 3]
    if part.sim.world.dynamics.airborne[tree] == FLYING:
        E = rotation(h * W)
        A, turn = E.T @ L, right_jacobian(h * W)
        # I W = (I w + E' L) / 2; d(E' L) = E' dL + A x (turn d(dt W))
        left = inertia - 0.5 * h * skew(A) @ turn
        right = inertia @ dv[j : j + 3] + E.T @ dL + skew(A) @ turn @ np.outer(W, dt)
        dW = np.linalg.solve(left, 0.5 * right)
        mean = 0.5 * (v[i:j] - C @ w + u)
        dmean = 0.5 * (dv[i:j] - C @ dv[j : j + 3] + du)
    else:
        dW = dp[j : j + 3]
        mean = position[i:j] - C @ W
        dmean = dp[i:j] - C @ dW
    E, phi = turn_base(part, i, given, W, dW, out)
    spin = np.linalg.solve(inertia, E.T @ L)
    dspin = np.linalg.solve(inertia, E.T @ dL + skew(E.T @ L) @ phi)
    out.v[i:j], out.v[j : j + 3] = E.T @ u + C @ spin, spin
    out.dv[i:j] = E.T @ du + skew(E.T @ u) @ phi + C @ dspin
    out.dv[j : j + 3] = dspin
    way = h * mean + c - E @ c
    dway = h * dmean + np.outer(mean, dt) + E @ C @ phi
    carry(i, given, E, way, dway, out)
