"""A body of a world: one tree, its features, and the drives in its joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from footfall.interfaces.engine import Placement, Tree, TreeModel
from footfall.model.contact_features import ContactFeature
from footfall.model.loops import JointCoupling, Loop
from footfall.typing import Floats, Ints1

# The digit is the number of dimensions: kernels find the arrays by these annotations.


def body_name(path: str) -> str:
    """Return the body in the name of one of its parts: ``body/link/shape``, ``body/point``."""
    return path.split("/")[0]


@dataclass(frozen=True, slots=True)
class Coupling:
    """An off-diagonal entry of the joints' reflected inertia and of their viscous friction.

    Attributes:
        row: joint of the body, the one further from the root.
        column: joint of the body, one of its ancestors.
        inertia: [kg m^2 or kg].
        damping: [N m s/rad or N s/m].
    """

    row: int
    column: int
    inertia: float
    damping: float


@dataclass(frozen=True, slots=True)
class MotorFriction:
    """Coulomb friction of a motor whose speed behind the gear is a sum of joint speeds.

    Attributes:
        name: of the joint that corresponds to the motor in its group.
        joints: of the body, ascending.
        ratios: speed behind the gear for a unit speed of each joint.
        value: [N m or N].
    """

    name: str
    joints: tuple[int, ...]
    ratios: tuple[float, ...]
    value: float


@dataclass(frozen=True, slots=True)
class Transmission:
    """The path from motors to joints: gears, then a coupling, ``s_dot = T w``, w behind the gears.

    Attributes:
        joints: shape (n,), joints of the body, in the order of the coupling's rows.
        inertia: shape (n,), of each rotor behind its gear, ``ratio^2 I``, [kg m^2 or kg].
        damping: shape (n,), viscous friction behind the gear, [N m s/rad or N s/m].
        friction: shape (n,), Coulomb friction behind the gear, [N m or N].
        coupling: shape (n, n), T; None: each motor moves one joint.
    """

    joints: Ints1
    inertia: Floats
    damping: Floats
    friction: Floats
    coupling: Floats | None

    def reflected(self, behind_gear: Floats) -> Floats:
        """Return ``T^-T diag(x) T^-1``, a quantity behind the gears as seen by the joints, (n, n).

        Source: Guedelha et al., the reflected inertia of motors, with the coupling matrix T.
        """
        if self.coupling is None:
            return np.diag(behind_gear)
        inverse = np.linalg.inv(self.coupling)
        matrix: Floats = inverse.T @ np.diag(behind_gear) @ inverse
        return 0.5 * (matrix + matrix.T)


@dataclass(frozen=True, slots=True)
class Body:
    """A robot or an object, ready for a world.

    Attributes:
        name: unique in the world.
        model: the tree's constants.
        tree: an engine's evaluation of it; None for a rigid body without joints, which the core
            evaluates itself.
        q: shape (nq,), starting positions.
        v: shape (nv,), starting velocities (base linear and angular in the base frame).
        features: its features that can touch the ground.
        armature: shape (n_joints,), reflected inertia, [kg m^2 or kg].
        damping: shape (n_joints,), passive viscous coefficient.
        root: pose of the robot's root link in the tree, None: the tree's own base. They differ
            if a base is fixed in place or moves in a plane.
        couplings: off-diagonal entries of reflected inertia and viscous friction.
        position_limits: shape (n_joints, 2), lower and upper, [rad or m]; empty if there are none.
        joint_friction: shape (n_joints,), Coulomb friction, [N m or N]; empty if there is none.
        loops: loops that close chains of its joints, or hold it to the world.
        motor_friction: Coulomb friction of motors that move several joints.
        dense: whether its drives couple joints of different branches.
    """

    name: str
    model: TreeModel
    tree: Tree | None
    q: Floats
    v: Floats
    features: Sequence[ContactFeature] = ()
    armature: Floats = field(default_factory=lambda: np.zeros(0))
    damping: Floats = field(default_factory=lambda: np.zeros(0))
    root: Placement | None = None
    couplings: Sequence[Coupling] = ()
    position_limits: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    joint_friction: Floats = field(default_factory=lambda: np.zeros(0))
    loops: Sequence[Loop | JointCoupling] = ()
    motor_friction: Sequence[MotorFriction] = ()
    dense: bool = False

    @property
    def joint_offset(self) -> int:
        """First joint dof of the velocity: 6 for a floating base, else 0."""
        return 6 if self.model.base == "floating" else 0
