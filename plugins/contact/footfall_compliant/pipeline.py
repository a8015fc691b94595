"""From point forces to the motion of a robot: spatial forces, their sum, accelerations."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from footfall.api.engine import Tree
from footfall.api.plugin import Floats


def spatial_forces(p: npt.ArrayLike, f: npt.ArrayLike) -> Floats:
    """Return point forces as spatial or planar forces at the fixed origin.

    In space ``(p x f, f)``; in a plane ``(p_x f_y - p_y f_x, f_x, f_y)``: the moment about the
    origin [N m], then the force [N].

    Args:
        p: shape (3, np) or (2, np), where the forces act, [m].
        f: shape of p, [N].

    Returns:
        Shape (6, np) or (3, np).

    Raises:
        ValueError: if the shapes do not fit.
    """
    p, f = np.asarray(p, np.float64), np.asarray(f, np.float64)
    if p.ndim != 2 or p.shape[0] not in (2, 3) or f.shape != p.shape:
        raise ValueError(f"p has shape {p.shape}, f {f.shape}: expected (3, np) or (2, np) twice")
    if p.shape[0] == 2:
        return np.vstack([p[0] * f[1] - p[1] * f[0], f])
    return np.vstack([np.cross(p, f, axis=0), f])


def sum_by_body(forces: npt.ArrayLike, body: npt.ArrayLike, bodies: int) -> Floats:
    """Return the sum of the spatial or planar forces on each body.

    Args:
        forces: shape (6, np) or (3, np), see ``spatial_forces``.
        body: shape (np,), the body of each force, from 0, in any order.
        bodies: number of bodies.

    Returns:
        Shape (bodies, 6) or (bodies, 3); zero for bodies without forces.

    Raises:
        ValueError: if shapes do not fit or there is no such body.
    """
    forces, at = np.asarray(forces, np.float64), np.asarray(body, np.int64)
    if forces.ndim != 2 or at.shape != (forces.shape[1],):
        raise ValueError(f"body has shape {at.shape}, forces {forces.shape}: one body per column")
    if len(at) and not 0 <= at.min() <= at.max() < bodies:
        raise ValueError(f"bodies are 0 to {bodies - 1}, got {at.min()} to {at.max()}")
    total = np.zeros((bodies, forces.shape[0]))
    np.add.at(total, at, forces.T)
    return total


def in_vertical_plane(planar: npt.ArrayLike) -> Floats:
    """Return planar forces as spatial ones; the plane's x and y are the world's x and z.

    The plane's angles go from x to z, a rotation about -y.

    Args:
        planar: shape (bodies, 3), moment about the origin [N m], force [N].

    Returns:
        Shape (bodies, 6).
    """
    planar = np.asarray(planar, np.float64)
    spatial = np.zeros((len(planar), 6))
    spatial[:, 1], spatial[:, 3], spatial[:, 5] = -planar[:, 0], planar[:, 1], planar[:, 2]
    return spatial


def forward_dynamics(
    tree: Tree, q: Floats, v: Floats, tau: npt.ArrayLike, wrenches: npt.ArrayLike
) -> Floats:
    """Return the acceleration of a tree under joint forces and spatial forces on its links.

    ``a = M^-1 (tau - h + sum over the links of J_link' w)``; with ``J_link`` the twists S of the
    dofs that move the link, ``S_k . w`` is the power of w at unit velocity of dof k.

    Args:
        tree: tree of an engine; this call evaluates it.
        q: shape (nq,), positions.
        v: shape (nv,), velocities.
        tau: shape (nv,), generalized forces, [N m or N]; in the base frame at a floating base.
        wrenches: shape (n_links, 6), moment about the world's origin [N m] and force [N] on each
            link, world axes; see ``sum_by_body``.

    Returns:
        Shape (nv,), the rate of v, [rad/s^2 or m/s^2]. For a floating base this is its spatial
        acceleration in its own frame: ``S[:6].T @ a[:6]`` is the same at the world's origin.
    """
    tree.evaluate(np.asarray(q, np.float64), np.asarray(v, np.float64))
    model, wrenches = tree.model, np.asarray(wrenches, np.float64)
    carried = np.zeros((model.nv, 6))
    for link, dof in enumerate(model.link_dof):
        if dof >= 0:
            carried[dof] += wrenches[link]
    for dof in range(model.nv - 1, -1, -1):  # a dof moves all links that its children move
        if model.dof_parent[dof] >= 0:
            carried[model.dof_parent[dof]] += carried[dof]
    push = np.einsum("ki,ki->k", tree.S[:, :3], carried[:, 3:])
    push += np.einsum("ki,ki->k", tree.S[:, 3:], carried[:, :3])
    acceleration: Floats = np.linalg.solve(tree.M, np.asarray(tau, np.float64) - tree.h + push)
    return acceleration
