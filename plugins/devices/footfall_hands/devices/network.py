"""A hand that another program moves."""

from __future__ import annotations

import ipaddress
import logging
import re
import sys
import time as clock
from typing import Annotated

import numpy as np
from pydantic import Field, field_validator

from footfall.api.config import NonNegative, Positive, Text, Vector3
from footfall.api.geometry import rotation_from_rpy
from footfall.api.interaction import InputDevice, Reading
from footfall.api.plugin import Floats, PluginConfig
from footfall_hands.devices.network_messages import Workspace
from footfall_hands.devices.network_server import Line, NetworkServer

log = logging.getLogger(__name__)


class NetworkConfig(PluginConfig):
    """Where it listens, and how the device's space lies in the world."""

    port: Annotated[int, Field(ge=0, le=65535)] = 7411
    """Port of the WebSocket, [-]; 0: any free one."""
    host: Text = "127.0.0.1"
    """Address to listen at, [-]; any but this machine's own needs a token."""
    token: Annotated[str | None, Field(exclude=True)] = None
    """What the client's address must end in (``?token=``), 16 to 128 letters, digits, - and _; by
    default none for this machine alone, and a new one, which is printed, for any other address. It
    is not stored in recordings, [-]."""
    origin: Vector3 = (0.0, 0.0, 0.0)
    """Where the device's zero is in the world, [m]."""
    orientation: Vector3 = (0.0, 0.0, 0.0)
    """Roll, pitch and yaw of the device's axes in the world, [rad]."""
    scale: Positive = 1.0
    """Metres in the world for each metre of the device, [-]."""
    feedback_rate: Annotated[Positive, Field(le=1000.0)] = 200.0
    """Most messages a second that tell the device what it feels, [Hz]."""
    silence: NonNegative = 0.5
    """Time without a message after which a hand that holds something lets go, [s]; 0: never."""
    patience: Positive = 3.0
    """Time after which a client that does not read is disconnected, [s]."""

    @field_validator("token")
    @classmethod
    def _long_enough(cls, token: str | None) -> str | None:
        if token is not None and not re.fullmatch(r"[A-Za-z0-9_-]{16,128}", token):
            raise ValueError("a token has 16 to 128 letters, digits, - and _; leave it out for one")
        return token


class Network(InputDevice):
    """A hand that other programs move: JSON over a WebSocket, in a thread of its own.

    One client at a time; the newest message counts. What makes no sense is dropped and logged, and
    after ten such messages the client is disconnected.
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
        """Address that a client connects to; empty while it is closed."""
        return "" if self._server is None else self._server.url

    def open(self) -> None:
        """Listen.

        Raises:
            PluginError: if the address or the port cannot be used.
        """
        config = self.config
        here = is_loopback(config.host)
        self._server = NetworkServer(self.line, config.host, config.port, config.token, open_=here)
        self._server.start()
        print(f"Input device: {self._server.url}", file=sys.stderr, flush=True)

    def read(self, time: float) -> Reading | None:
        """Return the newest message; None: nobody is connected, or has said anything for long."""
        newest, limit = self.line.newest, self.config.silence
        if newest is None:
            return None
        reading, heard = newest
        if limit and reading.holds and clock.monotonic() - heard > limit:
            if not self._silent:
                log.warning("the client is silent for %g s while it holds", limit)
            self._silent = True
            return None
        self._silent = False
        return reading

    def feel(self, time: float, force: Floats, moment: Floats) -> None:
        """Leave what the user feels for the server's thread, instead of any left before."""
        self.line.felt = time, force.copy(), moment.copy()

    def close(self) -> None:
        """Disconnect the client and stop listening."""
        if self._server is not None:
            self._server.stop()
            self._server = None
        self.line.newest = self.line.felt = None


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
