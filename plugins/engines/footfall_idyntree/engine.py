"""The engine ``idyntree``: loads trees and evaluates them with ``KinDynComputations``."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import idyntree.bindings as idyn
import numpy as np

from footfall.api.engine import Engine, ModelSource, Tree, TreeModel
from footfall.api.plugin import Capability, Floats, PluginError
from footfall_idyntree.constants import dof_twists, tree_model
from footfall_idyntree.parse import Parsed, load_model


class IDynTree(Engine):
    """iDynTree's KinDynComputations (Nori et al., Frontiers in Robotics and AI, 2015)."""

    name = "idyntree"
    capabilities = Engine.BASES | {Capability.URDF}

    def build(self, source: ModelSource) -> Tree:
        """Load one tree from a URDF's text.

        Raises:
            RobotError: if iDynTree cannot represent the model; names the joint or link.
        """
        parsed = load_model(source)
        return IDynTreeTree(parsed, tree_model(parsed, source), source.gravity)


class IDynTreeTree(Tree):
    """One ``KinDynComputations`` in the body-fixed velocity representation.

    Its base velocity, mass matrix and bias force are then the same as ours: linear then angular,
    in the base frame. The quaternion becomes a rotation. A fixed base is at the world's origin, and
    its six rows are dropped.
    """

    def __init__(self, parsed: Parsed, constants: TreeModel, gravity: Floats) -> None:
        """Allocate every iDynTree value once.

        Args:
            parsed: iDynTree's model and its indices in canonical order.
            constants: the result of ``tree_model`` for it.
            gravity: shape (3,), [m/s^2], world frame.
        """
        self.model = constants
        self._kindyn = idyn.KinDynComputations()
        self._kindyn.loadRobotModel(parsed.model)
        self._kindyn.setFrameVelocityRepresentation(idyn.BODY_FIXED_REPRESENTATION)
        self._kindyn.setFloatingBase(constants.link_names[0])
        self._allocate_inputs(len(constants.joint_names), gravity)
        self._allocate_outputs(parsed, constants)

    def _allocate_inputs(self, n_joints: int, gravity: Floats) -> None:
        self._base = idyn.Transform.Identity()
        self._twist = idyn.Twist.Zero()
        self._gravity = idyn.Vector3.FromPython(gravity)
        self._s, self._ds = idyn.VectorDynSize(n_joints), idyn.VectorDynSize(n_joints)
        self._s_view = _view(self._s, (n_joints,))
        self._ds_view = _view(self._ds, (n_joints,))

    def _allocate_outputs(self, parsed: Parsed, constants: TreeModel) -> None:
        nv, n_joints = constants.nv, len(constants.joint_names)
        self._floating = constants.base == "floating"
        self._inertia = idyn.MatrixDynSize(6 + n_joints, 6 + n_joints)
        self._inertia_view = _view(self._inertia, (6 + n_joints, 6 + n_joints))
        self._bias = np.zeros(6 + n_joints)
        self.M = self._inertia_view if self._floating else np.zeros((nv, nv))
        self.h = self._bias if self._floating else np.zeros(nv)
        self._link_names = idyn.StringVector(constants.link_names)
        self._dof_link, self._dof_twist = dof_twists(parsed, constants)
        self.S = np.zeros((nv, 6))
        self.pose = np.zeros((constants.n_links, 12))

    def evaluate(self, q: Floats, v: Floats) -> None:
        """Overwrite M, h, S and pose."""
        self.evaluate_bias(q, v)
        if not self._kindyn.getFreeFloatingMassMatrix(self._inertia):
            raise PluginError("iDynTree could not compute the mass matrix")
        if not self._floating:
            self.M[:] = self._inertia_view[6:, 6:]
        transforms = self._kindyn.getWorldTransformsAsHomogeneous(self._link_names)
        # The vector owns the values and must outlive the view.
        self._overwrite_kinematics(_view(transforms[0], (len(self.pose), 4, 4)))

    def evaluate_bias(self, q: Floats, v: Floats) -> None:
        """Overwrite h only."""
        if self._floating:
            self._set_base(q.tolist(), v)
            self._s_view[:], self._ds_view[:] = q[7:], v[6:]
        else:
            self._s_view[:], self._ds_view[:] = q, v
        self._kindyn.setRobotState(self._base, self._s, self._twist, self._ds, self._gravity)
        self._kindyn.generalizedBiasForces(self._bias)
        if not self._floating:
            self.h[:] = self._bias[6:]

    def _set_base(self, q: list[float], v: Floats) -> None:
        px, py, pz, x, y, z, w = q[:7]
        rotation = idyn.Rotation(
            *(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
            *(2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
            *(2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
        )
        self._base = idyn.Transform(rotation, idyn.Position(px, py, pz))
        self._twist = idyn.Twist.FromPython(v[:6])

    def _overwrite_kinematics(self, world: Floats) -> None:
        """Fill pose and S from world transforms, shape (n_links, 4, 4), of the links.

        A dof's twist at its link's origin is rotated to world axes and shifted to the world's
        origin: ``v = R v_link + p x w``, ``w = R w_link`` (Featherstone, RBDA, eq. 2.24).
        """
        self.pose.reshape(-1, 4, 3)[:] = world[:, :3].transpose(0, 2, 1)
        link = world[self._dof_link]
        turned = link[:, :3, :3] @ self._dof_twist
        (px, py, pz), (wx, wy, wz) = link[:, :3, 3].T, turned[:, :, 1].T
        self.S[:, :3] = turned[:, :, 0]
        self.S[:, 3:] = turned[:, :, 1]
        self.S[:, 0] += py * wz - pz * wy
        self.S[:, 1] += pz * wx - px * wz
        self.S[:, 2] += px * wy - py * wx


def _view(owner: Any, shape: tuple[int, ...]) -> Floats:
    """Return a row-major view of the doubles in an iDynTree value."""
    size = math.prod(shape)
    if size == 0:
        return np.zeros(shape)
    doubles = (ctypes.c_double * size).from_address(int(owner.data()))
    return np.frombuffer(memoryview(doubles), dtype=np.float64).reshape(shape)
