"""Random impacts of linkages and of piles of boxes, with coefficients from contact to contact."""

from dataclasses import replace

import numpy as np

from footfall.testing.problems.cases import cones, contact_frame, point_jacobian

NEXT, LAST = [1, 2, 0], [2, 0, 1]
"""Axes of a cross product."""


def random_impact(seed):
    """Return an impact of 2 to 40 contacts, e from 0 to 1 (also 0 and 1), mu from 0 to 2.

    Some have no answer with restitution: points between walls that lean towards each other.
    """
    rng = np.random.default_rng(seed)
    contacts = int(np.exp(rng.uniform(np.log(2.0), np.log(41.0))))
    normals = rng.normal(size=(contacts, 3))
    normals[:, 2] += rng.uniform(0.0, 4.0)
    frames = np.array([contact_frame(n) for n in normals])
    M, J = (linkage if rng.random() < 0.6 else pile)(rng, frames)
    v = rng.normal(size=len(M))
    e = rng.uniform(0.0, 1.0, contacts)
    e[rng.random(contacts) < 0.2], e[rng.random(contacts) < 0.2] = 0.0, 1.0
    case = cones(f"impact {seed}", M, J, v, v, frames, mu=rng.uniform(0.0, 2.0, contacts))
    return replace(case, restitution=e, impulsive=True)


def linkage(rng, frames):
    """Return inertia and contact Jacobian of a chain of hinges and slides; some links touch."""
    n = int(rng.integers(2, 8 if rng.random() < 0.1 else 60))
    place = np.cumsum(rng.normal(size=(n, 3)), axis=0)
    axis = rng.normal(size=(n, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    slides = rng.random(n) < 0.3

    def jacobian(point, link):
        arm = point - place
        swept = axis[:, NEXT] * arm[:, LAST] - axis[:, LAST] * arm[:, NEXT]  # axis x arm
        moved = np.where(slides[:, None], axis, swept).T
        return moved * (np.arange(n) <= link)

    M = np.diag(10.0 ** rng.uniform(-3.0, -1.0, n))
    for link in range(n):
        J, mass = jacobian(place[link] + 0.5 * rng.normal(size=3), link), 10.0 ** rng.uniform(-1, 1)
        turning = axis.T * (~slides & (np.arange(n) <= link))
        M += mass * (J.T @ J + 0.05 * turning.T @ turning)
    rows = []
    for frame in frames:
        link, other = rng.integers(0, n, 2)
        point = place[link] + rng.normal(size=3)
        ground = np.zeros((3, n)) if rng.random() < 0.7 else jacobian(point, other)
        rows.append(frame @ (jacobian(point, link) - ground))
    return M, np.vstack(rows)


def pile(rng, frames):
    """Return inertia and contact Jacobian of free boxes that touch each other and the ground."""
    n = int(rng.integers(1 + len(frames) // 6, 12))
    masses = 10.0 ** rng.uniform(-1.0, 1.0, n)
    inertia = [m * np.array([1.0, 1.0, 1.0, *rng.uniform(2e-3, 2e-2, 3)]) for m in masses]
    J = np.zeros((len(frames), 3, n, 6))
    for c, frame in enumerate(frames):
        first, second = rng.integers(0, n, 2)
        J[c, :, first] += frame @ point_jacobian(0.1 * rng.normal(size=3))
        if first != second:
            J[c, :, second] -= frame @ point_jacobian(0.1 * rng.normal(size=3))
    return np.diag(np.concatenate(inertia)), J.reshape(3 * len(frames), 6 * n)


def thrown_boxes(count, seed, friction, impact=None, restitution=0.9):
    """Return a scene of free boxes, thrown above the ground and onto each other."""
    rng = np.random.default_rng(seed)
    sides, bodies = {"friction": friction, "restitution": restitution}, {}
    for k in range(count):
        size, place = rng.uniform(0.08, 0.16, 3), np.array([k % 4, k // 4 % 4, k // 16])
        bodies[f"box{k}"] = {
            "shape": {"type": "box", "size": size.tolist()},
            "mass": float(1000.0 * size.prod()),
            "base_position": ([-0.375, -0.375, 0.3] + place * [0.25, 0.25, 0.3]).tolist(),
            "base_orientation": rng.uniform(-3.0, 3.0, 3).tolist(),
            "base_linear_velocity": rng.uniform(-1.0, 1.0, 3).tolist(),
            "base_angular_velocity": rng.uniform(-5.0, 5.0, 3).tolist(),
            **sides,
        }
    scene = {"simulation": {"duration": 2.0}, "world": {"terrain": sides}, "bodies": bodies}
    return scene if impact is None else scene | {"impact": {"plugin": impact}}
