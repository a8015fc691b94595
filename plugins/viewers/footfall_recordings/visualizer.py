"""The visualizer ``rerun``: a run in Rerun's live viewer, or in a file for it."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import subprocess
import sys
import threading
import urllib.parse
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from socket import create_connection
from time import monotonic, sleep, time
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field, field_validator, model_validator

from footfall.api.plugin import PluginConfig, SettingError
from footfall.api.viewer import Frame, SceneGraph, Visualizer
from footfall_recordings.rerun_scene import log_scene, send_motion, send_scalars

if TYPE_CHECKING:
    import rerun

LOOK = 0.25
"""Time between attempts to reach a viewer that does not listen yet, [s]."""
TOGETHER = 0.05
"""Time in which frames are collected before they are logged together, [s]."""
DONE = 30.0
"""Longest wait for the last frames to reach the file or the viewer, [s]."""


class RerunConfig(PluginConfig):
    """The table of the visualizer ``rerun``."""

    file: str | None = None
    """Write the run to this .rrd file instead of showing it. The folder must exist."""
    overwrite: bool = False
    """Replace an existing file."""
    address: str = "rerun+http://127.0.0.1:9876/proxy"
    """Address of the viewer; default: that of ``rerun`` on this machine."""
    open_viewer: bool = False
    """Start a viewer on this machine if none runs."""
    frame_rate: float = Field(default=50.0, gt=0.0, le=1000.0)
    """Frames per simulated second, [1/s]."""
    speed: float = Field(default=0.0, ge=0.0)
    """Simulated seconds per second of real time, [s/s]; 0: as fast as possible."""

    @field_validator("file")
    @classmethod
    def _named_so(cls, file: str | None) -> str | None:
        if file is not None and not file.endswith(".rrd"):
            raise ValueError("must end in .rrd")
        return file

    @field_validator("address")
    @classmethod
    def _an_address(cls, address: str) -> str:
        parts = urllib.parse.urlsplit(address)
        known = parts.scheme in ("rerun", "rerun+http", "rerun+https")
        if not (known and parts.hostname and parts.path == "/proxy"):
            raise ValueError("must be like rerun+http://127.0.0.1:9876/proxy")
        return address

    @model_validator(mode="after")
    def _one_place(self) -> RerunConfig:
        if self.file is not None and self.open_viewer:
            raise ValueError("give file or open_viewer, not both")
        return self


class Rerun(Visualizer):
    """Show bodies, ground and contact forces in the viewer Rerun, or write them to a file.

    Plots show the position of the centre of mass, and the sum of the magnitudes of all contact
    forces. The timeline ``time`` is simulated time.
    """

    name = "rerun"
    Config = RerunConfig

    def __init__(self, config: RerunConfig) -> None:
        self.config = config
        self._queue: SimpleQueue[Any] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def open(self, graph: SceneGraph) -> None:
        """Start to log a scene; a second run continues in the same file or viewer.

        Raises:
            SettingError: if the file exists and may not be replaced, or cannot be written.
        """
        if self._thread is None:
            import rerun  # noqa: F401  # import here, not in the thread: it takes a second

            sink = _Sink(self.config, graph.title)
            if self.config.file is not None:
                sink.begin_file(Path(self.config.file))
            work = _Log(sink).run
            self._thread = threading.Thread(target=work, args=(self._queue,), daemon=True)
            self._thread.start()
            atexit.register(self.close)
        self._queue.put(graph)

    def show(self, frame: Frame) -> None:
        """Pass a copy of the frame to the logging thread."""
        if self._thread is not None:
            arrays = frame.poses, frame.contact_position, frame.contact_force, frame.com
            kept = tuple(np.array(array, float) for array in arrays)
            self._queue.put((float(frame.time), *kept))

    def close(self) -> None:
        """Wait until everything is logged, and end the recording."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(None)
            thread.join(DONE)
            atexit.unregister(self.close)

    @property
    def frame_interval(self) -> float | None:
        """Simulated time between frames, [s]."""
        return 1.0 / self.config.frame_rate

    @property
    def speed(self) -> float | None:
        """Simulated seconds per second, None if not limited."""
        return self.config.speed or None


