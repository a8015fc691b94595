"""The memory of a hand from step to step, as one array that can be part of the state."""

from __future__ import annotations

from enum import IntEnum

from footfall.api.plugin import Floats

SIZE = 50
"""Length of the array of a hand's memory."""


class HandFlag(IntEnum):
    """Places in ``HandMemory.flags``."""

    FOLLOWS = 0
    """Whether the hand was closed at the previous reading."""
    MUST_OPEN = 1
    """Whether it must open before it closes again."""
    NEWEST_GRIP = 2
    """Number of the newest grip."""


class HandMemory:
    """Named views of an array of ``SIZE`` numbers, all zero at the start.

    Attributes:
        held: shape (7,): number of the grip, 0 while nothing is held; global link; point in its
            frame [m]; effective mass [kg] and inertia [kg m^2] when it was grabbed.
        flags: shape (3,), by ``HandFlag``.
        position: shape (3,), position of the hand at the start of the step, [m].
        velocity: shape (6,), linear and angular velocity of the hand, [m/s, rad/s].
        rotation: shape (3, 3), orientation of the hand at the start of the step.
        offset: shape (3, 3), orientation of the link in the hand's axes when it was grabbed.
        reading: shape (3,), last position from the device, [m].
        pace: shape (2,), estimated time between readings that differ; time since the last reading
            that differed, [s].
        stuck: shape (2, 4), anchor of the touching ball, one row for a link and one for fixed
            objects: 0 while it touches none, else 1 + the absolute value of the link's number; the
            point, in the link's frame, [m].
    """

    __slots__ = (
        "flags",
        "held",
        "offset",
        "pace",
        "position",
        "reading",
        "rotation",
        "stuck",
        "velocity",
    )

    def __init__(self, array: Floats) -> None:
        self.held, self.flags = array[0:7], array[7:10]
        self.position, self.velocity = array[10:13], array[13:19]
        self.rotation, self.offset = (array[k : k + 9].reshape(3, 3) for k in (19, 28))
        self.reading, self.pace = array[37:40], array[40:42]
        self.stuck = array[42:50].reshape(2, 4)

    def copy_from(self, other: HandMemory) -> None:
        """Copy the memory of another hand."""
        for name in self.__slots__:
            getattr(self, name)[:] = getattr(other, name)

    @property
    def links(self) -> tuple[int, int]:
        """Global links that the hand holds and that its ball rests on; -1: none."""
        held = int(self.held[1]) if self.held[0] > 0.0 else -1
        return held, int(self.stuck[0, 0]) - 1

    def renumber(self, held: int, touched: int) -> None:
        """Replace the numbers of these links; -1: the link is gone."""
        if self.held[0] > 0.0:
            self.held[1] = held
            if held < 0:
                self.held[:] = 0.0
        self.stuck[0, 0] = 1.0 + touched
