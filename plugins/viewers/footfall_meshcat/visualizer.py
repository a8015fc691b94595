"""The visualizer ``meshcat``: live pages in a web browser."""

from __future__ import annotations

import contextlib
import re
import sys
import threading
from collections.abc import Sequence
from typing import Literal

from pydantic import Field, field_validator

from footfall.api.advanced import InteractiveVisualizer, LiveStatus, ViewerCommand
from footfall.api.plugin import PluginConfig
from footfall.api.viewer import Frame, SceneGraph
from footfall_meshcat.browser import open_page
from footfall_meshcat.drawing.payload import View
from footfall_meshcat.server.messages import FramePacker
from footfall_meshcat.server.site import Site
from footfall_meshcat.server.thread import Server

LOOK = 0.2
"""Time between checks while waiting for a page, [s]."""
LOOKS = 25
"""Number of checks before a note on the wait is printed, [-]."""


class MeshcatConfig(PluginConfig):
    """The table of the visualizer ``meshcat``."""

    host: str = Field(default="127.0.0.1", min_length=1, max_length=253)
    """Who can open the page. 127.0.0.1: only this machine; 0.0.0.0: any machine."""
    port: int = Field(default=0, ge=0, le=65535)
    """Port; 0: the first free one from 7000."""
    token: str | None = None
    """Password in the page's address (``?token=``): 16 to 128 letters, digits, - and _. Default: a
    new one per run."""
    open_browser: bool = False
    """Open the page in the default browser."""
    wait: bool = False
    """Wait for a page before the first step."""
    frame_rate: float = Field(default=60.0, gt=0.0, le=1000.0)
    """Largest frame rate, [1/s]."""
    speed: float = Field(default=1.0, ge=0.0)
    """Simulated seconds per second of real time, [s/s]; 0: as fast as possible."""
    follow: Literal["none", "base", "com"] = "base"
    """Target of the camera at the start; ``com``: the centre of mass."""
    contact_forces: bool = True
    """Show arrows of contact forces."""

    @field_validator("token")
    @classmethod
    def _long_enough(cls, token: str | None) -> str | None:
        if token is not None and not re.fullmatch(r"[A-Za-z0-9_-]{16,128}", token):
            raise ValueError("must be 16 to 128 letters, digits, - and _; omit it to get a new one")
        return token


class Meshcat(InteractiveVisualizer):
    """Web pages that show the scene."""

    name = "meshcat"
    Config = MeshcatConfig

    def __init__(self, config: MeshcatConfig) -> None:
        self.config = config
        self._server: Server | None = None
        self._packer: FramePacker | None = None
        self._version = 0  # version of the scene
        self._serial = 0  # serial of the newest hand move shown
        self._watched: tuple[str, ...] = ()
        self._watch = 0  # number of the list of watched signals

    def open(self, graph: SceneGraph) -> None:
        """Start serving the scene, and print the address on standard error.

        If a server runs already, as after an earlier run, its pages show the new scene.
        """
        if self._server is not None:
            self._server.commands()  # drop commands from after that run
            self.replace(graph)
            return
        config = self.config
        site = Site.of(graph, View(config.follow, config.contact_forces))
        self._packer, self._version = FramePacker(graph), 0
        self._server = Server(
            site,
            1.0 / config.frame_rate,
            port=config.port,
            host=config.host,
            token=config.token,
        )
        self._server.start()
        print(f"Viewer: {self._server.url}", file=sys.stderr, flush=True)
        if config.open_browser:
            open_page(self._server.url)

    @property
    def url(self) -> str | None:
        """Address of the page; None unless open."""
        return self._server.url if self._server else None

    def show(self, frame: Frame) -> None:
        """Pass a copy of the frame to the server; do nothing if not open.

        A frame with the effect of a new move of the hand goes out at once.
        """
        if self._server and self._packer:
            message = self._packer.pack(frame, self._watch)
            urgent, self._serial = frame.serial != self._serial, frame.serial
            self._server.publish(message, self._version, urgent=urgent)

    def commands(self) -> Sequence[ViewerCommand]:
        """Return the commands of pages since the last call."""
        return self._server.commands() if self._server else ()

    def tell(self, status: LiveStatus) -> None:
        """Send a status to every page; later frames have the values of ``status.watched``."""
        if status.watched != self._watched:
            self._watched = status.watched
            self._watch += 1
        if self._server:
            self._server.tell(status, self._watch)

    def replace(self, graph: SceneGraph) -> None:
        """Serve another scene; pages load it once it is prepared, and continue."""
        if self._server:
            self._version += 1
            self._packer = FramePacker(graph)
            self._server.replace(graph, self._version)

    def wait_until_open(self) -> None:
        """Block until a page shows the scene, if the setting ``wait`` is on.

        After a few seconds without a page, print a note on standard error.
        """
        if self.config.wait and self._server:
            looks = 0
            while not self._server.audience.somebody.wait(LOOK):  # short, so that Ctrl-C gets in
                looks += 1
                if looks == LOOKS:
                    note = f"waiting for a page: open {self._server.url}, or end with Ctrl-C"
                    print(note, file=sys.stderr, flush=True)

    def wait_until_closed(self) -> None:
        """Keep the pages alive until Ctrl-C."""
        if self._server:
            with contextlib.suppress(KeyboardInterrupt):
                while not threading.Event().wait(3600.0):
                    pass

    def close(self) -> None:
        """Stop serving; pages keep their last picture."""
        server, self._server = self._server, None
        if server:
            server.stop()

    @property
    def frame_interval(self) -> float | None:
        """Simulated time between frames at the capped rate, [s]."""
        return (self.speed or 1.0) / self.config.frame_rate

    @property
    def speed(self) -> float | None:
        """Simulated seconds per second; None for as fast as possible."""
        return self.config.speed or None
