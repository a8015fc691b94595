"""The server's end of a connection to a device's program."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import time
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tornado.iostream import IOStream, StreamClosedError
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from footfall.api.advanced import Listener, RateLimit
from footfall_hands.devices.network_messages import felt, parse

if TYPE_CHECKING:
    from footfall_hands.devices.network_server import Line

log = logging.getLogger(__name__)
BAD_MESSAGES = 10
"""Number of invalid messages after which a client is disconnected."""
RATE, BURST = 5000.0, 2000.0
"""Messages read per second, [1/s], and in one burst, [-], pings included; more are dropped."""
FRAMES = 2
"""Largest number of frames per message read, [-]."""
EXCESS = 1000
"""Dropped messages after which a client is disconnected [-]; ten a second are forgiven."""
GOODBYE = 0.5
"""Time that a client has for the closing handshake, [s]."""
WRONG, WRONGS = 1.0, 20.0
"""Wrong tokens that are answered at once per second [1/s], and in one burst [-]."""
WAIT = 0.5
"""Time after which others are answered, [s]."""
POLICY_VIOLATION, TRY_AGAIN_LATER, GOING_AWAY = 1008, 1013, 1001


@dataclass(slots=True)
class Door:
    """Access to the device: its token and its client.

    Attributes:
        token: token that a client must have.
        client: the connected client.
        wrong: limit of wrong tokens that are answered at once.
    """

    token: str
    client: ClientSocket | None = None
    wrong: RateLimit = field(default_factory=lambda: RateLimit(WRONG, WRONGS))


class ClientSocket(WebSocketHandler):
    """Connection to one client: it takes readings and sends forces."""

    def initialize(self, line: Line, door: Door) -> None:
        """Store the line to the simulation and the access control."""
        self.line, self.door = line, door
        self.bad, self.heard = 0, time.monotonic()
        self.telling: asyncio.Task[None] | None = None
        self.parted: asyncio.Future[None] | None = None  # done when the connection has ended
        self._allowed, self._excess = RateLimit(RATE, BURST), RateLimit(10.0, EXCESS)

    def check_origin(self, origin: str) -> bool:
        """Accept all pages: they have the token."""
        return True

    async def prepare(self) -> None:
        """Reject a client without the token; many of them have to wait for the answer."""
        given = self.get_query_argument("token", "").encode()
        if hmac.compare_digest(given, self.door.token.encode()):
            return
        if not self.door.wrong.spend():
            await asyncio.sleep(WAIT)
        log.warning("device client %s: refused, without the token", self.request.remote_ip)
        self.set_status(403)
        self.finish("without the token\n")

    def open(self, *args: str, **kwargs: str) -> None:
        """Give the device to the client, unless another client has it."""
        if self.door.client is not None:
            log.warning("device client %s: refused, another has it", self.request.remote_ip)
            self.close(TRY_AGAIN_LATER, "another client has the device")
            return
        self.door.client = self
        self.set_nodelay(True)
        stream = getattr(self.ws_connection, "stream", None)
        Listener.admit(stream, FRAMES * RATE, FRAMES * BURST, self._too_many)
        self.heard = time.monotonic()
        self.telling = asyncio.create_task(self._tell())

    def on_message(self, message: str | bytes) -> Awaitable[None] | None:
        """Take a reading; drop and log an invalid message."""
        if self.door.client is not self or self.parted or not self._may_speak():
            return self.parted  # reads nothing meanwhile
        try:
            reading = parse(message, self.line.space)
        except ValueError as error:
            self.bad += 1
            log.warning(
                "device client %s: message dropped: %s", self.request.remote_ip, str(error)[:200]
            )
            if self.bad >= BAD_MESSAGES:
                self.leave("too many invalid messages", POLICY_VIOLATION)
            return self.parted
        self.line.newest = reading, time.monotonic()
        return None

    def on_ping(self, data: bytes) -> None:
        """Count a ping as a message."""
        if self.door.client is self and not self.parted:
            self._may_speak()

    def _may_speak(self) -> bool:
        if self._allowed.spend():
            return True
        if not self._excess.spend():
            self._too_many()
        return False

    def _too_many(self) -> asyncio.Future[None]:
        if self.parted is None:
            log.warning(
                "device client %s: too many messages, more than %g a second",
                self.request.remote_ip,
                RATE,
            )
            self.leave("too many messages", POLICY_VIOLATION)
        assert self.parted is not None
        return self.parted

    def on_pong(self, data: bytes) -> None:
        """Record that the client reads."""
        self.heard = time.monotonic()

    def on_close(self) -> None:
        """Let go, and free the device for other clients."""
        if self.telling is not None:
            self.telling.cancel()
        if self.door.client is self:
            self._let_go("has gone away")
            self.door.client = None

    def leave(self, reason: str, code: int = GOING_AWAY) -> None:
        """Disconnect the client; its hand lets go at once."""
        log.info("device client %s: disconnected, %s", self.request.remote_ip, reason)
        self._let_go("is disconnected")
        if self.telling is not None:
            self.telling.cancel()
        if self.door.client is self:
            self.door.client = None
        self.parted = asyncio.get_running_loop().create_future()
        stream = getattr(self.ws_connection, "stream", None)  # ``close`` forgets it
        self.close(code, reason)
        asyncio.get_running_loop().call_later(GOODBYE, self._cut, stream)

    def _cut(self, stream: IOStream | None) -> None:
        if stream is not None:
            stream.close()
        if self.parted is not None and not self.parted.done():
            self.parted.set_result(None)

    def _let_go(self, what: str) -> None:
        newest, self.line.newest = self.line.newest, None
        if newest is not None and newest[0].holds:
            log.warning("device client %s %s while its hand holds", self.request.remote_ip, what)

    async def _tell(self) -> None:
        """Send forces, limited in rate, and check that the client still reads."""
        line, asked = self.line, time.monotonic()
        pending: asyncio.Future[None] | None = None
        while True:
            await asyncio.sleep(line.interval)
            now = time.monotonic()
            if now - self.heard > line.patience:
                log.warning("device client %s: it does not read", self.request.remote_ip)
                self._let_go("is disconnected")
                self._abort()
                return
            with contextlib.suppress(WebSocketClosedError, StreamClosedError):
                if now - asked > 0.25 * line.patience:
                    asked = now
                    self.ping(b"")
                if pending is None or pending.done():  # else the last one is still unsent
                    told, line.felt = line.felt, None
                    pending = told and self.write_message(felt(*told, line.space))

    def _abort(self) -> None:
        """End the connection without waiting for an answer."""
        connection = self.ws_connection
        if connection is not None:
            connection.close(POLICY_VIOLATION, "does not read")
            stream = getattr(connection, "stream", None)
            if stream is not None:
                stream.close()
