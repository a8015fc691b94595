"""A body of a world: one tree, its features, and the drives in its joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from footfall.interfaces.engine import LinkFrame, Tree, TreeModel
from footfall.model.contact_features import ContactFeature
from footfall.model.devices import Coupling, MotorFriction
from footfall.model.loops import JointCoupling, Loop
from footfall.typing import Floats
from footfall_stepper.world.step_arrays import PRESCRIBED

# The digit is the number of dimensions: kernels find the arrays by these annotations.


def body_name(path: str) -> str:
    """Return the body in the name of one of its parts: ``body/link/shape``, ``body/point``."""
    return path.split("/")[0]


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
        limit_restitution: shape (n_joints,), coefficient of the limits, [-]; empty if all are 0.
        backlash: couplings with free play, which are no loops.
        loops: loops that close chains of its joints, or hold it to the world.
        motor_friction: Coulomb friction of motors that move several joints.
        rubbing: joint whose drive sets its dry friction in each step; empty if there is none.
        dense: whether its drives couple joints of different branches.
        prescribed: whether its motion is prescribed; it is then without joints and mass.
        planar: whether its first three joints are those of a planar base.
    """

    name: str
    model: TreeModel
    tree: Tree | None
    q: Floats
    v: Floats
    features: Sequence[ContactFeature] = ()
    armature: Floats = field(default_factory=lambda: np.zeros(0))
    damping: Floats = field(default_factory=lambda: np.zeros(0))
    root: LinkFrame | None = None
    couplings: Sequence[Coupling] = ()
    position_limits: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    joint_friction: Floats = field(default_factory=lambda: np.zeros(0))
    limit_restitution: Floats = field(default_factory=lambda: np.zeros(0))
    backlash: Sequence[JointCoupling] = ()
    loops: Sequence[Loop | JointCoupling] = ()
    motor_friction: Sequence[MotorFriction] = ()
    rubbing: str = ""
    dense: bool = False
    prescribed: bool = False
    planar: bool = False

    @property
    def kind(self) -> int:
        """Entry of ``Topology.free``."""
        return PRESCRIBED if self.prescribed else int(self.tree is None)

    @property
    def joint_offset(self) -> int:
        """First joint dof of the velocity: 6 for a floating base, else 0."""
        return 6 if self.model.base == "floating" else 0
