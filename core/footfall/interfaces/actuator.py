"""The actuator role: from what is commanded of joints to what their drives deliver."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from footfall.interfaces.plugin import Plugin
from footfall.typing import Floats
from footfall.world.drive import DriveArrays

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
