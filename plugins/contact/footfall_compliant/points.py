"""Positions and velocities of points on bodies, in space and in a plane."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from footfall.api.engine import TreeModel
from footfall.api.plugin import Floats, Ints


def link_twists(model: TreeModel, S: Floats, v: Floats) -> Floats:
    """Return the world twist of every link, ``V = sum of S_k v_k`` over the dofs that move it.

    Args:
        model: the tree.
        S: shape (nv, 6), the dofs' unit twists, as an engine evaluates them.
        v: shape (nv,), velocity.

    Returns:
        Shape (n_links, 6): velocity of the point at the world's origin [m/s], angular velocity
        [rad/s].
    """
    moved = np.zeros((model.nv, 6))
    for dof, parent in enumerate(model.dof_parent):  # parents come first
        moved[dof] = S[dof] * v[dof] + (moved[parent] if parent >= 0 else 0.0)
    still = np.zeros(6)
    return np.array([moved[dof] if dof >= 0 else still for dof in model.link_dof])


def point_motion(
    pose: Floats, twist: Floats, body: npt.ArrayLike, points: npt.ArrayLike
) -> tuple[Floats, Floats]:
    """Return the positions and velocities of points fixed to bodies.

    ``p = R r + o`` and ``pd = v_O + omega x p``, in world coordinates.

    Args:
        pose: shape (bodies, 12), world rotation column-major, then the origin o [m] of each body,
            as in ``Tree.pose``.
        twist: shape (bodies, 6), velocity v_O of the point at the world's origin [m/s] and angular
            velocity [rad/s] of each body; see ``link_twists``.
        body: shape (np,), the body of each point, from 0, in any order.
        points: shape (3, np), in the bodies' frames, [m].

    Returns:
        p and pd, shape (3, np), [m] and [m/s].

    Raises:
        ValueError: if shapes do not fit or there is no such body.
    """
    at, r = _placed(body, points, 3, len(pose))
    R = pose[at, :9].reshape(-1, 3, 3).transpose(0, 2, 1)
    p = np.einsum("nij,jn->in", R, r) + pose[at, 9:].T
    pd = twist[at, :3].T + np.cross(twist[at, 3:], p.T).T
    return p, pd


def planar_point_motion(
    pose: Floats, twist: Floats, body: npt.ArrayLike, points: npt.ArrayLike
) -> tuple[Floats, Floats]:
    """Return the same for bodies in a plane, ``pd = v_O + omega (-y, x)``.

    Args:
        pose: shape (bodies, 3), origin x, y [m] and angle from x to y [rad] of each body.
        twist: shape (bodies, 3), angular velocity [rad/s] and velocity x, y of the point at the
            origin [m/s] of each body.
        body: shape (np,), the body of each point, from 0, in any order.
        points: shape (2, np), in the bodies' frames, [m].

    Returns:
        p and pd, shape (2, np), [m] and [m/s].

    Raises:
        ValueError: if shapes do not fit or there is no such body.
    """
    at, r = _placed(body, points, 2, len(pose))
    c, s = np.cos(pose[at, 2]), np.sin(pose[at, 2])
    p = np.array([c * r[0] - s * r[1], s * r[0] + c * r[1]]) + pose[at, :2].T
    pd = twist[at, 1:].T + twist[at, 0] * np.array([-p[1], p[0]])
    return p, pd


def _placed(
    body: npt.ArrayLike, points: npt.ArrayLike, rows: int, bodies: int
) -> tuple[Ints, Floats]:
    at, r = np.asarray(body, np.int64), np.asarray(points, np.float64)
    if r.ndim != 2 or r.shape[0] != rows:
        raise ValueError(f"points have shape {r.shape}, expected ({rows}, np)")
    if at.shape != (r.shape[1],):
        raise ValueError(f"body has shape {at.shape}, expected ({r.shape[1]},), one per point")
    if len(at) and not 0 <= at.min() <= at.max() < bodies:
        raise ValueError(f"bodies are 0 to {bodies - 1}, got {at.min()} to {at.max()}")
    return at, r
