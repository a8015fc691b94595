"""Drives: what stands between a command and the joints, and the inertia and friction it brings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.typing import Floats, Ints1

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
