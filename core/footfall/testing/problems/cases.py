"""The test systems of laws. Velocities are of order 1 m/s, masses of order 1 kg."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.problem.arrays import BlockKind
from footfall.testing.problems.case import Case
from footfall.typing import Floats

GRAVITY = 9.81
CORNERS = ((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0))


def contact_frame(normal: Floats) -> Floats:
    """Return the rows tangent, tangent, normal for a normal, shape (3, 3).

    The core's basis: Duff et al., Building an Orthonormal Basis, Revisited, JCGT 2017, eq. 4.
    """
    x, y, z = normal / np.linalg.norm(normal)
    sign = 1.0 if z >= 0.0 else -1.0
    a = -1.0 / (sign + z)
    b = x * y * a
    return np.array(
        [[1 + sign * x * x * a, sign * b, -sign * x], [b, sign + y * y * a, -y], [x, y, z]]
    )


def cones(
    name: str, M: Floats, J: Floats, v: Floats, v_free: Floats, frame: Floats, **given: Floats
) -> Case:
    """Return a case of contacts only; default mu 0.5, no restitution, gap 0 at the origin."""
    n = len(frame)
    return Case(
        name,
        M,
        J,
        v,
        v_free,
        mu=given.get("mu", np.full(n, 0.5)),
        restitution=given.get("restitution", np.zeros(n)),
        gap=given.get("gap", np.zeros(n)),
        frame=frame,
        position=given.get("position", np.zeros((n, 3))),
        kinds=(BlockKind.CONE,) * n,
        bounds=np.zeros((n, 2)),
    )


def chain(seed: int, contacts: int = 4) -> Case:
    """Return a system with more dofs than rows, all coupled, like a robot's limbs: W is regular.

    The points open, stick and slip; some are just above the ground, some just below.
    """
    rng = np.random.default_rng(seed)
    rows, nv = 3 * contacts, 4 * contacts
    A = rng.normal(size=(nv, nv)) / np.sqrt(nv)
    M = np.eye(nv) + A @ A.T
    J = rng.normal(size=(rows, nv)) / np.sqrt(nv)
    v = rng.normal(size=nv)
    return cones(
        f"chain {seed}",
        M,
        J,
        v,
        v + 0.3 * rng.normal(size=nv),
        np.array([contact_frame(n) for n in rng.normal(size=(contacts, 3))]),
        mu=rng.uniform(0.2, 0.8, contacts),
        gap=rng.choice([0.0, 2e-4, -1e-4], contacts),
        position=rng.normal(size=(contacts, 3)),
    )


def foot(seed: int) -> Case:
    """Return a box that lands flat on four coplanar points: W has rank 6 of 12."""
    rng = np.random.default_rng(seed)
    E = contact_frame(rng.normal(size=3))
    points = np.array([(0.1 * x, 0.06 * y, -0.05) for x, y in CORNERS])  # contact frame
    J = np.vstack([point_jacobian(p) for p in points])
    M = np.diag([2.0, 2.0, 2.0, 0.0041, 0.0083, 0.0091])
    v = np.concatenate([rng.normal(size=2), [-0.7], rng.normal(size=3)])
    v_free = v + np.array([0.0, 0.0, -1e-3 * GRAVITY, 0.0, 0.0, 0.0])
    frame = np.tile(E, (4, 1, 1))
    return cones(f"foot {seed}", M, J, v, v_free, frame, position=points @ E)


def plate(points: int) -> Case:
    """Return a plate that lands flat at 1 m/s, on points on a circle under its mass centre.

    A single point is under the mass centre itself; with three or more, W is singular.
    """
    M = np.diag([2.0, 2.0, 2.0, 0.02, 0.03, 0.04])
    angles = 2.0 * np.pi * np.arange(points) / points + 0.3
    arm = 0.2 if points > 1 else 0.0
    J = np.vstack([point_jacobian((arm * np.cos(a), arm * np.sin(a), -0.1)) for a in angles])
    v = np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])
    return cones(f"plate on {points}", M, J, v, v, np.tile(np.eye(3), (points, 1, 1)))


def tower(seed: int, ratio: float) -> Case:
    """Return a box on the ground that carries one ``ratio`` times as heavy, pushed sideways."""
    rng = np.random.default_rng(seed)
    inertia = np.array([1.0, 1.0, 1.0, 0.002, 0.002, 0.003])
    M = np.diag(np.concatenate([inertia, ratio * inertia]))
    corners = [(0.1 * x, 0.1 * y) for x, y in CORNERS]
    below = [np.hstack([point_jacobian((x, y, -0.05)), np.zeros((3, 6))]) for x, y in corners]
    between = [
        np.hstack([-point_jacobian((x, y, 0.05)), point_jacobian((x, y, -0.05))])
        for x, y in corners
    ]
    v = np.zeros(12)
    v_free = np.zeros(12)
    v_free[[2, 8]] = -1e-3 * GRAVITY
    v_free[[0, 1]] += 0.1 * rng.normal(size=2)
    v_free[[6, 7]] += 0.002 * rng.normal(size=2)
    frame = np.tile(np.eye(3), (8, 1, 1))
    return cones(f"load of {ratio:g} times", M, np.vstack(below + between), v, v_free, frame)


def point_masses(speed: Floats, *, mu: float = 0.5, restitution: Floats | None = None) -> Case:
    """Return points of 1 kg, each on the ground with its own velocity, shape (n, 3)."""
    n = len(speed)
    v = np.asarray(speed, float).ravel()
    return cones(
        "point masses",
        np.eye(3 * n),
        np.eye(3 * n),
        v,
        v,
        np.tile(np.eye(3), (n, 1, 1)),
        mu=np.full(n, mu),
        restitution=np.zeros(n) if restitution is None else restitution,
    )


def limits(seed: int) -> Case:
    """Return contacts together with unilateral and box rows (joint limits, joint friction)."""
    rng = np.random.default_rng(seed)
    base = chain(seed, contacts=4)
    kinds = (BlockKind.CONE, BlockKind.UNILATERAL, BlockKind.BOX, BlockKind.CONE)
    n = len(kinds)
    rows = sum(3 if kind is BlockKind.CONE else 1 for kind in kinds)
    frame, mu = np.tile(np.eye(3), (n, 1, 1)), np.array([0.4, 0.0, 0.0, 0.6])
    bounds = np.array([[0.0, 0.0], [0.0, 0.0], [-0.1, 0.2], [0.0, 0.0]]) * rng.uniform(0.5, 1.5)
    whole = cones(f"limits {seed}", base.M, base.J[:rows], base.v, base.v_free, frame, mu=mu)
    return replace(whole, kinds=kinds, bounds=bounds)


def point_jacobian(p: tuple[float, float, float] | Floats) -> Floats:
    """Return the velocity of a body-fixed point for (linear velocity, angular velocity)."""
    x, y, z = p
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.hstack([np.eye(3), -skew])
