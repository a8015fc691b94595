"""The input-device role: position of a user's hand in, force out; limits of their connections."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from footfall.interfaces.plugin import Plugin
from footfall.typing import Floats

HandMode = Literal["touch", "drag"]
"""Whether a hand pushes what its ball meets, or drags the point that it took hold of."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a user's hand does at one instant.

    Attributes:
        holds: whether the hand is closed (drag), or its tip is there to be touched (touch).
        position: shape (3,), of the device's tip, world frame, [m].
        rotation: shape (3, 3), of the device in the world; None: the device knows none.
        velocity: shape (3,), of the tip, world frame, [m/s]; None: the hand follows the
            positions, smoothly if somebody moves the device as the run goes.
        force: shape (3,), that the user presses with, world frame, [N]; None: the device
            measures none.
        link: what is to be held, ``link`` or ``body/link``; None: what is nearest to the tip.
        point: shape (3,), the point that is held, in the link's frame, [m]; None: where the
            link's surface is nearest to the tip.
        mode: how the hand acts; None: as the scene says.
    """

    holds: bool
    position: Floats
    rotation: Floats | None = None
    velocity: Floats | None = None
    force: Floats | None = None
    link: str | None = None
    point: Floats | None = None
    mode: HandMode | None = None


class InputDevice(Plugin):
    """A device by which somebody reaches into a simulation.

    ``read`` and ``feel`` are called from the simulation's thread, once a step each, and must not
    block: a device that waits for others keeps a thread of its own. Readings are checked by who
    asks for them, so a device may hand on what it gets.
    """

    live: ClassVar[bool] = True
    """Whether somebody moves it as the run goes. If not, what it does is a function of time and
    settings: it is part of what a saved state belongs to, and a hand that holds something still
    does when a state is restored."""

    @property
    def links(self) -> tuple[str, ...]:
        """Links that it is going to pick, where that is known before: they must exist."""
        return ()

    def open(self) -> None:
        """Start; called once, before the first step of a run.

        Raises:
            FootfallError: if the device cannot be had.
        """

    @abstractmethod
    def read(self, time: float) -> Reading | None:
        """Return where the hand is at a simulated time [s]; None: nobody holds the device."""

    def feel(self, time: float, force: Floats, moment: Floats) -> None:
        """Take what acts on the user after the step that began at ``time`` [s].

        Args:
            time: simulated, [s].
            force: shape (3,), world frame, [N]; must be copied to be kept.
            moment: shape (3,), likewise, [N m].
        """

    def close(self) -> None:
        """Release everything; may be called more than once."""


class LiveDevice(InputDevice):
    """A device whose readings are put into it by the same process, e.g. by a viewer's page."""

    @abstractmethod
    def put(self, reading: Reading | None) -> None:
        """Hand over the newest reading, from any thread; None: the hand has gone away."""


class Allowance:
    """Grants that run out when asked for too often, and come back with time."""

    def __init__(self, rate: float, burst: float) -> None:
        """Start full.

        Args:
            rate: that come back, [1/s].
            burst: granted at once at most, [-].
        """
        self._rate, self._burst = rate, burst
        self._left, self._counted = burst, time.monotonic()

    def spend(self) -> bool:
        """Take one grant; return whether there was one."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + self._rate * (now - self._counted))
        self._counted = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


READS = 4
"""Most reads of a WebSocket frame, [-]: header, length, mask and content."""


def bound_frames(
    stream: Any, rate: float, burst: float, end: Callable[[], Awaitable[None]]
) -> None:
    """Let a client send no more than so many WebSocket frames, whether they end a message or not.

    A message may come in any number of frames, some of them empty, and its receiver hears of it
    with the last one alone. No frame can be left out, so a client that sends more is disconnected.

    Args:
        stream: of the connection: Tornado's, whose ``read_bytes`` is called up to four times for a
            frame.
        rate: frames that are read, [1/s].
        burst: frames that are read at once, [-].
        end: ends the connection; what it returns is done when the connection has ended. Nothing
            more is read.
    """
    allowed, read = Allowance(READS * rate, READS * burst), stream.read_bytes

    async def nothing() -> bytes:
        await end()
        # The stream is closed by now: this fails as any other read of it does.
        rest: bytes = await read(1)
        return rest

    def read_bytes(*args: Any, **kwargs: Any) -> Awaitable[bytes]:
        found: Awaitable[bytes] = read(*args, **kwargs) if allowed.spend() else nothing()
        return found

    stream.read_bytes = read_bytes
