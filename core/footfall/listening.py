"""Sockets for clients that may be hostile: limits of connections, and of what they send."""

from __future__ import annotations

import contextlib
import math
import resource
import socket
import time
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

MOST = 64
"""Most connections of a server, [-]; fewer where the process may open few files."""
KEPT = 48
"""Files that the process can still open, whatever its servers' clients do, [-]."""
GRACE = 60.0
"""Time for which a connection is kept after a request with the token, [s]."""
CALLS = 500.0
"""Connections and reads of requests that are done at once, [1/s], and in one burst, [-]."""
SIP = 256
"""Bytes that are read at a time before a handshake, [byte]."""
LEAVING = 16
"""Connections that may be ending before no new one is taken, [-]."""
PAUSE = 0.005
"""Time without new connections when none can be taken, [s]."""
READS = 4
"""Most reads of a WebSocket frame, [-]: header, length, mask and content."""


class RateLimit:
    """A rate limiter (token bucket)."""

    def __init__(self, rate: float, burst: float) -> None:
        """Start with a full bucket.

        Args:
            rate: tokens added, [1/s].
            burst: most tokens in the bucket, [-].
        """
        self._rate, self._burst = rate, burst
        self._left, self._counted = burst, time.monotonic()

    def spend(self) -> bool:
        """Take one token; return whether there was one."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + self._rate * (now - self._counted))
        self._counted = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


class _Client(socket.socket):
    """A connection; others may take its place after the time ``until``, [s, monotonic clock]."""

    until, leaving = 0.0, False
    allowed: RateLimit

    def recv_into(self, buffer: Any, nbytes: int = 0, flags: int = 0) -> int:
        """Read; little at a time before a handshake: all requests that were read are answered."""
        if self.until == math.inf:
            return super().recv_into(buffer, nbytes, flags)
        if not self.allowed.spend():
            time.sleep(PAUSE)
        return super().recv_into(buffer, min(nbytes or SIP, SIP), flags)


class Listener(socket.socket):
    """A listening socket that has a limited number of connections, and leaves files to the process.

    When it is full, a new connection replaces the oldest that has shown no token; if all have, the
    new one is closed. Thus silent clients can neither use up the files that the process may open
    nor keep others out. It is meant for servers that take connections until none is left
    (``BlockingIOError``), as Tornado does.
    """

    IDLE: ClassVar = 10.0
    """Time that a client has for a request, between requests, and to take an answer, [s]."""

    def __init__(self, listening: socket.socket) -> None:
        """Take over a listening socket, which must not be used any more."""
        super().__init__(fileno=listening.detach())
        self.setblocking(False)
        self._clients: list[_Client] = []
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]  # -1: any number
        self._most, self._files = MOST, files - KEPT if files > 0 else math.inf
        self._allowed = RateLimit(CALLS, CALLS)

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection and its address.

        Raises:
            BlockingIOError: if no connection waits, or none can be taken now.
            ConnectionAbortedError: if a client has gone away.
        """
        self._clients = [client for client in self._clients if client.fileno() >= 0]
        leaving = sum(client.leaving for client in self._clients)
        if leaving >= min(LEAVING, self._most) or not self._allowed.spend():
            time.sleep(PAUSE)
            raise BlockingIOError
        try:
            connection, address = super().accept()
        except (BlockingIOError, ConnectionAbortedError):
            raise
        except OSError as error:  # no file can be opened: those who wait go on waiting
            time.sleep(PAUSE)
            raise BlockingIOError from error
        few = connection.fileno() >= self._files
        if (few or len(self._clients) - leaving >= self._most) and (not self._make_room() or few):
            connection.close()
            raise BlockingIOError
        client = _Client(fileno=connection.detach())
        client.allowed = self._allowed
        _limit_unread(client, self.IDLE)
        self._clients.append(client)
        return client, address

    def _make_room(self) -> bool:
        """End the oldest connection that has shown no token; return whether there is one.

        Its server sees the end and closes it.
        """
        now = time.monotonic()
        for client in self._clients:
            if client.until < now and not client.leaving:
                client.leaving = True
                with contextlib.suppress(OSError):  # the client has gone away
                    client.shutdown(socket.SHUT_RDWR)
                return True
        return False

    @staticmethod
    def keep(stream: Any) -> None:
        """Keep the connection of a request with the token for a while.

        Args:
            stream: Tornado's stream of the connection.
        """
        client = getattr(stream, "socket", None)
        if client is not None:  # else it has just ended
            client.until = time.monotonic() + GRACE

    @staticmethod
    def admit(stream: Any, rate: float, burst: float, end: Callable[[], Awaitable[None]]) -> None:
        """Keep a client's connection, and limit the rate of its WebSocket frames.

        A message may come in any number of frames, some of them empty, and its receiver is called
        only after the last. No frame can be skipped, so a client that sends more is disconnected.

        Args:
            stream: Tornado's stream of the connection; its ``read_bytes`` is called up to four
                times for a frame.
            rate: frames that are read, [1/s].
            burst: frames that are read at once, [-].
            end: function that ends the connection; its awaitable is done when the connection has
                ended. Nothing more is read.
        """
        stream.socket.until = math.inf
        _limit_unread(stream.socket, 0.0)  # its server looks after that
        allowed, read = RateLimit(READS * rate, READS * burst), stream.read_bytes

        async def nothing() -> bytes:
            await end()
            # The stream is now closed: this fails like any other read of it.
            rest: bytes = await read(1)
            return rest

        def read_bytes(*args: Any, **kwargs: Any) -> Awaitable[bytes]:
            found: Awaitable[bytes] = read(*args, **kwargs) if allowed.spend() else nothing()
            return found

        stream.read_bytes = read_bytes


def _limit_unread(client: socket.socket, seconds: float) -> None:
    """End a connection if what is sent stays unread for so long; 0: as the system does."""
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(1e3 * seconds))
