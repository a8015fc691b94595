"""Torques that hold a posture, and the forces of the ground that go with them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import nnls

from footfall.api.formats import ModelCoupling
from footfall.api.plugin import Floats
from footfall_import.feet import Foot
from footfall_import.stance import Stance

FRICTION = 0.5
"""Forces of the ground stay inside this cone; the ground of the proposed scene has 0.6, [-]."""
EVENNESS = 1e-6
"""Weight of the forces' size beside the balance of the base, which spreads them, [-]."""
BALANCED = 1e-4
"""Largest part of the weight that such forces may fail to carry, [-]."""


def contact_jacobian(stance: Stance, feet: Sequence[Foot]) -> Floats:
    """Return the Jacobian of what touches the ground, world axes, shape (3 n, nv)."""
    blocks = [np.zeros((0, stance.model.nv))]
    for foot in feet:
        points = [sole.touching(stance.frame(sole.link)) for sole in foot.soles]
        dofs = [*range(stance.first), *(stance.first + k for k in stance.path(foot.link))]
        blocks.append(_jacobian(stance, np.concatenate(points), dofs))
    return np.concatenate(blocks)


def _jacobian(stance: Stance, points: Floats, dofs: Sequence[int]) -> Floats:
    """Return ``J``: a dof of twist S moves a point x by ``S_v + S_w x``."""
    rows = np.zeros((len(points), 3, stance.model.nv))
    for dof in dofs:
        S = stance.tree.S[dof]
        rows[:, :, dof] = S[:3] + np.cross(S[3:], points)
    return rows.reshape(-1, stance.model.nv)


def ground_forces(stance: Stance, feet: Sequence[Foot]) -> Floats:
    """Return forces at what touches that carry the base, world axes, shape (3 n,), [N].

    ``J_b' f = h_b`` with f inside the friction pyramids (nonnegative least squares over their
    edges), as even as that allows. Where no such forces balance the base, the smallest f that do,
    whatever their directions.
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
        # The evenness leaves a small rest, which the smallest further forces take.
        return np.array(forces + np.linalg.lstsq(J.T, h - J.T @ forces, rcond=None)[0], float)
    return np.array(np.linalg.lstsq(J.T, h, rcond=None)[0], float)


def holding_torques(
    stance: Stance,
    feet: Sequence[Foot],
    loops: Sequence[ModelCoupling] = (),
    springs: Floats | float = 0.0,
) -> Floats:
    """Return the joint torques that hold the stance's posture against gravity, (joints,), [N m, N].

    ``tau = h_s - J_s' f - tau_s`` with forces f at the feet that carry the base and torques tau_s
    of springs. The torque of a joint that follows another acts there, times its ratio (virtual
    work).

    Args:
        stance: the robot in its posture.
        feet: what it stands on.
        loops: joints that follow others.
        springs: shape (joints,), what springs give, [N m or N].
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
