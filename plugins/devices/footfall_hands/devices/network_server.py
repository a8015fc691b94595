"""The server of a network device: a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import threading
from dataclasses import dataclass

from tornado.httpserver import HTTPServer
from tornado.web import Application

from footfall.api.advanced import Listener
from footfall.api.plugin import Floats, PluginError
from footfall.api.viewer import Reading
from footfall_hands.devices.client_socket import ClientSocket, Door
from footfall_hands.devices.network_messages import LONGEST, Workspace

SLACK = 4
"""Largest number of bytes per character of a message."""
PARTING = 0.05
"""Time to send the closing message, [s]."""


@dataclass(slots=True)
class Line:
    """Newest data exchanged between the simulation's thread and the server's.

    Attributes:
        space: pose of the device's space in the world.
        interval: shortest time between messages to the client, [s].
        patience: time after which a client that does not read is disconnected, [s].
        newest: reading, and its time of arrival [s, monotonic clock]; None without a client.
        felt: simulated time [s], force [N] and moment [N m] on the user; None if nothing is new.
    """

    space: Workspace
    interval: float
    patience: float
    newest: tuple[Reading, float] | None = None
    felt: tuple[float, Floats, Floats] | None = None


class NetworkServer:
    """Server of one WebSocket."""

    def __init__(self, line: Line, host: str, port: int, token: str | None) -> None:
        """Bind the port.

        Args:
            line: data exchanged with the simulation.
            host: address to listen at.
            port: port to listen at; 0: any free one.
            token: token that a client must have; None: a new one.

        Raises:
            PluginError: if the address or the port cannot be used.
        """
        token = token or secrets.token_urlsafe(24)
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            self._socket = Listener(socket.create_server((host, port), family=family))
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise PluginError(
                f'input_device "network": port {port} of {host} cannot be used ({reason}); choose '
                "another, or 0 for any free one"
            ) from error
        self.port: int = self._socket.getsockname()[1]
        name = f"[{host}]" if ":" in host else host
        self.url = f"ws://{name}:{self.port}/?token={token}"
        door = Door(token)
        self._application = Application(
            [("/", ClientSocket, {"line": line, "door": door})],
            websocket_max_message_size=SLACK * LONGEST,
            log_function=lambda handler: None,
        )
        self._door, self._running = door, threading.Event()
        self._thread = threading.Thread(target=self._run, name="footfall-device", daemon=True)

    def start(self) -> None:
        """Start the server, and return once it serves."""
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
        server = HTTPServer(
            self._application,
            max_header_size=8192,
            max_body_size=LONGEST,
            idle_connection_timeout=Listener.IDLE,
            body_timeout=Listener.IDLE,
        )
        server.add_socket(self._socket)
        self._running.set()
        await self._stopped.wait()
        server.stop()
        if self._door.client is not None:
            self._door.client.leave("the run has ended")
            await asyncio.sleep(PARTING)
        with contextlib.suppress(TimeoutError):  # some may never end in a flood of requests
            await asyncio.wait_for(server.close_all_connections(), 1.0)
