"""The server of a network device: a thread of its own."""

from __future__ import annotations

import asyncio
import secrets
import socket
import threading
from dataclasses import dataclass

from tornado.httpserver import HTTPServer
from tornado.web import Application

from footfall.api.errors import PluginError
from footfall.api.interaction import Reading
from footfall.api.plugin import Floats
from footfall_hands.devices.client_socket import ClientSocket, Door
from footfall_hands.devices.network_messages import LONGEST, Workspace

SLACK = 4
"""Bytes of a message for each character, at most."""
PARTING = 0.05
"""Time that a goodbye gets to go out, [s]."""


@dataclass(slots=True)
class Line:
    """What the simulation's thread and the server's leave for each other: the newest of each.

    Attributes:
        space: where the device is in the world.
        interval: least time between messages to the client, [s].
        patience: time after which a client that does not read is disconnected, [s].
        newest: reading, and when it came [s, monotonic clock]; None: nobody is there.
        felt: simulated time [s], force [N] and moment [N m] on the user; None: nothing new.
    """

    space: Workspace
    interval: float
    patience: float
    newest: tuple[Reading, float] | None = None
    felt: tuple[float, Floats, Floats] | None = None


class NetworkServer:
    """Serves one WebSocket."""

    def __init__(self, line: Line, host: str, port: int, token: str | None, *, open_: bool) -> None:
        """Bind the port.

        Args:
            line: to the simulation.
            host: address to listen at.
            port: 0: any free one.
            token: that a client must have; None: a new one, or none if ``open_``.
            open_: whether nobody but this machine can connect.

        Raises:
            PluginError: if the address or the port cannot be used.
        """
        token = token if token is not None or open_ else secrets.token_urlsafe(24)
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            self._socket = socket.create_server((host, port), family=family)
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise PluginError(
                f'input_device "network": port {port} of {host} cannot be used ({reason}); choose '
                "another, or 0 for any free one"
            ) from error
        self._socket.setblocking(False)
        self.port: int = self._socket.getsockname()[1]
        name = f"[{host}]" if ":" in host else host
        self.url = f"ws://{name}:{self.port}/" + (f"?token={token}" if token else "")
        door = Door(token)
        self._application = Application(
            [("/", ClientSocket, {"line": line, "door": door})],
            websocket_max_message_size=SLACK * LONGEST,
            log_function=lambda handler: None,
        )
        self._door, self._running = door, threading.Event()
        self._thread = threading.Thread(target=self._run, name="footfall-device", daemon=True)

    def start(self) -> None:
        """Start serving; returns when it does."""
        self._thread.start()
        self._running.wait()

    def stop(self) -> None:
        """Disconnect the client and stop."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopped.set)
            self._thread.join()

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopped = asyncio.Event()
        server = HTTPServer(self._application, max_header_size=8192, max_body_size=LONGEST)
        server.add_socket(self._socket)
        self._running.set()
        await self._stopped.wait()
        server.stop()
        if self._door.client is not None:
            self._door.client.leave("the run has ended")
            await asyncio.sleep(PARTING)
        await server.close_all_connections()
