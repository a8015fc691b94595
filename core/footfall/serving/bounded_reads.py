"""Count what is read from a connection, below the messages that it makes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from footfall.serving.allowance import Allowance

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
