"""Replays: a page that plays a recorded motion, served until Ctrl-C."""

from __future__ import annotations

import contextlib
import sys
import threading
from pathlib import Path

import numpy as np

from footfall.api.errors import RecordingError
from footfall.api.plugin import Registry
from footfall_meshcat.browser import open_page
from footfall_meshcat.recorded.motion import recorded_motion
from footfall_meshcat.server.site import Site
from footfall_meshcat.server.thread import Server


def replay_recording(
    recording: Path,
    registry: Registry,
    *,
    speed: float,
    loop: bool,
    trust: bool = False,
    open_browser: bool = True,
) -> None:
    """Serve a page that plays a recording, and say where on standard error, until Ctrl-C.

    Args:
        recording: a run.
        registry: of what the recording's scene needs.
        speed: at which it plays at first, simulated seconds a second, positive.
        loop: whether it begins again at the end, likewise.
        trust: whether functions that the scene names may be imported.
        open_browser: whether to open the page in the default browser.

    Raises:
        RecordingError: if it cannot be shown, or the speed is not positive.
    """
    if not (np.isfinite(speed) and speed > 0.0):
        raise RecordingError(f"the speed of a replay must be positive, not {speed}")
    graph, motion = recorded_motion(recording, registry, trust=trust)
    motion.check(graph)
    site = Site.playing(graph, motion, speed=speed, loop=loop)
    server = Server(site, interval=1.0)
    server.start()
    try:
        print(f"Viewer: {server.url}", file=sys.stderr, flush=True)
        if open_browser:
            open_page(server.url)
        with contextlib.suppress(KeyboardInterrupt):
            while not threading.Event().wait(3600.0):
                pass
    finally:
        server.stop()
