"""One connected page: it gets the newest data whenever it is ready for them."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable

from tornado.iostream import IOStream, StreamClosedError
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from footfall.api.advanced import Listener, RateLimit
from footfall_meshcat.server.access import Access
from footfall_meshcat.server.audience import MOST_PAGES, Audience
from footfall_meshcat.server.messages import hello, pong, scene_changed
from footfall_meshcat.server.page_messages import (
    Grab,
    Move,
    Ping,
    Ready,
    Release,
    Said,
    Shown,
    Take,
    parse,
)
from footfall_meshcat.server.status import status_text

IN_FLIGHT = 2
"""Largest number of frames sent but not yet taken by the page [-]; further ones are dropped."""
BAD_MESSAGES = 10
"""Number of invalid messages after which a page is disconnected [-]; one is forgiven every ten
seconds."""
RATE, BURST = 2500.0, 1000.0
"""Messages read from a page per second, [1/s], and in one burst, [-]; more are dropped."""
FRAMES = 2
"""Largest number of WebSocket frames per message read, [-]."""
EXCESS = 500
"""Dropped messages after which a page is disconnected [-]; ten a second are forgiven."""
GOODBYE = 0.5
"""Time that a page has for the closing handshake, [s]."""
POLICY_VIOLATION, TRY_AGAIN_LATER = 1008, 1013


class PageSocket(WebSocketHandler):
    """The server's end of a page's socket.

    At most one message is on its way to the page. The next one is chosen when it has gone, so no
    queue grows if the page reads slowly.
    """

    def initialize(self, audience: Audience, access: Access) -> None:
        """Join an audience once connected."""
        self.audience, self.access = audience, access
        self.number = 0
        self.ready = False
        self.told_scene: str | None = None
        self.told_status = 0  # serial of the newest status sent
        self.told_steady = ""  # its part that seldom changes
        self.sent = 0  # serial of the newest frame sent
        self.untaken = 0  # frames sent and not yet taken
        self.took = 0.0  # time when the page last took a frame, or began to owe one
        self.echo: int | None = None  # number to send back
        self.sending: float | None = None  # time when the message on its way was sent
        self.parted: asyncio.Future[None] | None = None  # done when the connection has ended
        self._allowed = RateLimit(RATE, BURST)
        self._forgiven = RateLimit(0.1, BAD_MESSAGES)
        self._excess = RateLimit(10.0, EXCESS)

    async def prepare(self) -> None:
        """Reject pages without the token, and too many pages."""
        await self.access.require(self)

    def open(self, *args: str, **kwargs: str) -> None:
        """Send the identity of the scene; frames follow once the page is ready."""
        self.set_nodelay(True)
        if len(self.audience.pages) >= MOST_PAGES:
            self.part("too many pages are open", TRY_AGAIN_LATER)
            return
        if self.ws_connection is not None:
            stream = getattr(self.ws_connection, "stream", None)
            Listener.admit(stream, FRAMES * RATE, FRAMES * BURST, self._too_many_frames)
        self.number = self.audience.join(self)
        self.push()

    def on_message(self, message: str | bytes) -> Awaitable[None] | None:
        """Act on a message of the page; drop and log an invalid one."""
        if self.parted or not self._may_speak():
            return self.parted  # reads nothing meanwhile
        self.audience.hand.hear(self.number)
        try:
            self._act(parse(message))
        except ValueError as error:
            self._refuse(str(error))
        self.push()
        return None

    def on_ping(self, data: bytes) -> None:
        """Count a ping as a message."""
        if not self.parted:
            self._may_speak()

    def on_pong(self, data: bytes) -> None:
        """Record a sign of life."""
        self.audience.hand.hear(self.number)

    def _may_speak(self) -> bool:
        if self._allowed.spend():
            return True
        self._complain(f"message dropped: more than {RATE:g} a second")
        if not self._excess.spend():
            self.part("too many messages")
        return False

    def _too_many_frames(self) -> asyncio.Future[None]:
        if self.parted is None:
            self.part("too many frames")
        assert self.parted is not None
        return self.parted

    def _act(self, said: Said) -> None:
        audience, hand, me = self.audience, self.audience.hand, self.number
        match said:
            case Ready(scene):
                self._begin(scene)
            case Shown():
                if self.untaken == 0:
                    raise ValueError("confirmed a frame that was not sent")
                self.untaken -= 1
                self.took = time.monotonic()
            case Ping(serial):
                self.echo = serial
            case Take() | Grab() | Move():
                self._hold(said)
            case Release(serial):
                held, released = hand.holder == me, hand.release(me, serial)
                if held:
                    audience.free_hand(released)
            case _:
                if not audience.inbox.put(me, said):
                    self._complain("command dropped: too many are waiting")

    def _hold(self, said: Take | Grab | Move) -> None:
        """Move the hand if this page has it or can take it."""
        audience, hand, before = self.audience, self.audience.hand, self.audience.hand.holder
        asked = None
        match said:
            case Take():
                hand.take(self.number)
            case Grab():
                asked = hand.grab(self.number, said)
            case Move():
                asked = hand.move(self.number, said)
        if asked is not None:
            audience.inbox.put(self.number, asked)
        if hand.holder != before:
            audience.repeat_status()

    def _begin(self, scene: str) -> None:
        if scene != self.audience.scene:
            if scene in self.audience.past:  # it was replaced in the meantime
                return
            raise ValueError("ready for another scene")
        self.ready = True
        self.audience.somebody.set()

    def _refuse(self, reason: str) -> None:
        self._complain(f"message dropped: {reason}")
        if not self._forgiven.spend():
            self.part("too many invalid messages")

    def _complain(self, what: str) -> None:
        self.audience.complaints.about(self._title, what)

    @property
    def _title(self) -> str:
        return f"{self.number} ({self.request.remote_ip})"

    @property
    def lags(self) -> bool:
        """Whether the page still lacks the newest frame."""
        frame = self.audience.frame
        current = frame is not None and frame[0] == self.audience.version
        return current and self.ready and self.sent != self.audience.frame_serial

    def push(self) -> None:
        """Send the next message, unless one is still on its way."""
        if self.sending is not None or self.parted:
            return
        message = self._next()
        if message is None:
            return
        try:
            gone = self.write_message(message, binary=isinstance(message, bytes))
        except (WebSocketClosedError, StreamClosedError):  # on_close follows
            return
        self.sending = time.monotonic()
        asyncio.ensure_future(gone).add_done_callback(self._gone)

    def _gone(self, gone: asyncio.Future[None]) -> None:
        self.sending = None
        if not gone.cancelled() and gone.exception() is None:
            self.push()

    def _next(self) -> str | bytes | None:
        """Return the most urgent message, and mark it as sent."""
        audience = self.audience
        if self.told_scene != audience.scene:
            first, self.told_scene, self.ready = self.told_scene is None, audience.scene, False
            return hello(audience.scene, self.number) if first else scene_changed(audience.scene)
        if self.echo is not None:
            serial, self.echo = self.echo, None
            return pong(serial)
        if audience.status is not None and self.told_status != audience.status_serial:
            self.told_status = audience.status_serial
            quick, steady = audience.status
            news = (steady,) if steady != self.told_steady else ()
            self.told_steady = steady
            return status_text(quick, *news, holder=audience.holder(self))
        if self.lags and self.untaken < IN_FLIGHT and audience.frame is not None:
            if self.untaken == 0:
                self.took = time.monotonic()
            self.untaken += 1
            self.sent = audience.frame_serial
            return audience.frame[1]
        return None

    def check(self) -> None:
        """Disconnect a page that does not read or takes no frames; ping one that has the hand.

        The browser answers a ping by itself, also while the run is paused and the page is silent.
        """
        if self.audience.hand.holder == self.number:
            with contextlib.suppress(WebSocketClosedError):
                self.ping()
        late = time.monotonic() - self.audience.patience
        reads = self.sending is None or self.sending > late
        takes = self.untaken == 0 or self.took > late
        if not (reads and takes) and not self.parted:
            self.part("takes no frames")

    def part(self, reason: str, code: int = POLICY_VIOLATION) -> None:
        """Disconnect the page, even if it does not answer."""
        self.audience.partings.about(self._title, f"disconnected: {reason}")
        self.parted = asyncio.get_running_loop().create_future()
        self.audience.leave(self)
        stream = self.ws_connection.stream if self.ws_connection else None  # ``close`` forgets it
        self.close(code, reason)
        asyncio.get_running_loop().call_later(GOODBYE, self._cut, stream)

    def _cut(self, stream: IOStream | None) -> None:
        if stream is not None:
            stream.close()
        if self.parted and not self.parted.done():
            self.parted.set_result(None)

    def on_close(self) -> None:
        """Leave the audience."""
        self.audience.leave(self)
