"""Limits of a connection: a rate and a burst of messages, and the bytes that are read for them."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any


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
