"""The check of a loaded tree's inertia, called by every engine: unphysical ones are refused."""

from __future__ import annotations

import numpy as np

from footfall.errors import RobotError
from footfall.interfaces.engine import Tree, TreeModel
from footfall.typing import Floats

SINGULAR = 1e-12
"""Smallest pivot of the joint-space inertia, relative to its own diagonal entry."""
ROUNDING = 1e-4
"""How far the triangle inequality may be missed, relative: files hold a few digits only."""


def require_sound(tree: Tree, file: str) -> None:
    """Check that a loaded tree is finite and that its joint-space inertia is positive definite.

    Links without mass are allowed as long as what they carry has inertia about every dof. M is
    looked at in a generic configuration: one that is singular there is singular everywhere.

    Args:
        tree: the tree; its arrays are overwritten.
        file: the model file, for messages.

    Raises:
        RobotError: names the first link or joint that is not sound.
    """
    model = tree.model
    for i, link in enumerate(model.link_names):
        reason = _unsound_link(model, i)
        if reason:
            raise RobotError(f'{file}: link "{link}": {reason}')
    tree.evaluate(_generic_configuration(model), np.zeros(model.nv))
    dof = _singular_dof(tree.M)
    if dof is not None:
        raise RobotError(
            f"{file}: the inertia moved by {_dof_name(model, dof)} is zero or negative: give mass "
            "and inertia to the links that it moves"
        )


def _unsound_link(model: TreeModel, i: int) -> str:
    mass, inertia = float(model.link_mass[i]), model.link_inertia[i]
    if not (np.isfinite(mass) and np.isfinite(model.link_com[i]).all()):
        return "a mass or centre of mass is not finite"
    if not np.isfinite(inertia).all():
        return "an inertia is not finite"
    if mass < 0.0:
        return f"mass {mass:g} kg, must not be negative"
    moments = np.linalg.eigvalsh(inertia)
    shown = ", ".join(f"{moment:.4g}" for moment in moments)
    if moments[0] < -SINGULAR * np.abs(moments).max():
        return f"inertia is not positive: principal moments {shown} kg m^2"
    if moments[2] > (moments[0] + moments[1]) * (1.0 + ROUNDING):
        return f"inertia violates the triangle inequality: principal moments {shown} kg m^2"
    return ""


def _generic_configuration(model: TreeModel) -> Floats:
    """Return a configuration without special symmetry: joint i at 0.3 sin(i) from its middle."""
    n = len(model.joint_names)
    lower, upper = model.position_lower, model.position_upper
    bounded = np.isfinite(lower) & np.isfinite(upper)
    middle = np.where(
        bounded, 0.5 * (np.where(bounded, lower, 0.0) + np.where(bounded, upper, 0.0)), 0.0
    )
    base = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0] if model.base == "floating" else []
    return np.concatenate([base, middle + 0.3 * np.sin(1.0 + np.arange(n))])


def _singular_dof(M: Floats) -> int | None:
    """Return the dof with the smallest relative pivot of ``M = L' D L`` if it is not positive."""
    A = M.copy()
    pivots = np.ones(len(A))
    for k in range(len(A) - 1, -1, -1):
        diagonal = M[k, k]
        pivots[k] = A[k, k] / diagonal if diagonal > 0.0 else 0.0
        if not pivots[k] > SINGULAR:
            return k
        A[:k, :k] -= np.outer(A[k, :k], A[k, :k]) / A[k, k]
    return None


def _dof_name(model: TreeModel, dof: int) -> str:
    n_base = model.nv - len(model.joint_names)
    return "the base" if dof < n_base else f'joint "{model.joint_names[dof - n_base]}"'
