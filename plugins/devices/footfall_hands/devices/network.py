"""A hand moved by another program."""

from __future__ import annotations

import logging
import re
import sys
import time as clock
from typing import Annotated

import numpy as np
from pydantic import Field, field_validator

from footfall.api.engine import rotation_from_rpy
from footfall.api.plugin import Floats, NonNegative, PluginConfig, Positive, Text, Vector3
from footfall.api.viewer import InputDevice, Reading
from footfall_hands.devices.network_messages import Workspace
from footfall_hands.devices.network_server import Line, NetworkServer

log = logging.getLogger(__name__)


class NetworkConfig(PluginConfig):
    """Address of the server, and pose of the device's space in the world."""

    port: Annotated[int, Field(ge=0, le=65535)] = 7411
    """Port of the WebSocket, [-]; 0: any free one."""
    host: Text = "127.0.0.1"
    """Who can connect, [-]. 127.0.0.1: only this machine; 0.0.0.0: any machine."""
    token: Annotated[str | None, Field(exclude=True)] = None
    """Password in the client's address (``?token=``), [-]: 16 to 128 letters, digits, - and _.
    Default: a new one per run, which is printed."""
    origin: Vector3 = (0.0, 0.0, 0.0)
    """Origin of the device's space in the world, [m]."""
    orientation: Vector3 = (0.0, 0.0, 0.0)
    """Roll, pitch, yaw of the device's axes in the world, [rad]."""
    scale: Positive = 1.0
    """Metres in the world per metre of the device, [-]."""
    feedback_rate: Annotated[Positive, Field(le=1000.0)] = 200.0
    """Largest rate of force messages to the device, [Hz]."""
    silence: NonNegative = 0.5
    """A closed hand opens after this time without messages, [s]; 0: never."""
    patience: Positive = 3.0
    """A client that does not read its messages is disconnected after this time, [s]."""

    @field_validator("token")
    @classmethod
    def _long_enough(cls, token: str | None) -> str | None:
        if token is not None and not re.fullmatch(r"[A-Za-z0-9_-]{16,128}", token):
            raise ValueError("must be 16 to 128 letters, digits, - and _; omit it to get a new one")
        return token


class Network(InputDevice):
    """A hand moved by another program: JSON over a WebSocket.

    It serves one client at a time. The newest message counts.
    """

    name = "network"
    Config = NetworkConfig

    def __init__(self, config: NetworkConfig) -> None:
        self.config = config
        space = np.array(config.origin), rotation_from_rpy(config.orientation), config.scale
        self.line = Line(Workspace(*space), 1.0 / config.feedback_rate, config.patience)
        self._server: NetworkServer | None = None
        self._silent = False

    @property
    def url(self) -> str:
        """Address for clients; empty while the device is closed."""
        return "" if self._server is None else self._server.url

    def open(self) -> None:
        """Start the server.

        Raises:
            PluginError: if the address or the port cannot be used.
        """
        config = self.config
        self._server = NetworkServer(self.line, config.host, config.port, config.token)
        self._server.start()
        print(f"Input device: {self._server.url}", file=sys.stderr, flush=True)

    def read(self, time: float) -> Reading | None:
        """Return the newest reading; None if there is no client, or it is silent for too long."""
        newest, limit = self.line.newest, self.config.silence
        if newest is None:
            return None
        reading, heard = newest
        if limit and reading.holds and clock.monotonic() - heard > limit:
            if not self._silent:
                log.warning("the client has been silent for %g s while its hand holds", limit)
            self._silent = True
            return None
        self._silent = False
        return reading

    def feel(self, time: float, force: Floats, moment: Floats) -> None:
        """Pass the user's force and moment to the server's thread; they replace older ones."""
        self.line.felt = time, force.copy(), moment.copy()

    def close(self) -> None:
        """Disconnect the client and stop listening."""
        if self._server is not None:
            self._server.stop()
            self._server = None
        self.line.newest = self.line.felt = None
