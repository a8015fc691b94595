"""``footfall.symbolic``: M, h, Jacobians and poses of links as CasADi functions, by adam."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import casadi as cs
import numpy as np
from adam.casadi.casadi_like import CasadiLike

from footfall import load_robot
from footfall.api.engine import ModelSource
from footfall.api.plugin import RobotError, nearest
from footfall_symbolic.adam_model import algorithms

Base = Literal["floating", "fixed", "planar"]
"""Base type of a robot's root."""
OPTIONS = {"cse": True}
"""Options of the functions: common subexpressions are computed once."""


class OfState(cs.Function):
    """A CasADi function whose errors name the expected shapes in one line."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Evaluate the function.

        Raises:
            RobotError: if an argument has the wrong shape.
        """
        try:
            return super().__call__(*given, **named)
        except (RuntimeError, NotImplementedError) as error:
            sizes = {self.name_in(i): self.size1_in(i) for i in range(self.n_in())}
            takes = ", ".join(f"{name} of shape ({size},)" for name, size in sizes.items())
            got = ", ".join(map(_shape, (*given, *named.values()))) or "nothing"
            raise RobotError(f"{self.name()} takes {takes}, got {got}") from error


def _shape(given: Any) -> str:
    """Return the shape of an argument, or its type if it has none."""
    if isinstance(given, str) or not (hasattr(given, "__len__") or hasattr(given, "shape")):
        return type(given).__name__
    try:
        return str(getattr(given, "shape", None) or np.shape(given))
    except ValueError:
        return "rows of several lengths"


class Symbolic:
    """A robot's dynamics as CasADi functions of q and v, in Footfall's coordinates.

    - q: the base's position [m] and unit quaternion x y z w in the world, and the joints' positions
      [rad or m];
    - v: the base's linear and angular velocity in its own frame, and the joints' velocities.

    With a fixed or planar base, q and v hold joints only.

    Attributes:
        joint_names: in the order of q and v.
        link_names: of all links, including fixed ones.
        base: ``"floating"`` or ``"fixed"``.
        nq: number of positions.
        nv: number of velocities.
    """

    def __init__(self, source: ModelSource) -> None:
        """Read a URDF in normal form.

        Args:
            source: the robot's source for engines.

        Raises:
            RobotError: if it is not a URDF.
        """
        if source.format != "urdf":
            raise RobotError(
                f"{source.path}: footfall.symbolic reads URDFs, this is an MJCF: convert it (adam "
                "reads only MJCFs with one joint per body and no locked joints)"
            )
        self._adam = algorithms(source)
        self.joint_names = tuple(source.joints or ())
        self.base = source.base
        n = len(self.joint_names)
        self.nq, self.nv = (n + 7, n + 6) if self.base == "floating" else (n, n)
        model = self._adam.model
        self.link_names = (*model.links, *model.frames)
        self._gravity = cs.DM([*source.gravity, 0.0, 0.0, 0.0])
        self._q, self._v = cs.SX.sym("q", self.nq), cs.SX.sym("v", self.nv)
        self._H, self._s = cs.SX.eye(4), self._q
        self._base_velocity, self._rates = cs.SX.zeros(6), self._v
        if self.base == "floating":
            self._H[:3, :3], self._H[:3, 3] = rotation(self._q[3:7]), self._q[:3]
            self._s, self._rates = self._q[7:], self._v[6:]
            self._base_velocity = self._v[:6]
        if n == 0:  # adam reads the first joint even if there is none
            self._s = self._rates = cs.SX.zeros(1)

    @cached_property
    def mass_matrix(self) -> Any:
        """``M(q)``, shape (nv, nv), joint-space inertia without armature."""
        M, _ = self._adam.crba(self._H, self._s)
        first = 6 + len(self.joint_names) - self.nv
        return OfState("M", [self._q], [M.array[first:, first:]], ["q"], ["M"], OPTIONS)

    @cached_property
    def bias_force(self) -> Any:
        """``h(q, v)``, shape (nv,): Coriolis, centrifugal and gravity; ``M dv/dt + h = tau``."""
        state = (self._H, self._s, self._base_velocity, self._rates)
        h = self._adam.rnea(*state, self._gravity).array
        own = h[6 + len(self.joint_names) - self.nv :]
        return OfState("h", [self._q, self._v], [own], ["q", "v"], ["h"], OPTIONS)

    def pose(self, link: str) -> Any:
        """Return the function ``H(q)``, shape (4, 4): the pose of a link's frame in the world.

        Raises:
            RobotError: if there is no such link.
        """
        return OfState("H", [self._q], [self._place(link)], ["q"], ["H"], OPTIONS)

    def jacobian(self, link: str) -> Any:
        """Return the function ``J(q)``, shape (6, nv): velocity of a link's frame, world axes.

        The rows are the linear velocity of its origin p, then the angular velocity. The columns
        along adam's chain are ``(a x (p - o), a)`` for a hinge at o about a, and ``(a, 0)`` for a
        slide.

        Raises:
            RobotError: if there is no such link.
        """
        end = self._place(link)[:3, 3]
        J = cs.SX.zeros(6, self.nv)
        if self.base == "floating":
            R = self._H[:3, :3]
            J[:3, :3] = J[3:, 3:6] = R
            J[:3, 3:6] = -cs.skew(end - self._H[:3, 3]) @ R
        H, first = self._H, self.nv - len(self.joint_names)
        for joint in self._adam.model.get_joints_chain(self._adam.root_link, link):
            q = 0.0 if joint.idx is None else self._s[joint.idx]
            H = H @ joint.homogeneous(CasadiLike(cs.SX(q))).array
            if joint.idx is not None:
                axis = H[:3, :3] @ joint.axis.array
                slides = joint.type == "prismatic"
                J[:3, first + joint.idx] = axis if slides else cs.cross(axis, end - H[:3, 3])
                J[3:, first + joint.idx] = cs.SX.zeros(3) if slides else axis
        return OfState("J", [self._q], [J], ["q"], ["J"], OPTIONS)

    def _place(self, link: str) -> Any:
        if link not in self.link_names:
            raise RobotError(f'no link "{link}"{nearest(link, self.link_names)}')
        return self._adam.forward_kinematics(link, self._H, self._s).array


def rotation(quaternion: Any) -> Any:
    """Return the rotation matrix, shape (3, 3), of a unit quaternion x y z w."""
    v, w = quaternion[:3], quaternion[3]
    K = cs.skew(v)
    return cs.SX.eye(3) + 2.0 * w * K + 2.0 * K @ K


def symbolic(
    robot: Any,
    *,
    base: Base | None = None,
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
) -> Symbolic:
    """Return a robot's M, h, Jacobians and poses of links as CasADi functions.

    Args:
        robot: name of an installed robot, path of a robot's folder, or result of ``load_robot``.
        base: ``"floating"``, ``"fixed"`` or ``"planar"``; by default the robot's own.
        gravity: shape (3,), [m/s^2], world frame.

    Raises:
        RobotError: if there is no such robot, it is not a URDF, or it cannot have this base.
    """
    if base is not None and base not in get_args(Base):
        raise RobotError(f'base "{base}": must be "floating", "fixed" or "planar"')
    given = np.array(gravity, dtype=np.float64)
    if given.shape != (3,) or not np.isfinite(given).all():
        raise RobotError("gravity: must be three finite numbers, [m/s^2]")
    loaded = load_robot(str(robot)) if isinstance(robot, str | Path) else robot
    if not hasattr(loaded, "source"):
        raise RobotError("robot: must be a name, a path, or the result of footfall.load_robot")
    return Symbolic(loaded.source("robot", given, base=base))
