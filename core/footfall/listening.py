"""Sockets for clients that may be hostile: limits of connections, and of what they send."""

from __future__ import annotations

import contextlib
import math
import os
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
LEAVING = 16
"""Connections that may be ending before no new one is taken, [-]."""
PAUSE = 0.01
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
        self._most, self._files = MOST, _files() - KEPT
        self._spare = -1  # a file that is closed to take a connection and refuse it
        self._keep_spare()

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection and its address.

        Raises:
            BlockingIOError: if no connection waits, or none can be taken now.
            ConnectionAbortedError: if a client has gone away.
        """
        self._clients = [client for client in self._clients if client.fileno() >= 0]
        leaving = sum(client.leaving for client in self._clients)
        if leaving >= min(LEAVING, self._most):
            time.sleep(PAUSE)
            raise BlockingIOError
        try:
            connection, address = super().accept()
        except (BlockingIOError, ConnectionAbortedError):
            raise
        except OSError as error:
            self._refuse()
            raise BlockingIOError from error
        few = connection.fileno() >= self._files
        if (few or len(self._clients) - leaving >= self._most) and (not self._make_room() or few):
            connection.close()
            raise BlockingIOError
        client = _Client(fileno=connection.detach())
        _limit_unread(client, self.IDLE)
        self._clients.append(client)
        return client, address

    def close(self) -> None:
        """Close the socket; connections stay open."""
        self._give_up_spare()
        super().close()

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

    def _refuse(self) -> None:
        """Take a connection and close it when no other file can be opened; then pause."""
        self._give_up_spare()
        with contextlib.suppress(OSError):
            super().accept()[0].close()
        self._keep_spare()
        time.sleep(PAUSE)

    def _keep_spare(self) -> None:
        with contextlib.suppress(OSError):
            self._spare = os.open(os.devnull, os.O_RDONLY)

    def _give_up_spare(self) -> None:
        if self._spare >= 0:
            os.close(self._spare)
            self._spare = -1

    @staticmethod
    def keep(stream: Any) -> None:
        """Keep the connection of a request with the token for a while.

        Args:
            stream: Tornado's stream of the connection.
        """
        stream.socket.until = time.monotonic() + GRACE

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


def _files() -> int:
    """Return how many files the process may open."""
    try:
        import resource
    except ImportError:  # not on this system
        return 1 << 30
    soft: int = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 1 << 30 if soft == resource.RLIM_INFINITY else soft


def _limit_unread(client: socket.socket, seconds: float) -> None:
    """End a connection if what is sent stays unread for so long; 0: as the system does."""
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(1e3 * seconds))
