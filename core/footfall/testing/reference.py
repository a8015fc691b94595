"""Dynamics of a linkage in plain numpy: an independent reference for engines.

World-frame twists at the world origin. ``M = sum_i J_i' I_i J_i`` over the links, and the bias
force by d'Alembert's principle: ``h = sum_i J_i' (rate of momentum of link i - its weight)`` with
``vdot`` zero. Axes move with their carrier, ``dS/dt = V x S`` (Featherstone, Rigid Body
Dynamics Algorithms (2008), section 2.9). Link by link, without an engine's recursion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.interfaces.engine import BaseKind
from footfall.testing.linkage import Linkage, Member
from footfall.typing import Floats


@dataclass(frozen=True, slots=True)
class Reference:
    """The required outputs of an engine; see ``footfall.interfaces.engine.Tree``.

    Attributes:
        M: shape (nv, nv).
        h: shape (nv,).
        S: shape (nv, 6).
        pose: shape (n_links, 12).
    """

    M: Floats
    h: Floats
    S: Floats
    pose: Floats


@dataclass(frozen=True, slots=True)
class _Carried:
    """A placed link: rotation, origin, the dofs that move it, number of base dofs."""

    member: Member
    R: Floats
    p: Floats
    dofs: tuple[int, ...]
    base: int


def reference(linkage: Linkage, base: BaseKind, q: Floats, v: Floats, gravity: Floats) -> Reference:
    """Evaluate a linkage.

    Args:
        linkage: the linkage.
        base: kind of its base.
        q: shape (nq,), positions.
        v: shape (nv,), velocities.
        gravity: shape (3,), [m/s^2].
    """
    S = np.zeros((len(v), 6))
    links = _place(linkage, base, q, S)
    M, h = np.zeros((len(v), len(v))), np.zeros(len(v))
    for link in links:
        J, c, m = _jacobian(link, S), link.p + link.R @ link.member.com, link.member.mass
        I = link.R @ link.member.inertia @ link.R.T  # noqa: E741 - the field's letter
        linear, angular = _at(J, c), J[3:]
        M += m * linear.T @ linear + angular.T @ I @ angular
        V, A = J @ v, _bias_acceleration(link, S, v)
        omega = V[3:]
        acceleration = _at(A, c) + np.cross(omega, _at(V, c))
        h += linear.T @ (m * (acceleration - gravity))
        h += angular.T @ (I @ A[3:] + np.cross(omega, I @ omega))
    moving = [link for link in links if link.member.moves or link.member.kind == "root"]
    pose = np.array([np.concatenate([link.R.T.ravel(), link.p]) for link in moving])
    return Reference(M, h, S, pose)


def _place(linkage: Linkage, base: BaseKind, q: Floats, S: Floats) -> list[_Carried]:
    """Place every link, and write the world-frame twist of every dof to S."""
    floating = base == "floating"
    R = Rotation.from_quat(q[3:7]).as_matrix() if floating else np.eye(3)
    p = q[:3] if floating else np.zeros(3)
    dof, coordinate = (6, 7) if floating else (0, 0)
    for k in range(dof // 2):
        S[k, :3] = S[3 + k, 3:] = R[:, k]
        S[3 + k, :3] = np.cross(p, R[:, k])
    links = [_Carried(linkage[0], R, p, tuple(range(dof)), dof)]
    for member in linkage[1:]:
        parent = links[member.parent]
        R = parent.R @ Rotation.from_euler("xyz", member.rpy).as_matrix()
        p, dofs = parent.p + parent.R @ member.xyz, parent.dofs
        if member.moves:
            axis = R @ member.axis
            if member.kind == "prismatic":
                p = p + q[coordinate] * axis
                S[dof, :3] = axis
            else:
                R = R @ Rotation.from_rotvec(q[coordinate] * member.axis).as_matrix()
                S[dof] = np.concatenate([np.cross(p, axis), axis])
            dofs, dof, coordinate = (*dofs, dof), dof + 1, coordinate + 1
        links.append(_Carried(member, R, p, dofs, links[0].base))
    return links


def _jacobian(link: _Carried, S: Floats) -> Floats:
    """Return the twist of a link for unit velocities, shape (6, nv)."""
    J = np.zeros((6, len(S)))
    J[:, list(link.dofs)] = S[list(link.dofs)].T
    return J


def _at(twist: Floats, c: Floats) -> Floats:
    """Return the linear part at the world point c of twists, shape (6,) or (6, nv)."""
    return np.asarray(twist[:3] + np.cross(twist[3:], c, axisa=0, axisb=0, axisc=0))


def _bias_acceleration(link: _Carried, S: Floats, v: Floats) -> Floats:
    """Return the spatial acceleration of a link for ``vdot`` zero, shape (6,).

    The axis of a joint moves with the twist V before it: ``dS/dt = V x S``. The six axes of a base
    move with the base itself, and ``V x V = 0``.
    """
    A, V = np.zeros(6), S[: link.base].T @ v[: link.base]
    for k in link.dofs[link.base :]:
        A += v[k] * _cross(V, S[k])
        V = V + v[k] * S[k]
    return A


def _cross(V: Floats, S: Floats) -> Floats:
    """Return the rate of a motion vector that moves with the twist V, shape (6,)."""
    linear = np.cross(V[3:], S[:3]) + np.cross(V[:3], S[3:])
    return np.concatenate([linear, np.cross(V[3:], S[3:])])
