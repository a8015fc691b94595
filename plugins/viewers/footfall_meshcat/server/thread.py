"""The web server: a thread of its own, by default bound to this machine only."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import secrets
import socket
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from tornado.httpserver import HTTPServer
from tornado.web import Application

from footfall.api.advanced import Listener, LiveStatus, ViewerCommand
from footfall.api.plugin import PluginError
from footfall.api.viewer import SceneGraph
from footfall_meshcat.server.access import TOKEN_BYTES, Access
from footfall_meshcat.server.address import Address
from footfall_meshcat.server.audience import Audience
from footfall_meshcat.server.page_socket import PageSocket
from footfall_meshcat.server.site import ContentHandler, Shelf, Site
from footfall_meshcat.server.status import StatusWriter

log = logging.getLogger(__name__)

PORTS = range(7000, 7100)
"""Ports to try if none is given."""
LONGEST = 65536
"""Longest message that is received at all, [byte]; a longer one ends the connection."""
GOING_AWAY = 1001
PARTING = 1.0
"""Longest time that pages have to take the last frame, [s]."""
BANDWIDTH = 150e3
"""Largest rate of frames that are not urgent, per page, [byte/s]."""
CHECK = 0.25
"""Time between checks for pages that have stopped reading or sending, [s]."""


class Server:
    """Server of a site: it sends frames and status to every page, and collects their commands."""

    def __init__(
        self,
        site: Site,
        interval: float,
        *,
        port: int = 0,
        host: str = "127.0.0.1",
        token: str | None = None,
        patience: float = 20.0,
    ) -> None:
        """Bind the port.

        Args:
            site: site to serve.
            interval: shortest time between frames that are not urgent, [s].
            port: port to listen at; 0 for the first free one of ``PORTS``.
            host: address to listen at.
            token: required token; None: a new one.
            patience: time after which a page that takes no frames is disconnected, [s].

        Raises:
            PluginError: if the host is not known, or the port is in use or cannot be used.
        """
        address = Address.of(host)
        self.audience = Audience(site.scene, patience)
        self._interval = interval
        self._newest: tuple[int, bytes] | None = None
        self._status: tuple[LiveStatus, int] | None = None
        self._writer = StatusWriter()
        self._socket = _bind(address, port)
        self.port: int = self._socket.getsockname()[1]
        token = token or secrets.token_urlsafe(TOKEN_BYTES)
        self._access = Access(address, self.port, token, self.audience.complaints)
        self._shelf = Shelf(site)
        self._running = threading.Event()
        self._builder = ThreadPoolExecutor(1, "footfall-meshcat-scene")
        self._thread = threading.Thread(target=self._run, name="footfall-meshcat", daemon=True)

    @property
    def url(self) -> str:
        """Address of the page."""
        return self._access.url

    def start(self) -> None:
        """Start the server, and return once it serves."""
        self._thread.start()
        self._running.wait()

    def publish(self, frame: bytes, version: int = 0, *, urgent: bool = False) -> None:
        """Pass a frame to all pages; it replaces an older one that waits.

        This is only an assignment. Waking the server's thread would cost a system call, and often
        the interpreter's lock: 100 microseconds and more. The thread polls instead. Only an urgent
        frame, for which a user's hand waits, wakes it.

        Args:
            frame: message of the frame.
            version: version of the scene that it shows.
            urgent: whether to send it at once, even above the frame rate.
        """
        self._newest = version, frame
        if urgent:
            self._loop.call_soon_threadsafe(self._pass_on)

    def tell(self, status: LiveStatus, watch: int) -> None:
        """Pass a status to all pages; it replaces an older one. This is only an assignment too."""
        self._status = status, watch

    def commands(self) -> Sequence[ViewerCommand]:
        """Return the commands of pages since the last call."""
        return self.audience.inbox.take()

    def replace(self, graph: SceneGraph, version: int) -> None:
        """Serve another scene as soon as another thread has prepared it."""
        self._builder.submit(self._prepare, graph, version)

    def stop(self) -> None:
        """Close the pages' connections and stop."""
        if self._thread.is_alive():
            self._builder.shutdown(cancel_futures=True)
            self._loop.call_soon_threadsafe(self._stopped.set)
            self._thread.join()

    def _prepare(self, graph: SceneGraph, version: int) -> None:
        try:
            site = self._shelf.site.showing(graph)
        except Exception:  # an error here must not stop the run
            log.exception("the viewer cannot show the changed scene")
        else:
            self._loop.call_soon_threadsafe(self._exchange, site, version)

    def _exchange(self, site: Site, version: int) -> None:
        if version > self.audience.version:
            self._shelf.site = site
            self.audience.change_scene(site.scene, version)

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopped = asyncio.Event()
        server = HTTPServer(
            _application(self._shelf, self.audience, self._access),
            max_header_size=16384,
            max_body_size=4096,
            idle_connection_timeout=Listener.IDLE,
            body_timeout=Listener.IDLE,
        )
        server.add_socket(self._socket)
        self._running.set()
        looking = [asyncio.create_task(self._look()), asyncio.create_task(self._check())]
        await self._stopped.wait()
        for task in looking:
            task.cancel()
        await self._finish()
        server.stop()
        for page in list(self.audience.pages):
            page.close(GOING_AWAY, "the run has ended")
        await asyncio.sleep(0.05)  # time to send the closing messages
        with contextlib.suppress(TimeoutError):  # some may never end in a flood of requests
            await asyncio.wait_for(server.close_all_connections(), 1.0)

    async def _look(self) -> None:
        """Send frames, at most at the frame rate."""
        while True:
            sent = self._pass_on()
            await asyncio.sleep(
                max(self._interval, sent / BANDWIDTH) if sent else self._interval / 4.0
            )

    async def _check(self) -> None:
        while True:
            await asyncio.sleep(min(CHECK, self.audience.patience / 4.0))
            self.audience.check()

    async def _finish(self) -> None:
        """Send the last frame to every page that keeps up."""
        self._pass_on()
        end = time.monotonic() + PARTING
        while self.audience.lagging and time.monotonic() < end:
            await asyncio.sleep(0.01)

    def _pass_on(self) -> int:
        """Send waiting status and frame; return the size of the frame, [byte].

        The status goes first: it explains the values in a frame.
        """
        told, self._status = self._status, None
        if told is not None:
            self.audience.tell(self._writer.write(*told))
        newest, self._newest = self._newest, None
        if newest is not None:
            self.audience.publish(*newest)
        return len(newest[1]) if newest is not None else 0


def _application(shelf: Shelf, audience: Audience, access: Access) -> Application:
    application = Application(websocket_max_message_size=LONGEST, log_function=lambda handler: None)
    routes = [
        (path, ContentHandler, {"shelf": shelf, "path": path, "access": access})
        for path in shelf.site.contents
    ]
    socket_route = ("/socket", PageSocket, {"audience": audience, "access": access})
    application.add_handlers(access.address.names, [*routes, socket_route])
    return application


def _bind(address: Address, port: int) -> socket.socket:
    for candidate in [port] if port else PORTS:
        try:
            listening = socket.create_server((str(address.ip), candidate), family=address.family)
        except OSError as error:
            if port or error.errno != errno.EADDRINUSE:
                reason = error.strerror or str(error)
                raise PluginError(
                    f'visualizer "meshcat": port {candidate} of {address.ip} cannot be used '
                    f"({reason}); choose another, or 0 for the first free one"
                ) from error
        else:
            return Listener(listening)
    raise PluginError(
        f'visualizer "meshcat": every port from {PORTS[0]} to {PORTS[-1]} is in use; choose one'
    )
