"""One connected page: gets the newest frame whenever it has room for one."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from dataclasses import dataclass, field

from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from footfall_meshcat.messages import Ready, hello, parse

log = logging.getLogger(__name__)

IN_FLIGHT = 2
"""Frames sent and not yet taken by the page; beyond it frames are dropped, not queued."""
BAD_MESSAGES = 10
"""Messages that make no sense after which a page is disconnected."""
POLICY_VIOLATION = 1008


@dataclass(slots=True)
class Audience:
    """The pages that are open and the newest frame; touched in the server's thread only.

    Attributes:
        scene: identity of the scene.
        patience: time that a page may leave frames untaken, [s].
        somebody: set once a page has built the scene.
        pages: those connected.
        frame: the newest message, None before the first.
        serial: number of that frame.
    """

    scene: str
    patience: float
    somebody: threading.Event = field(default_factory=threading.Event)
    pages: set[PageSocket] = field(default_factory=set)
    frame: bytes | None = None
    serial: int = 0

    @property
    def lagging(self) -> bool:
        """Whether some page still lacks the newest frame."""
        return any(page.ready and page.sent != self.serial for page in self.pages)

    def publish(self, frame: bytes) -> None:
        """Offer a newer frame to every page."""
        self.frame = frame
        self.serial += 1
        for page in self.pages:
            page.news.set()


class PageSocket(WebSocketHandler):
    """The server's end of a page's socket."""

    def initialize(self, audience: Audience) -> None:
        """Join an audience once connected."""
        self.audience = audience
        self.news = asyncio.Event()
        self.ready = False
        self.sent = 0  # serial of the newest frame that was sent
        self.untaken = 0  # frames sent and not yet taken
        self.heard = 0.0  # when the page last took a frame, or began to owe one
        self.bad = 0
        self.feeding: asyncio.Task[None] | None = None

    def open(self, *args: str, **kwargs: str) -> None:
        """Name the scene; frames follow once the page is ready."""
        self.set_nodelay(True)
        self.audience.pages.add(self)
        self.feeding = asyncio.create_task(self._feed())
        self.write_message(hello(self.audience.scene))

    def on_message(self, message: str | bytes) -> None:
        """Act on a message of the page; drop and log what makes no sense."""
        try:
            said = parse(message)
            if isinstance(said, Ready):
                self._begin(said.scene)
            elif self.untaken == 0:
                raise ValueError("took a frame that was not sent")
            else:
                self.untaken -= 1
        except ValueError as error:
            self._refuse(str(error))
            return
        self.heard = time.monotonic()
        self.news.set()

    def _begin(self, scene: str) -> None:
        if scene != self.audience.scene:
            raise ValueError("ready for another scene")
        self.ready = True
        self.audience.somebody.set()

    def _refuse(self, reason: str) -> None:
        self.bad += 1
        log.warning("page %s: message dropped: %s", self.request.remote_ip, reason)
        if self.bad == BAD_MESSAGES:
            log.warning("page %s: disconnected after %d such", self.request.remote_ip, self.bad)
            self.close(POLICY_VIOLATION, "messages that make no sense")

    async def _feed(self) -> None:
        """Send frames as they come, no faster than the page takes them."""
        audience = self.audience
        while True:
            waiting = audience.patience if self.untaken else None
            try:
                await asyncio.wait_for(self.news.wait(), waiting)
            except TimeoutError:
                self._give_up()
                return
            self.news.clear()
            if self.untaken >= IN_FLIGHT and time.monotonic() - self.heard > audience.patience:
                self._give_up()
                return
            if self.ready and self.untaken < IN_FLIGHT and self.sent != audience.serial:
                self._send_newest()

    def _send_newest(self) -> None:
        assert self.audience.frame is not None
        with contextlib.suppress(WebSocketClosedError, StreamClosedError):  # on_close follows
            self.write_message(self.audience.frame, binary=True)
        if self.untaken == 0:
            self.heard = time.monotonic()
        self.untaken += 1
        self.sent = self.audience.serial

    def _give_up(self) -> None:
        log.warning("page %s: disconnected, it takes no frames", self.request.remote_ip)
        self.close(POLICY_VIOLATION, "takes no frames")

    def on_close(self) -> None:
        """Leave the audience."""
        self.audience.pages.discard(self)
        if self.feeding:
            self.feeding.cancel()