class _Sink:
    """Destination of the log: a file, or a viewer once it listens."""

    def __init__(self, config: RerunConfig, title: str) -> None:
        self.config, self.title = config, title
        self.stream: rerun.RecordingStream | None = None
        self._viewer: subprocess.Popen[bytes] | None = None
        self._told = False
        self._looked = -LOOK

    def begin_file(self, file: Path) -> None:
        """Start a file.

        Raises:
            SettingError: if it exists and may not be replaced, or cannot be written.
        """
        if file.exists() and not self.config.overwrite:
            raise SettingError(
                f"{file} exists: choose another name or give overwrite = true", "file"
            )
        try:
            file.open("wb").close()
        except OSError as error:
            raise SettingError(f"{file} cannot be written: {error.strerror}", "file") from error
        self.stream = self._new_stream()
        self.stream.save(str(file))

    def ready(self) -> bool:
        """Return whether the destination is ready; try to reach the viewer if not."""
        if self.stream is not None:
            return True
        now = monotonic()
        if now - self._looked < LOOK:
            return False
        self._looked = now
        parts = urllib.parse.urlsplit(self.config.address)
        host, port = parts.hostname or "127.0.0.1", parts.port or 9876
        try:
            create_connection((host, port), LOOK).close()
        except OSError:
            self._not_there(host, port)
            return False
        self.stream = self._new_stream()
        self.stream.connect_grpc(self.config.address)
        return True

    def _new_stream(self) -> rerun.RecordingStream:
        import rerun

        return rerun.RecordingStream("footfall", recording_id=f"{self.title} {time():.3f}")

    def _not_there(self, host: str, port: int) -> None:
        if self.config.open_viewer and self._viewer is None and host in ("127.0.0.1", "localhost"):
            options = ["--bind", "127.0.0.1", "--port", str(port), "--hide-welcome-screen"]
            self._viewer = subprocess.Popen(
                [sys.executable, "-m", "rerun", *options],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        elif not self._told and (self._viewer is None or self._viewer.poll() is not None):
            ended = "the opened viewer has ended (no display?)"
            what = "no viewer listens" if self._viewer is None else ended
            self._told = True
            print(
                f"Rerun: {what} at {self.config.address}: frames are dropped until one listens "
                "(open one with `rerun`, or set visualizer.open_viewer = true or visualizer.file)",
                file=sys.stderr,
                flush=True,
            )

    def end(self) -> None:
        """Write the remaining data and close the stream."""
        if self.stream is not None:
            with contextlib.suppress(RuntimeError):  # the viewer has closed
                self.stream.flush(timeout_sec=0.2 * DONE)
            self.stream.disconnect()


class _Log:
    """Logger of scenes and frames, in their order of arrival."""

    def __init__(self, sink: _Sink) -> None:
        self._sink = sink
        self._graph: SceneGraph | None = None
        self._drawn: tuple[SceneGraph | None, tuple[str, ...]] = None, ()

    def run(self, queue: SimpleQueue[Any]) -> None:
        """Log scenes and frames until None arrives; waiting frames are logged together."""
        last = False
        while not last:
            items = [queue.get()]
            with contextlib.suppress(Empty):
                while True:
                    items.append(queue.get_nowait())
            for kind, group in itertools.groupby(items, type):
                waiting = list(group)
                last = kind is type(None)
                if kind is tuple:
                    self._frames(waiting)
                elif not last:
                    self._graph = waiting[-1]
                    self._draw()
            sleep(0.0 if last else TOGETHER)
        self._sink.end()

    def _draw(self) -> bool:
        """Log the scene if it is not logged yet; return whether it is logged."""
        graph, (drawn, paths) = self._graph, self._drawn
        if graph is None or not self._sink.ready():
            return False
        if graph is not drawn:
            assert self._sink.stream is not None
            self._drawn = graph, log_scene(self._sink.stream, graph, paths)
        return True

    def _frames(self, frames: Sequence[tuple[Any, ...]]) -> None:
        """Log frames of one scene; drop them while no viewer listens."""
        if not self._draw():
            return
        stream, graph = self._sink.stream, self._graph
        assert stream is not None
        assert graph is not None
        when, poses, position, force, com = (np.array(part) for part in zip(*frames, strict=True))
        send_motion(stream, graph, when, poses, position, force)
        for axis, values in zip("xyz", com.T, strict=True):
            send_scalars(stream, ["signals", "com", axis], f"com {axis} [m]", when, values)
        total = np.linalg.norm(force, axis=2).sum(axis=1)
        send_scalars(stream, ["signals", "contact_force"], "contact forces [N]", when, total)
