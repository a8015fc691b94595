"""The constants of a tree: for users of the tree, and for its kernels."""

from __future__ import annotations

import numpy as np

from footfall.api.advanced import Joint
from footfall.api.engine import ModelSource, TreeModel
from footfall.api.plugin import Floats
from footfall_featherstone.arrays import Constants
from footfall_featherstone.bodies import Bodies, Body

UPPER = (np.array([0, 0, 0, 1, 1, 2]), np.array([0, 1, 2, 1, 2, 2]))
"""Rows and columns of a symmetric matrix stored as six numbers."""


def tree_model(tree: Bodies, source: ModelSource) -> TreeModel:
    """Return the constants that all engines report."""
    joints = [body.joint for body in tree.bodies if body.joint is not None]
    n_base = 6 if source.base == "floating" else 0
    mass, com, inertia = _inertias(tree.bodies, moves=source.base == "floating")
    parents = [n_base + body.carrier - 1 for body in tree.bodies[1:]]
    return TreeModel(
        base=source.base,
        joint_names=tuple(joint.name for joint in joints),
        dof_parent=np.array([*range(-1, n_base - 1), *parents], dtype=np.int64),
        link_dof=np.arange(len(tree.bodies), dtype=np.int64) + n_base - 1,
        link_names=tuple(body.name for body in tree.bodies),
        link_mass=mass,
        link_com=com,
        link_inertia=inertia,
        position_lower=np.array([joint.limits.lower for joint in joints], dtype=float),
        position_upper=np.array([joint.limits.upper for joint in joints], dtype=float),
        velocity_limit=np.array([joint.limits.velocity for joint in joints], dtype=float),
        effort_limit=np.array([joint.limits.effort for joint in joints], dtype=float),
        damping=np.array([joint.damping for joint in joints], dtype=float),
        friction=np.array([joint.friction for joint in joints], dtype=float),
        armature=np.array([tree.armature.get(joint.name, 0.0) for joint in joints], dtype=float),
        frames=tree.frames,
    )


def _inertias(bodies: tuple[Body, ...], *, moves: bool) -> tuple[Floats, Floats, Floats]:
    """Return masses, centres of mass and inertias about them; zero for a fixed base."""
    mass, com = np.zeros(len(bodies)), np.zeros((len(bodies), 3))
    inertia = np.zeros((len(bodies), 3, 3))
    for i, body in enumerate(bodies):
        whole = body.inertial if i or moves else None
        if whole is not None:
            mass[i], com[i], inertia[i] = whole.mass, whole.com, whole.inertia
    return mass, com, inertia


def kernel_constants(tree: Bodies, model: TreeModel, gravity: Floats) -> Constants:
    """Return the constants that the kernels open.

    Args:
        tree: the bodies.
        model: the result of ``tree_model`` for them.
        gravity: shape (3,), [m/s^2], world axes.
    """
    moved = [(body, body.joint) for body in tree.bodies if body.joint is not None]
    turns = np.zeros((3, len(moved), 9))
    for i, (body, joint) in enumerate(moved):
        turns[:, i] = _turns(body.origin.rotation, joint)
    carried = model.link_mass.copy()
    for i in range(len(carried) - 1, 0, -1):
        carried[tree.bodies[i].carrier] += carried[i]
    axes = [body.origin.rotation @ joint.axis for body, joint in moved]
    return Constants(
        parent=np.array([body.carrier for body, _ in moved], dtype=np.int64),
        slides=np.array([joint.type == "prismatic" for _, joint in moved], dtype=np.int64),
        still=turns[0].copy(),
        sine=turns[1].copy(),
        cosine=turns[2].copy(),
        offset=np.array([body.origin.translation for body, _ in moved]).reshape(-1, 3),
        axis=np.array(axes).reshape(-1, 3),
        mass=model.link_mass,
        carried_mass=carried,
        com=model.link_com,
        inertia=np.ascontiguousarray(model.link_inertia[:, UPPER[0], UPPER[1]]),
        gravity=np.array(gravity, dtype=np.float64),
    )


def _turns(placed: Floats, joint: Joint) -> Floats:
    """Return a joint's rotation as ``still + sin q sine + cos q cosine``, shape (3, 9).

    Rodrigues' formula: ``R (1 + sin q [a] + (1 - cos q) [a]^2)`` with R the rotation at q = 0,
    written column by column.
    """
    if joint.type == "prismatic":
        return np.array([placed.T.ravel(), np.zeros(9), np.zeros(9)])
    x, y, z = joint.axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    # [a]^2 = a a' - 1, without the rounding of the axis' length in the sum at q = 0.
    along = np.outer(joint.axis, joint.axis)
    return np.array([(placed @ part).T.ravel() for part in (along, K, np.eye(3) - along)])
