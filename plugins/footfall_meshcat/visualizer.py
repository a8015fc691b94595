"""The visualizer ``meshcat``: live pages in a web browser, on this machine only."""

from __future__ import annotations

import contextlib
import sys
import threading
from typing import Literal

from pydantic import Field

from footfall.plugin import PluginConfig
from footfall.roles.visualizer import Frame, SceneGraph, Visualizer
from footfall.viewing.scene_payload import View
from footfall_meshcat.browser import open_page
from footfall_meshcat.messages import FramePacker
from footfall_meshcat.server import Server
from footfall_meshcat.site import Site


class MeshcatConfig(PluginConfig):
    """The table of the visualizer ``meshcat``."""

    port: int = Field(default=0, ge=0, le=65535)
    """Port of the page on 127.0.0.1; 0: the first free one from 7000."""
    open_browser: bool = False
    """Whether to open the page in the default browser."""
    wait: bool = False
    """Whether to wait, before the first step, until a page shows the scene."""
    frame_rate: float = Field(default=25.0, gt=0.0, le=1000.0)
    """Most frames a second that are shown [1/s]."""
    speed: float = Field(default=1.0, ge=0.0)
    """Simulated seconds a second that the run is held to, [s/s]; 0: as fast as possible."""
    follow: Literal["none", "base", "com"] = "base"
    """What the camera follows at first: nothing, the first body's base, the centre of mass."""
    contact_forces: bool = True
    """Whether the arrows of contact forces are shown at first."""


class Meshcat(Visualizer):
    """Serves pages that show the scene; the simulation never waits for them.

    Frames go to a server in a thread of its own. Each page gets the newest one when it has taken
    those before; what it has no time for is dropped.
    """

    name = "meshcat"
    Config = MeshcatConfig

    def __init__(self, config: MeshcatConfig) -> None:
        self.config = config
        self._server: Server | None = None
        self._packer: FramePacker | None = None

    def open(self, graph: SceneGraph) -> None:
        """Start serving the scene and say where, on standard error."""
        config = self.config
        site = Site.of(graph, View(config.follow, config.contact_forces))
        self._packer = FramePacker(graph)
        self._server = Server(site, config.port, 1.0 / config.frame_rate)
        self._server.start()
        print(f"Viewer: {self._server.url}", file=sys.stderr, flush=True)
        if config.open_browser:
            open_page(self._server.url)

    @property
    def url(self) -> str | None:
        """Address of the page, None unless open."""
        return self._server.url if self._server else None

    def show(self, frame: Frame) -> None:
        """Hand a copy of the frame to the server; nothing if not open."""
        if self._server and self._packer:
            self._server.publish(self._packer.pack(frame))

    def wait_until_open(self) -> None:
        """Block until a page shows the scene, if the configuration asks to wait; else return."""
        if self.config.wait and self._server:
            while not self._server.audience.somebody.wait(0.2):  # short, so that Ctrl-C gets in
                pass

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
        """Simulated seconds a second, None for as fast as possible."""
        return self.config.speed or None
