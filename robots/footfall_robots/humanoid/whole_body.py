"""The humanoid's postures and inverse dynamics, from Pinocchio."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pinocchio as pin

from footfall.config.fields import values_by_name
from footfall.model.robot import load_robot

Floats = npt.NDArray[np.float64]
REACH = 0.05
"""Of a foot: what a moment counts against a force where two feet share a load, [m]."""


@dataclass
class Humanoid:
    """The robot: trunk upright, arms as told, legs such that feet and centre of mass fit.

    Attributes:
        model: Pinocchio's, with a floating base.
        data: of the last evaluation.
        start: shape (nq,), the starting posture.
        legs: velocity indices of the legs' 12 joints.
        soles: frames of the soles, left and right.
        shoulders: position indices of the shoulders' pitch, left and right.
    """

    model: Any
    data: Any
    start: Floats
    legs: list[int] = field(init=False)
    soles: list[int] = field(init=False)
    shoulders: list[int] = field(init=False)

    def __post_init__(self) -> None:
        names, joints = list(self.model.names), self.model.joints
        parts = ("hip", "knee", "ankle")
        of_legs = [i for i, name in enumerate(names) if any(part in name for part in parts)]
        self.legs = [joints[i].idx_v for i in of_legs]
        self.soles = [self.model.getFrameId(f"{side}_sole") for side in "lr"]
        self.shoulders = [joints[names.index(f"{s}_shoulder_pitch")].idx_q for s in "lr"]

    @classmethod
    def load(cls) -> Humanoid:
        """Load the bundled robot in its starting posture."""
        robot = load_robot("humanoid")
        model = pin.buildModelFromUrdf(str(robot.model.path), pin.JointModelFreeFlyer())
        names = list(model.names)[2:]
        q = pin.neutral(model)
        q[:3] = robot.spec.base_position
        for name, angle in values_by_name(robot.spec.posture, names, str(robot.file)).items():
            q[model.joints[model.getJointId(name)].idx_q] = angle
        return cls(model, model.createData(), q)

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints, in the order of q[7:]."""
        return list(self.model.names)[2:]

    def com(self, q: Floats) -> Floats:
        """Return the centre of mass, (3,), [m]."""
        return np.array(pin.centerOfMass(self.model, self.data, q))

    def sole_positions(self, q: Floats) -> Floats:
        """Return where the soles are, (2, 3), [m]."""
        pin.framesForwardKinematics(self.model, self.data, q)
        return np.array([self.data.oMf[frame].translation for frame in self.soles])

    def with_feet(self, q: Floats, com: Floats, soles: Floats) -> Floats:
        """Return a posture near q with centre of mass and soles where they shall be.

        Newton's method on 15 equations (centre of mass; poses of the soles, level and straight) for
        15 unknowns (position of the base, joints of the legs).

        Args:
            q: shape (nq,), where to start.
            com: shape (3,), [m].
            soles: shape (2, 3), [m].

        Raises:
            ValueError: if the feet do not reach.
        """
        model, data, free = self.model, self.data, [0, 1, 2, *self.legs]
        for _ in range(30):
            rows = [pin.jacobianCenterOfMass(model, data, q)]
            errors = [com - data.com[0]]
            pin.computeJointJacobians(model, data, q)
            pin.updateFramePlacements(model, data)
            for frame, goal in zip(self.soles, soles, strict=True):
                pose = data.oMf[frame]
                rows.append(pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED))
                errors += [goal - pose.translation, -pin.log3(pose.rotation)]
            error = np.concatenate(errors)
            if np.abs(error).max() < 1e-11:
                return q
            step = np.zeros(model.nv)
            step[free] = np.linalg.solve(np.vstack(rows)[:, free], error)
            q = pin.integrate(model, q, step)
        raise ValueError(f"the feet do not reach: centre of mass at {com}, soles at {soles}")

    def ground_wrench(self, q: Floats, v: Floats, a: Floats) -> Floats:
        """Return the ground's force and its moment about the world's origin, (6,), [N, N m]."""
        pin.rnea(self.model, self.data, q, v, a)
        base = self.data.liMi[1].act(self.data.f[1])
        return np.concatenate([base.linear, base.angular])

    def torques(self, q: Floats, v: Floats, a: Floats, load: float) -> Floats:
        """Return the joint torques of a motion, (nv - 6,), [N m].

        The ground's wrench is shared by the soles: of all shares, those smallest in the sum of
        ``(force^2 + moment^2 / REACH^2) / part``.

        Args:
            q: shape (nq,).
            v: shape (nv,).
            a: shape (nv,).
            load: the left foot's part, 0 to 1.
        """
        model, data = self.model, self.data
        tau = pin.rnea(model, data, q, v, a) + model.damping * v
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        soles = [
            pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
            for frame in self.soles
        ]
        J = np.vstack(soles)
        weight = np.kron([load, 1.0 - load], [1.0, 1.0, 1.0, *3 * [REACH**2]])
        A = J[:, :6].T
        wrench = weight * (A.T @ np.linalg.solve(A * weight @ A.T, tau[:6]))
        return np.asarray(tau - J.T @ wrench)[6:]


def zero_moment_point(wrench: Floats) -> Floats:
    """Return where on the plane z = 0 a wrench has no horizontal moment, (2,), [m].

    ``p = (-m_y, m_x) / f_z`` (Vukobratovic and Borovac, 2004), moment about the origin.
    """
    return np.array([-wrench[4], wrench[3]]) / wrench[2]
