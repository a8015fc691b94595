"""Proposed gains of a posture controller, from masses, inertias and the torques that hold it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from footfall.api.plugin import Floats
from footfall_import.feet import Foot
from footfall_import.stance import Stance

SAG = 0.005
"""Deflection under the greatest weight that a joint can have to hold, [rad]."""
SLIDE = 0.001
"""The same of a prismatic joint, [m]."""
FREQUENCY = 30.0
"""Least natural frequency of a joint on its spring, [rad/s]."""
GRAVITY = 9.81
"""[m/s^2]"""


def propose_gains(
    stance: Stance, feet: Sequence[Foot], prismatic: Collection[str], rotors: Floats
) -> tuple[Floats, Floats]:
    """Return stiffness and damping of each joint, shape (joints,) each.

    ``K = max(m g r / SAG, I FREQUENCY^2)`` and ``D = 2 sqrt(K I)`` (critical damping), with m, r, I
    the mass that the joint moves, the distance of its centre of mass from the joint's axis and its
    inertia about that axis (rotor included). Between the base and a foot that is the part of the
    robot on the other side, if that is heavier to hold: the foot stands, and the robot moves.
    A prismatic joint has ``K = max(m g / SLIDE, m FREQUENCY^2)``.

    Args:
        stance: the robot in its posture.
        feet: what it stands on.
        prismatic: names of the prismatic joints.
        rotors: shape (joints,), reflected inertia, [kg m^2 or kg].
    """
    legs = {joint for foot in feet for joint in stance.path(foot.link)}
    pairs = []
    for k, name in enumerate(stance.model.joint_names):
        weight, inertia = _load(stance, k, k in legs, name in prismatic)
        inertia += rotors[k]
        sag = SLIDE if name in prismatic else SAG
        stiffness = max(weight / sag, inertia * FREQUENCY**2)
        pairs.append((stiffness, 2.0 * np.sqrt(stiffness * inertia)))
    both = np.array(pairs).reshape(-1, 2)
    return two_digits(both[:, 0]), two_digits(both[:, 1])


def two_digits(values: Floats) -> Floats:
    """Return numbers rounded to two significant digits."""
    return np.array([float(f"{value:.2g}") for value in values])


def _load(stance: Stance, k: int, in_leg: bool, slides: bool) -> tuple[float, float]:
    """Return the greatest weight [N m or N] and the inertia [kg m^2 or kg] on joint k."""
    dof = stance.first + k
    mass, com = stance.moved_by(k + 1)
    inertia = float(stance.tree.M[dof, dof])
    weight = mass * GRAVITY * (1.0 if slides else _distance(stance, dof, com))
    if not in_leg:
        return weight, inertia
    total, com_of_all = stance.moved_by(0)
    rest = total - mass
    if rest > 0.0:
        com_of_rest = (total * com_of_all - mass * com) / rest
        other = rest * GRAVITY * (1.0 if slides else _distance(stance, dof, com_of_rest))
        weight = max(weight, other)
        inertia = max(inertia, _inertia_of_all(stance, dof) - inertia)
    return weight, inertia


def _distance(stance: Stance, dof: int, point: Floats) -> float:
    """Return the distance of a point from a revolute joint's axis, [m]."""
    moved = stance.tree.S[dof, :3] + np.cross(stance.tree.S[dof, 3:], point)
    return float(np.linalg.norm(moved))


def _inertia_of_all(stance: Stance, dof: int) -> float:
    """Return the inertia of the whole robot about a joint's axis, [kg m^2 or kg].

    The joint's twist as one of the base, x: ``S_base' x = S_joint``; then ``x' M_base x``.
    """
    x = np.linalg.solve(stance.tree.S[:6].T, stance.tree.S[dof])
    return float(x @ stance.tree.M[:6, :6] @ x)


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
