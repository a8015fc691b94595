"""Replays: serve a page that plays a recorded motion, until Ctrl-C."""

from __future__ import annotations

import contextlib
import sys
import threading
from pathlib import Path

import numpy as np

from footfall.api.plugin import RecordingError, Registry
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
) -> None:
    """Serve and open a page that plays a recording until Ctrl-C; print its address on stderr.

    Args:
        recording: a run.
        registry: registry of the plugins that the scene needs.
        speed: initial speed, simulated seconds per second, positive.
        loop: whether it initially starts again at the end.
        trust: whether functions named in the scene may be imported.

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
        open_page(server.url)
        with contextlib.suppress(KeyboardInterrupt):
            while not threading.Event().wait(3600.0):
                pass
    finally:
        server.stop()
