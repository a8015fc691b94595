"""The engine ``mujoco``: loads trees and evaluates them with MuJoCo's routines."""

from __future__ import annotations

import mujoco
import numpy as np

from footfall.api.engine import Engine, ModelSource, Tree
from footfall.api.plugin import Capability, Floats, FootfallError
from footfall_mujoco_engine.constants import Compiled, compile_model
from footfall_mujoco_engine.specification import specify

if not hasattr(mujoco, "mj_makeM"):
    raise ImportError(
        f"MuJoCo {mujoco.__version__} is too old: pip uninstall mujoco, "
        f"then {FootfallError.pip('mujoco')}"
    )


class MuJoCo(Engine):
    """Kinematics and recursions of MuJoCo (Todorov, Erez and Tassa, IROS 2012)."""

    name = "mujoco"
    capabilities = Engine.BASES | {Capability.URDF, Capability.MJCF}

    def build(self, source: ModelSource) -> Tree:
        """Load one tree from the text of a URDF or an MJCF.

        Raises:
            RobotError: if the model cannot be read, or has joints other than hinges and slides;
                names the element.
        """
        return MuJoCoTree(compile_model(specify(source), source))


class MuJoCoTree(Tree):
    """One ``MjModel`` with its ``MjData``, copied to the tree's own arrays.

    MuJoCo has the base's linear velocity along the world's axes and its angular velocity along the
    base's axes: ``v_mujoco = T v`` with ``T = blockdiag(R, 1)``. Hence ``M = T' M_mujoco T`` and
    ``h = T' (h_mujoco + M_mujoco dT/dt v)``. ``dT/dt v = (R (w x v_linear), 0)`` is the rate of
    MuJoCo's velocity for a constant v. Locked joints are dofs at rest.
    """

    def __init__(self, compiled: Compiled) -> None:
        """Allocate every array once.

        Args:
            compiled: the model and the tree's constants.
        """
        self.model = tree = compiled.tree
        self._compiled, self._data = compiled, mujoco.MjData(compiled.model)
        self._floats = tree.base == "floating"
        n = compiled.model.nv
        self._inertia, self._bias = np.zeros((n, n)), np.zeros(n)
        self._dofs = compiled.dofs
        joints = compiled.model.dof_jntid[self._dofs[6 if self._floats else 0 :]]
        self._positions = compiled.model.jnt_qposadr[joints]
        self._roots = compiled.model.body_rootid[compiled.model.dof_bodyid[self._dofs]]
        self._data.qpos[:] = compiled.rest
        self.M, self.h = np.zeros((tree.nv, tree.nv)), np.zeros(tree.nv)
        self.S, self.pose = np.zeros((tree.nv, 6)), np.zeros((tree.n_links, 12))

    def evaluate(self, q: Floats, v: Floats) -> None:
        """Overwrite M, h, S and pose."""
        model, data = self._compiled.model, self._data
        if self._floats:
            data.qpos[:3], data.qpos[3], data.qpos[4:7] = q[:3], q[6], q[3:6]
        data.qpos[self._positions] = q[-len(self._positions) :] if len(self._positions) else 0.0
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_fullM(model, data, self._inertia)
        self.M[:] = self._inertia[np.ix_(self._dofs, self._dofs)]
        if self._floats:
            R = self._base_rotation()
            self.M[:3] = R.T @ self.M[:3]
            self.M[:, :3] = self.M[:, :3] @ R
        self._overwrite_kinematics()
        self.evaluate_bias(q, v)

    def evaluate_bias(self, q: Floats, v: Floats) -> None:
        """Overwrite h only, at the positions of the last ``evaluate``."""
        model, data = self._compiled.model, self._data
        data.qvel[self._dofs] = v
        if self._floats:
            data.qvel[:3] = self._base_rotation() @ v[:3]
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, 0, self._bias)
        self.h[:] = self._bias[self._dofs]
        if self._floats:
            self.h[:3] = self._base_rotation().T @ self.h[:3]
            self.h += self.M[:, :3] @ np.cross(v[3:6], v[:3])

    def _base_rotation(self) -> Floats:
        R: Floats = self._data.xmat[self._compiled.body[0]].reshape(3, 3)
        return R

    def _overwrite_kinematics(self) -> None:
        """Fill pose and S.

        ``cdof`` holds a dof's angular velocity w, and the linear velocity v of the point at the
        mass centre c of its tree. The velocity at the world's origin is ``v - w x c``.
        """
        data, body = self._data, self._compiled.body
        R = data.xmat[body].reshape(-1, 3, 3)
        self.pose[:, :9] = R.transpose(0, 2, 1).reshape(-1, 9)
        self.pose[:, 9:] = data.xpos[body] + np.einsum("nij,nj->ni", R, self._compiled.anchor)
        twist = data.cdof[self._dofs]
        self.S[:, 3:] = twist[:, :3]
        self.S[:, :3] = twist[:, 3:] - np.cross(twist[:, :3], data.subtree_com[self._roots])
        if self._floats:
            self.S[:3, :3] = self._base_rotation().T
