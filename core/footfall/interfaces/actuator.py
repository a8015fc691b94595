"""The actuator role: turns commands of joints into the torques that their drives deliver."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from footfall.interfaces.plugin import Plugin
from footfall.typing import Floats, Floats1, Floats2, Ints1


class DriveArrays(NamedTuple):
    """A group of drives for kernels; views of the arrays that the step's kernels read.

    Attributes:
        dof: shape (n,), velocity dof of each joint among all; coordinate: its index in q.
        tau, stiffness, rate_gain, target, target_rate: shape (nv,), torques and gains of the joints
            (see ``footfall.world.arrays.Joints``): as commanded on entry, as delivered on exit.
        q: shape (nq,); v: shape (nv,), at the start of the step.
        dt: shape (1,), [s].
        inertia: shape (n,), of each rotor behind its gear, [kg m^2 or kg].
        damping: shape (n,), viscous friction behind the gear, [N m s/rad or N s/m].
        limit: shape (n,), greatest torque behind the gear, infinite if not limited, [N m or N].
        speed: shape (n,), no-load speed behind the gear, infinite if not limited, [rad/s or m/s].
        to_motor: shape (n, n), T', maps joint torques to torques behind the gears; (0, 0) without a
            coupling.
        to_joint: shape (n, n), T^-T, its inverse; its transpose gives speeds behind the gears.
        torque: shape (n,), scratch; motor_torque: shape (n,), scratch.
        friction: shape (n,), Coulomb friction of joint and motor, [N m or N].
        load: shape (n,), torque of all else on each joint: gravity and velocity products, pushes,
            and the contacts, stops and loops of the last step, [N m or N]; see ``rub``.
        reaction: shape (n, 1), the last of these, part of the state, [N m or N].
        row: shape (n,), place of each joint's friction in ``bound``.
        bound: flat, bounds of the dry friction in the step, [N m or N]; see ``rub``.
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
    friction: Floats1
    load: Floats1
    reaction: Floats2
    row: Ints1
    bound: Floats1


__all__ = ["Actuator", "Drive", "DriveArrays"]


@dataclass(frozen=True, slots=True)
class Drive:
    """A group of joints that one ``[[actuators]]`` table drives.

    Attributes:
        joints: their names, in the order of the arrays.
        coupled: whether a matrix couples motors and joints.
        arrays: commands, limits and the present state; their memory never moves.
        state: the actuator's state parts by name, each of shape (n, width).
    """

    joints: tuple[str, ...]
    coupled: bool
    arrays: DriveArrays
    state: Mapping[str, Floats]


class Actuator(Plugin):
    """Actuator of a group of joints: turns their commands into the torques that act.

    A command is ``tau - K (s+ - target) - D (s_dot+ - target_rate)`` (see ``Command``). An actuator
    may keep it, gains included, or replace it in the arrays by a torque of its own. Limits of
    torque and speed have already been applied to the command.

    A state part is ``per="joint"``: one row per joint of the group.
    """

    reflects: ClassVar[bool] = True
    """Whether rotors turn with the joints; the joints then carry their inertia and friction."""
    passive: ClassVar[bool] = False
    """Whether something acts beside the motor for any command, e.g. a spring at the joint."""
    held_step: ClassVar[bool] = False
    """Whether its torque holds for a whole time step and is wrong at moments within the step."""

    @property
    def rubs(self) -> bool:
        """Whether it sets the dry friction of its joints in each step, see ``rub``."""
        return False

    @abstractmethod
    def start(self, drive: Drive) -> None:
        """Prepare for a group, and write the initial state to ``drive.state``.

        Raises:
            PluginError: if the group cannot be driven, e.g. if a coupling is not supported.
        """

    def motor_stiffness(self, n: int) -> Floats:
        """Return the stiffness of springs along the n motors, shape (n,), [N m/rad or N/m].

        ``dt`` times it is added to the viscous friction behind the gears: a spring force of the
        start of the step is then that of its end.
        """
        return np.zeros(n)

    @abstractmethod
    def bound(self, drive: Drive) -> Callable[[], None] | None:
        """Return the function called each step between controllers and dynamics, or None.

        It reads and writes ``drive.state`` and ``drive.arrays``: commands on entry, delivered
        torques and gains on exit.
        """

    def rub(self, drive: Drive) -> Callable[[], None] | None:
        """Return the function called in each step once ``load`` is known, or None.

        It sets the dry friction of the step, ``bound[row]``, from load, speed and the delivered
        torque. Dry friction stays exact at rest: a joint sticks while less than this holds it.
        """
        return None
