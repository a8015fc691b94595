"""The web server: a thread of its own, bound to this machine alone."""

from __future__ import annotations

import asyncio
import errno
import socket
import threading
import time

from tornado.httpserver import HTTPServer
from tornado.web import Application

from footfall.errors import PluginError
from footfall_meshcat.messages import MAX_MESSAGE
from footfall_meshcat.page_socket import Audience, PageSocket
from footfall_meshcat.site import ContentHandler, Site

ADDRESS = "127.0.0.1"
PORTS = range(7000, 7100)
"""Ports tried when none is asked for."""
HOSTS = r"(127\.0\.0\.1|localhost)"
"""Names by which the server may be addressed: keeps pages of other hosts from reading along."""
GOING_AWAY = 1001
PARTING = 1.0
"""Longest time that pages are given to take the last frame, [s]."""


class Server:
    """Serves a site and passes frames on to every open page."""

    def __init__(self, site: Site, port: int, interval: float, patience: float = 20.0) -> None:
        """Bind the port.

        Args:
            site: what is served.
            port: 0 for the first free one of ``PORTS``.
            interval: least time between frames to one page, [s].
            patience: time after which a page that takes no frames is disconnected, [s].

        Raises:
            PluginError: if the port is in use, or cannot be used.
        """
        self.audience = Audience(site.scene, patience)
        self._interval = interval
        self._newest: bytes | None = None
        self._application = _application(site, self.audience)
        self._socket = _bind(port)
        self.port: int = self._socket.getsockname()[1]
        self._running = threading.Event()
        self._thread = threading.Thread(target=self._run, name="footfall-meshcat", daemon=True)

    @property
    def url(self) -> str:
        """Address of the page."""
        return f"http://{ADDRESS}:{self.port}/"

    def start(self) -> None:
        """Start serving; returns when it does."""
        self._thread.start()
        self._running.wait()

    def publish(self, frame: bytes) -> None:
        """Leave a frame for all pages instead of any left before.

        Nothing but an assignment: waking the server's thread from here would cost a system call,
        and often the interpreter's lock, a hundred microseconds and more. The thread comes and
        looks instead.
        """
        self._newest = frame

    def stop(self) -> None:
        """Say goodbye to the pages and stop."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopped.set)
            self._thread.join()

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopped = asyncio.Event()
        server = HTTPServer(self._application, max_header_size=16384, max_body_size=MAX_MESSAGE)
        server.add_socket(self._socket)
        self._running.set()
        looking = asyncio.create_task(self._look())
        await self._stopped.wait()
        looking.cancel()
        await self._finish()
        server.stop()
        for page in list(self.audience.pages):
            page.close(GOING_AWAY, "the run has ended")
        await asyncio.sleep(0.05)  # lets the goodbyes go out
        await server.close_all_connections()

    async def _look(self) -> None:
        """Pass frames on, no faster than the cap."""
        while True:
            await asyncio.sleep(self._interval if self._pass_on() else self._interval / 4.0)

    async def _finish(self) -> None:
        """Let every page that keeps up have the last frame."""
        self._pass_on()
        end = time.monotonic() + PARTING
        while self.audience.lagging and time.monotonic() < end:
            await asyncio.sleep(0.01)

    def _pass_on(self) -> bool:
        newest, self._newest = self._newest, None
        if newest is not None:
            self.audience.publish(newest)
        return newest is not None


def _application(site: Site, audience: Audience) -> Application:
    application = Application(
        websocket_max_message_size=MAX_MESSAGE, log_function=lambda handler: None
    )
    routes = [
        (path, ContentHandler, {"content": content}) for path, content in site.contents.items()
    ]
    application.add_handlers(HOSTS, [*routes, ("/socket", PageSocket, {"audience": audience})])
    return application


def _bind(port: int) -> socket.socket:
    for candidate in [port] if port else PORTS:
        try:
            listening = socket.create_server((ADDRESS, candidate))
        except OSError as error:
            if port or error.errno != errno.EADDRINUSE:
                reason = error.strerror or str(error)
                raise PluginError(
                    f'visualizer "meshcat": port {candidate} of {ADDRESS} cannot be used '
                    f"({reason}); choose another, or 0 for the first free one"
                ) from error
        else:
            listening.setblocking(False)
            return listening
    raise PluginError(
        f'visualizer "meshcat": every port from {PORTS[0]} to {PORTS[-1]} is in use; choose one'
    )
