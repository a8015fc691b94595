"""Drives: what stands between a command and the joints, and the inertia and friction it brings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.typing import Floats, Floats1, Floats2, Ints1

# The digit is the number of dimensions: kernels find the arrays again by these annotations.


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
        name: of the joint whose place the motor has in its group.
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
    """From motors to joints: gears, then a coupling, ``s_dot = T w`` with w behind the gears.

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
        """Return ``T^-T diag(x) T^-1``: what the joints see of something behind the gears, (n, n).

        Source: Guedelha et al., the reflected inertia of motors, with the coupling matrix T.
        """
        if self.coupling is None:
            return np.diag(behind_gear)
        inverse = np.linalg.inv(self.coupling)
        matrix: Floats = inverse.T @ np.diag(behind_gear) @ inverse
        return 0.5 * (matrix + matrix.T)


class DriveArrays(NamedTuple):
    """A group of drives as kernels take it; views of what the step's kernels read.

    Attributes:
        dof: shape (n,), velocity dof of each joint among all; coordinate: its place in q.
        tau, stiffness, rate_gain, target, target_rate: shape (nv,), what acts in the joints (see
            ``footfall.world.arrays.Joints``): in, what is commanded; out, what is delivered.
        q: shape (nq,); v: shape (nv,), at the start of the step.
        dt: shape (1,), [s].
        inertia: shape (n,), of each rotor behind its gear, [kg m^2 or kg].
        damping: shape (n,), viscous friction behind the gear, [N m s/rad or N s/m].
        limit: shape (n,), greatest torque behind the gear, infinite without a limit, [N m or N].
        speed: shape (n,), speed without load behind the gear, infinite without, [rad/s or m/s].
        to_motor: shape (n, n), T', torques behind the gears from the joints'; (0, 0) without a
            coupling.
        to_joint: shape (n, n), T^-T, its inverse; its transpose gives speeds behind the gears.
        torque: shape (n,), scratch; motor_torque: shape (n,), scratch.
    """

    dof: Ints1
    coordinate: Ints1
    tau: Floats1
    stiffness: Floats1
    rate_gain: Floats1
    target: Floats1
    target_rate: Floats1
    q: Floats1
    v: Floats1
    dt: Floats1
    inertia: Floats1
    damping: Floats1
    limit: Floats1
    speed: Floats1
    to_motor: Floats2
    to_joint: Floats2
    torque: Floats1
    motor_torque: Floats1
