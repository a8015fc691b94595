"""Quantities that Footfall and MuJoCo compute with, in Footfall's order and axes.

MuJoCo's linear base velocity is in the world's axes, Footfall's in those of the base. With
``T = blockdiag(R, 1)`` MuJoCo's inertia and bias force become ``T' M T`` and ``T' c``. Both bias
forces are for accelerations of the mixed velocity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from footfall.api.plugin import Floats, Ints
from footfall_stepper.api import StepperSimulator


@dataclass(frozen=True, slots=True)
class Facts:
    """Quantities of a simulator at a state, in Footfall's order.

    Attributes:
        mass: shape (links,), [kg]; com: shape (links, 3), link axes, [m]; inertia: shape
            (links, 3, 3), about the centre of mass, link axes, [kg m^2].
        axes: shape (nv, 3), axes of the joints in their links' axes, zero for bases.
        pose: shape (links, 12), rotation by rows, origin [m], world frame.
        twist: shape (links, 6), linear velocity of the link's origin [m/s] and angular velocity
            [rad/s], world frame.
        armature, damping, friction: shape (nv,), of the joints; damping includes gains.
        limits: shape (nv, 2), [rad or m], infinite without limits.
        M: shape (nv, nv), with armature; h: shape (nv,).
        force: shape (nv,), explicit part of the forces of drives and pushes, [N m or N].
    """

    mass: Floats
    com: Floats
    inertia: Floats
    axes: Floats
    pose: Floats
    twist: Floats
    armature: Floats
    damping: Floats
    friction: Floats
    limits: Floats
    M: Floats
    h: Floats
    force: Floats

    def of(self, links: Ints, dofs: Ints) -> Facts:
        """Return the quantities of some links and dofs."""
        rows = {name: getattr(self, name)[links] for name in OF_LINKS}
        rows |= {name: getattr(self, name)[dofs] for name in OF_DOFS}
        return Facts(**rows, M=self.M[np.ix_(dofs, dofs)])


OF_LINKS = "mass", "com", "inertia", "pose", "twist"
OF_DOFS = "axes", "armature", "damping", "friction", "limits", "h", "force"


def own_facts(sim: StepperSimulator, q: Floats, v: Floats) -> Facts:
    """Return the quantities at the start of Footfall's step, at q and v."""
    world = sim.world
    topology, joints, dynamics = world.topology, world.joints, world.dynamics
    pose, twist = dynamics.pose, np.zeros((world.n_links, 6))
    for link in range(world.n_links):
        first = int(topology.tree_v[topology.link_tree[link]])
        chain = topology.chain[topology.chain_start[link] : topology.chain_start[link + 1]] + first
        twist[link] = dynamics.S[chain].T @ v[chain]
        twist[link, :3] += np.cross(twist[link, 3:], pose[link, 9:])
    limits = np.tile([-np.inf, np.inf], (world.nv, 1))
    friction = np.zeros(world.nv)
    for index, body in enumerate(world.bodies):
        joints_of = world.joint_slice(index)
        if len(body.position_limits):
            limits[joints_of] = body.position_limits
        if len(body.joint_friction):
            friction[joints_of] = body.joint_friction
    M = np.zeros((world.nv, world.nv))
    for tree, first in enumerate(topology.tree_v[:-1].tolist()):
        n = int(topology.tree_v[tree + 1] - first)
        block = dynamics.M[topology.tree_M[tree] : topology.tree_M[tree] + n * n]
        M[first : first + n, first : first + n] = block.reshape(n, n)
    rows = pose[:, :9].reshape(-1, 3, 3).transpose(0, 2, 1).reshape(-1, 9)
    axes = np.zeros((world.nv, 3))
    for index in range(len(world.bodies)):
        for k, dof in enumerate(range(*world.joint_slice(index).indices(world.nv))):
            R = pose[topology.tree_link[index] + k + 1, :9].reshape(3, 3)  # its transpose
            S = dynamics.S[dof]
            axes[dof] = R @ (S[3:] if S[3:].any() else S[:3])
    at = np.flatnonzero(topology.dof_q >= 0)
    force = joints.tau + joints.external
    force[at] += joints.rate_gain[at] * joints.target_rate[at]
    force[at] -= joints.stiffness[at] * (q[topology.dof_q[at]] - joints.target[at])
    return Facts(
        mass=topology.mass.copy(),
        com=topology.com.copy(),
        inertia=topology.inertia.copy(),
        axes=axes,
        pose=np.hstack([rows, pose[:, 9:]]),
        twist=twist,
        armature=joints.armature.copy(),
        damping=joints.damping + joints.rate_gain + sim.time_step * joints.stiffness,
        friction=friction,
        limits=limits,
        M=M,
        h=_bias(sim, v),
        force=force,
    )


