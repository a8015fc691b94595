"""The actuator role: from what is commanded of joints to what their drives deliver."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from footfall.interfaces.plugin import Plugin
from footfall.typing import Floats, Floats1, Floats2, Ints1


class DriveArrays(NamedTuple):
    """A group of drives as kernels take it; views of what the step's kernels read.

    Attributes:
        dof: shape (n,), velocity dof of each joint among all; coordinate: its place in q.
        tau, stiffness, rate_gain, target, target_rate: shape (nv,), what acts in the joints (see
            ``footfall.world.arrays.Joints``): in, the command; out, what the drives deliver.
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


__all__ = ["Actuator", "Drive", "DriveArrays"]


@dataclass(frozen=True, slots=True)
class Drive:
    """A group of joints that one ``[[actuators]]`` table drives.

    Attributes:
        joints: their names, in the order of the arrays.
        coupled: whether motors and joints are coupled by a matrix.
        arrays: commands, limits and the state they act in; they never move.
        state: the actuator's state parts by name, each of shape (n, width).
    """

    joints: tuple[str, ...]
    coupled: bool
    arrays: DriveArrays
    state: Mapping[str, Floats]


class Actuator(Plugin):
    """Turns what is commanded of a group of joints into what acts on them.

    A command is ``tau - K (s+ - target) - D (s_dot+ - target_rate)`` (see ``Command``). An actuator
    may leave it as it is, gains included, or replace it in the arrays by a torque of its own.
    Limits of torque and speed have been applied by then.

    A state part is ``per="joint"``: one row a joint of the group.
    """

    reflects: ClassVar[bool] = True
    """Whether rotors turn with the joints, which then carry their inertia and friction."""
    passive: ClassVar[bool] = False
    """Whether something acts beside the motor, whatever is commanded: a spring at the joint."""
    held_step: ClassVar[bool] = False
    """Whether what it delivers is meant for one time step and wrong at moments within it."""

    @abstractmethod
    def start(self, drive: Drive) -> None:
        """Prepare for a group, and write the state that it starts with to ``drive.state``.

        Raises:
            PluginError: if the group cannot be driven, e.g. if a coupling is not supported.
        """

    @abstractmethod
    def bound(self, drive: Drive) -> Callable[[], None] | None:
        """Return what is called each step between controllers and dynamics, None for nothing.

        It reads and writes ``drive.arrays`` and ``drive.state``; commands in, what is delivered
        out.
        """
