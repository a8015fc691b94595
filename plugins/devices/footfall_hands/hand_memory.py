"""The memory of a hand from step to step, as one array that can be part of the state."""

from __future__ import annotations

from footfall.api.plugin import Floats

SIZE = 50
"""Numbers that a hand remembers."""

FOLLOWS, MUST_OPEN, NEWEST_GRIP = range(3)
"""Places in ``HandMemory.flags``: whether the hand was closed at the reading before; whether it
must open before it closes again; number of the newest grip."""


class HandMemory:
    """Named views of an array of ``SIZE`` numbers, all zero at the start.

    Attributes:
        held: shape (7,): number of the grip, 0 while nothing is held; global link, point in its
            frame [m], effective mass [kg] and inertia [kg m^2] when it was taken.
        flags: shape (3,), by ``FOLLOWS``, ``MUST_OPEN``, ``NEWEST_GRIP``.
        position: shape (3,), of the hand at the start of the step, [m].
        velocity: shape (6,), of the hand, linear and angular, [m/s, rad/s].
        rotation: shape (3, 3), of the hand at the start of the step.
        offset: shape (3, 3), of the link in the hand's axes when it was taken.
        reading: shape (3,), position that the device gave last, [m].
        pace: shape (2,), time between readings that differ, as estimated; time since the last
            that did, [s].
        stuck: shape (2, 4), where the ball that touches has come to rest, on a link and on what
            never moves: 0 while it touches none, else 1 + the size of the link's number; the point,
            in the link's frame, [m].
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
        """Remember what another one does."""
        for name in self.__slots__:
            getattr(self, name)[:] = getattr(other, name)

    @property
    def links(self) -> tuple[int, int]:
        """Global links that it holds and that its ball rests on, -1: none."""
        held = int(self.held[1]) if self.held[0] > 0.0 else -1
        return held, int(self.stuck[0, 0]) - 1

    def renumber(self, held: int, touched: int) -> None:
        """Take over other numbers of these links, -1: they are gone."""
        if self.held[0] > 0.0:
            self.held[1] = held
            if held < 0:
                self.held[:] = 0.0
        self.stuck[0, 0] = 1.0 + touched