def _bias(sim: StepperSimulator, v: Floats) -> Floats:
    """Return the bias force; for free bodies all of it, as the step keeps only a part."""
    world, h = sim.world, sim.world.dynamics.h.copy()
    topology = world.topology
    for tree in np.flatnonzero(topology.free).tolist():
        i, link = int(topology.tree_v[tree]), int(topology.tree_link[tree])
        R = world.dynamics.pose[link, :9].reshape(3, 3)  # its transpose: columns are rows
        w, c, m = v[i + 3 : i + 6], topology.com[link], topology.mass[link]
        h[i : i + 3] = m * (np.cross(w, np.cross(w, c)) - R @ topology.gravity)
        h[i + 3 : i + 6] = np.cross(c, h[i : i + 3]) + np.cross(w, topology.inertia[link] @ w)
    return h


def mujoco_facts(model: Any, data: Any, links: list[int], dofs: Any, floats: Any) -> Facts:
    """Return the quantities at the start of ``mj_step``.

    Args:
        model: MuJoCo's model.
        data: MuJoCo's data after a step.
        links: MuJoCo's body of each link of Footfall; bodies welded to it are merged.
        dofs: shape (nv,), Footfall's dof of each dof of MuJoCo.
        floats: Footfall's first dof of each floating base.
    """
    n = len(dofs)
    place = np.argsort(dofs)
    M, T = np.zeros((n, n)), np.eye(n)
    for k, unit in enumerate(np.eye(n)):
        column = np.zeros(n)
        mujoco.mj_mulM(model, data, column, unit)
        M[:, k] = column
    M, h = M[np.ix_(place, place)], data.qfrc_bias[place]
    force = data.qfrc_applied[place]
    for first in floats:
        joint = int(model.dof_jntid[place[first]])
        body = int(model.jnt_bodyid[joint])
        T[first : first + 3, first : first + 3] = data.xmat[body].reshape(3, 3)
    axes = np.zeros((n, 3))
    one_dof = model.jnt_type >= int(mujoco.mjtJoint.mjJNT_SLIDE)
    axes[dofs[model.jnt_dofadr[one_dof]]] = model.jnt_axis[one_dof]
    merged = [_merged(model, data, body) for body in links]
    limits = np.tile([-np.inf, np.inf], (n, 1))
    for joint in np.flatnonzero(model.jnt_limited).tolist():
        limits[dofs[model.jnt_dofadr[joint]]] = model.jnt_range[joint]
    limits[abs(limits) >= FAR] = np.sign(limits[abs(limits) >= FAR]) * np.inf
    return Facts(
        mass=np.array([m for m, _, _ in merged]),
        com=np.array([c for _, c, _ in merged]).reshape(-1, 3),
        inertia=np.array([inertia for *_, inertia in merged]).reshape(-1, 3, 3),
        axes=axes,
        pose=np.hstack([data.xmat[links], data.xpos[links]]),
        twist=np.array([_velocity(model, data, body) for body in links]).reshape(-1, 6),
        armature=model.dof_armature[place],
        damping=model.dof_damping[place],
        friction=model.dof_frictionloss[place],
        limits=limits,
        M=T.T @ M @ T,
        h=T.T @ h,
        force=T.T @ force,
    )


FAR = 1e6
"""Size from which a limit counts as infinite, [rad or m]."""


def _merged(model: Any, data: Any, body: int) -> tuple[float, Floats, Floats]:
    """Return mass, centre and inertia of a body and bodies welded to it, in its own axes.

    A body welded to the world is not merged.
    """
    alike = np.flatnonzero(model.body_weldid == model.body_weldid[body])
    alike = alike if model.body_weldid[body] else np.array([body])
    mass = model.body_mass[alike]
    total, R = float(mass.sum()), data.xmat[body].reshape(3, 3)
    if total == 0.0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    centre = mass @ data.xipos[alike] / total
    inertia = np.zeros((3, 3))
    for k, m in zip(alike, mass, strict=True):
        axes, d = data.ximat[k].reshape(3, 3), data.xipos[k] - centre
        inertia += axes @ np.diag(model.body_inertia[k]) @ axes.T
        inertia += m * (d @ d * np.eye(3) - np.outer(d, d))
    offset: Floats = R.T @ (centre - data.xpos[body])
    return total, offset, R.T @ inertia @ R


def _velocity(model: Any, data: Any, body: int) -> Floats:
    found = np.zeros(6)
    kind = mujoco.mjtObj.mjOBJ_XBODY
    mujoco.mj_objectVelocity(model, data, kind, body, found, 0)
    return np.roll(found, 3)
