"""The torques that hold a posture, and the forces of the ground in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.typing import Floats
from footfall_import.feet import Foot
from footfall_import.stance import Stance


def holding_torques(stance: Stance, feet: Sequence[Foot]) -> Floats:
    """Return the joint torques that hold the stance's posture against gravity, (joints,), [N m, N].

    ``tau = h_s - J_s' f`` with the smallest forces f at the contact points that carry the base,
    ``J_b' f = h_b``. Friction cones are not looked at.
    """
    h = stance.tree.h
    if stance.first == 0:
        return np.array(h)
    J = np.concatenate([_jacobian(stance, foot) for foot in feet])
    f = np.linalg.lstsq(J[:, :6].T, h[:6], rcond=None)[0]
    torques: Floats = h[6:] - J[:, 6:].T @ f
    return torques


def _jacobian(stance: Stance, foot: Foot) -> Floats:
    """Return the Jacobian of a foot's points, world axes, shape (3 n, nv)."""
    points = [stance.frame(sole.link).apply(sole.points) for sole in foot.soles]
    moving = [*range(stance.first), *(stance.first + k for k in stance.path(foot.link))]
    rows = np.zeros((3 * sum(map(len, points)), stance.model.nv))
    for i, point in enumerate(np.concatenate(points)):
        for dof in moving:
            S = stance.tree.S[dof]
            rows[3 * i : 3 * i + 3, dof] = S[:3] + np.cross(S[3:], point)
    return rows
