"""Torques that hold a posture, and the corresponding ground forces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import nnls

from footfall.api.advanced import ModelCoupling
from footfall.api.plugin import Floats
from footfall_import.feet import Foot
from footfall_import.stance import Stance

FRICTION = 0.5
"""Friction coefficient that bounds the ground forces, [-]; the proposed scene's ground has 0.6."""
EVENNESS = 1e-6
"""Weight of the forces' size relative to the base's balance, [-]; it evens the forces out."""
BALANCED = 1e-4
"""Largest relative residual of the base's balance, [-]."""


def contact_jacobian(stance: Stance, feet: Sequence[Foot]) -> Floats:
    """Return the Jacobian of the contact points, world axes, shape (3 n, nv)."""
    blocks = [np.zeros((0, stance.model.nv))]
    for foot in feet:
        points = [sole.touching(stance.frame(sole.link)) for sole in foot.soles]
        dofs = [*range(stance.first), *(stance.first + k for k in stance.path(foot.link))]
        blocks.append(_jacobian(stance, np.concatenate(points), dofs))
    return np.concatenate(blocks)


def _jacobian(stance: Stance, points: Floats, dofs: Sequence[int]) -> Floats:
    """Return ``J``: a dof with twist S moves a point x with ``S_v + S_w x x`` (cross product)."""
    rows = np.zeros((len(points), 3, stance.model.nv))
    for dof in dofs:
        S = stance.tree.S[dof]
        rows[:, :, dof] = S[:3] + np.cross(S[3:], points)
    return rows.reshape(-1, stance.model.nv)


def ground_forces(stance: Stance, feet: Sequence[Foot]) -> Floats:
    """Return forces at the contact points that carry the base, world axes, shape (3 n,), [N].

    They solve ``J_b' f = h_b`` with f inside the friction pyramids (nonnegative least squares over
    the pyramids' edges), as evenly as possible. If no such forces balance the base, the smallest f
    that do are returned, in any direction.
    """
    J = contact_jacobian(stance, feet)[:, stance.base_dofs]
    h = stance.tree.h[stance.base_dofs]
    if not len(J):
        return np.zeros(0)
    edges = np.array([[FRICTION, 0, 1], [-FRICTION, 0, 1], [0, FRICTION, 1], [0, -FRICTION, 1]])
    span = np.kron(np.eye(len(J) // 3), edges.T)
    scale = float(np.linalg.norm(h)) or 1.0
    A = np.concatenate([J.T @ span, EVENNESS * np.eye(span.shape[1])])
    parts = nnls(A, np.concatenate([h / scale, np.zeros(span.shape[1])]))[0]
    forces = np.array(span @ parts * scale, float)
    if float(np.linalg.norm(J.T @ forces - h)) <= BALANCED * scale:
        # Evenness leaves a small residual; the smallest additional forces remove it.
        return np.array(forces + np.linalg.lstsq(J.T, h - J.T @ forces, rcond=None)[0], float)
    return np.array(np.linalg.lstsq(J.T, h, rcond=None)[0], float)


def holding_torques(
    stance: Stance,
    feet: Sequence[Foot],
    loops: Sequence[ModelCoupling] = (),
    springs: Floats | float = 0.0,
) -> Floats:
    """Return the joint torques that hold the posture against gravity, shape (joints,), [N m or N].

    ``tau = h_s - J_s' f - tau_s`` with ground forces f that carry the base, and spring torques
    tau_s. The torque of a following joint, times its ratio, acts at its leader (virtual work).

    Args:
        stance: the robot in its posture.
        feet: feet of the robot.
        loops: couplings of following joints.
        springs: shape (joints,), spring torques, [N m or N].
    """
    h = np.array(stance.tree.h)
    carried = contact_jacobian(stance, feet).T @ ground_forces(stance, feet)
    torques: Floats = (h - carried)[stance.first :] - springs
    for loop in loops:
        names = stance.model.joint_names
        if {loop.joint, loop.of} <= set(names):
            follower = names.index(loop.joint)
            torques[names.index(loop.of)] += loop.ratio * torques[follower]
            torques[follower] = 0.0
    return torques
