"""MuJoCo's ``body_invweight0`` of the links with contacts."""

from __future__ import annotations

import numpy as np

from footfall.api.plugin import Floats, SimulationError
from footfall_stepper.api import Body, StepperSimulator


def inverse_weights(sim: StepperSimulator) -> dict[str, float]:
    """Return the inverse weight of each declared contact for ``mujoco_soft``, [1/kg].

    ``tr(J M^-1 J') / 3`` with J the translation of the link's mass centre, at zero positions of all
    joints, M with armature. It equals MuJoCo's ``body_invweight0[link, 0]`` for a model with these
    positions as ``qpos0``. It is 0 for links that cannot move.

    Args:
        sim: a simulator; it is not changed.

    Raises:
        SimulationError: if ``sim`` is not a simulator.
    """
    if not hasattr(sim, "world"):
        raise SimulationError(f"inverse_weights needs a simulator (footfall.load), got {sim!r}")
    weights = {}
    for body in sim.world.bodies:
        of_links = _of_links(body)
        for feature in body.features:
            weights[f"{body.name}/{feature.name}"] = of_links[feature.link]
    return weights


def _of_links(body: Body) -> Floats:
    """Return the inverse weight of each link, shape (links,), 0 for links that cannot move."""
    model, tree = body.model, body.tree
    if tree is None:
        return 1.0 / np.asarray(model.link_mass)
    q = np.zeros(model.nq)
    if model.base == "floating":
        q[6] = 1.0
    tree.evaluate(q, np.zeros(model.nv))
    inertia, S, pose = tree.M.copy(), tree.S.copy(), tree.pose.copy()
    first = model.nv - len(model.joint_names)
    for joint, armature in enumerate(body.armature):
        inertia[first + joint, first + joint] += armature
    for c in body.couplings:
        inertia[first + c.row, first + c.column] += c.inertia
        inertia[first + c.column, first + c.row] += c.inertia
    weights = np.zeros(model.n_links)
    for link in range(model.n_links):
        R, origin = pose[link, :9].reshape(3, 3).T, pose[link, 9:]
        center, J = origin + R @ model.link_com[link], np.zeros((3, model.nv))
        dof = model.link_dof[link]
        while dof >= 0:
            J[:, dof] = S[dof, :3] + np.cross(S[dof, 3:], center)
            dof = model.dof_parent[dof]
        weights[link] = np.trace(J @ np.linalg.solve(inertia, J.T)) / 3.0
    return weights
