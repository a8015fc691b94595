"""Milliseconds from a move of the hand in a page to the frame that shows what it did.

python -m tests.benchmarks.hand_latency [--scene icub/standing] [--seconds 20]

A run in real time in a process of its own; this one is its page: it takes hold of a link and moves
the hand in a circle. A move is answered by the first frame whose serial is that of the move, or of
a later one: the force has acted by then, and the pose that it led to is sent back.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tests.plugins.meshcat_client import leave
from tests.programs import interrupt
from tornado.websocket import WebSocketClientConnection, websocket_connect

from footfall_meshcat.drawing.payload import unpack_payload

SCENE = "icub/standing"
SETTLE = 1.0
"""Time from the grab to the first move that is counted, [s]."""
PATIENCE = 300.0
"""Time for the grab, [s]: the first one of an installation may have kernels to compile."""
LAST = 10.0
"""Longest time to wait for the answer to the last move, [s]."""
LINK = {"icub/standing": "icub/chest", "cube/drop": "cube/cube"}
"""What is held in some scenes; in others it is the first link."""
RADIUS, TURNS = 0.005, 1.0
"""Of the circle in which the hand moves: [m], [1/s]."""


@dataclass(slots=True)
class Answers:
    """What came back.

    Attributes:
        latency: from sending a move to the frame that shows it, [ms].
        rates: real-time factors that the run told.
        behind: whether it ever told that it could not keep up.
        held: link that the run said it held.
        frames: number of frames.
    """

    latency: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    behind: bool = False
    held: str | None = None
    frames: int = 0

    def __str__(self) -> str:
        """Return a line with percentiles."""
        p50, p90, p99 = np.percentile(self.latency, [50, 90, 99])
        return (
            f"{len(self.latency)} moves: median {p50:.2f} ms, 90 % {p90:.2f} ms, "
            f"99 % {p99:.2f} ms, worst {max(self.latency):.2f} ms"
        )


@contextmanager
def running(scene: str, seconds: float, *options: str) -> Iterator[str]:
    """Run a scene in another process; give the address of its page."""
    command = [sys.executable, "-c", "from footfall.cli.main import main; main()", "run", scene]
    command += ["--view", "--set", "visualizer.open_browser=false", "--no-record"]
    command += ["--duration", f"{seconds:g}", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stderr is not None
        try:
            said = ""
            for line in process.stderr:
                said += line.decode()
                if line.startswith(b"Viewer: "):
                    break
            else:
                raise SystemExit(said)
            yield line.decode().split()[1]
        finally:
            interrupt(process)


class Client:
    """A page without a picture."""

    def __init__(self, url: str, link: str | None) -> None:
        self._url, self._link = url, link
        self._sent: dict[int, float] = {}
        self._center = np.zeros(3)
        self._counts = False
        self._holds = asyncio.Event()
        self.answers = Answers()

    async def measure(self, seconds: float, moves: float) -> Answers:
        """Move the hand for so long [s], so often [1/s]."""
        base, _, token = self._url.partition("?")
        socket = f"{base.replace('http', 'ws')}socket" + (f"?{token}" if token else "")
        page = await websocket_connect(socket)
        page.protocol.set_nodelay(True)  # as browsers do
        with urllib.request.urlopen(f"{base}scene?{token}") as response:
            header = unpack_payload(response.read())[0]
        names = header["link_names"]
        link = self._link or names[0]
        self._row = names.index(link)
        scene = json.loads(str(await page.read_message()))["scene"]
        await page.write_message(json.dumps({"type": "ready", "scene": scene}))
        await self._take(page, await page.read_message())
        while not self.answers.frames:
            await self._take(page, await page.read_message())
        reading = asyncio.create_task(self._read(page))
        await self._say(page, "grab", 1, self._center, link=link, mode="drag")
        await asyncio.wait_for(self._holds.wait(), PATIENCE)
        await self._circle(page, seconds + SETTLE, moves)
        reading.cancel()
        await leave(page)
        return self.answers

    async def _circle(self, page: WebSocketClientConnection, seconds: float, moves: float) -> None:
        start = time.perf_counter()
        for k in range(round(seconds * moves)):
            await asyncio.sleep(max(0.0, start + k / moves - time.perf_counter()))
            now = time.perf_counter() - start
            self._counts = now > SETTLE
            angle = 2.0 * math.pi * TURNS * now
            offset = RADIUS * np.array([math.sin(angle), math.cos(angle) - 1.0, 0.0])
            await self._say(page, "move", k + 2, self._center + offset)
        end = time.perf_counter() + LAST
        while self._sent and time.perf_counter() < end:
            await asyncio.sleep(0.01)

    async def _say(
        self,
        page: WebSocketClientConnection,
        kind: str,
        serial: int,
        position: np.ndarray,
        **more: str,
    ) -> None:
        message = {"type": kind, "serial": serial, "position": position.tolist(), **more}
        if self._counts:
            self._sent[serial] = time.perf_counter()
        await page.write_message(json.dumps(message))

    async def _read(self, page: WebSocketClientConnection) -> None:
        while (message := await page.read_message()) is not None:
            await self._take(page, message)

    async def _take(self, page: WebSocketClientConnection, message: str | bytes | None) -> None:
        now, answers = time.perf_counter(), self.answers
        if message is None:
            raise SystemExit("the run has ended")
        if isinstance(message, str):
            told = json.loads(message)
            if told["type"] == "status":
                self._note(told)
            return
        await page.write_message('{"type":"shown"}')
        answers.frames += 1
        header = np.frombuffer(message, "<f8", 4)
        if not self._holds.is_set():
            poses = np.frombuffer(message, "<f4", offset=32)
            self._center = poses[7 * self._row : 7 * self._row + 3].astype(float)
        for serial in [known for known in self._sent if known <= header[2]]:
            answers.latency.append(1e3 * (now - self._sent.pop(serial)))

    def _note(self, status: dict[str, Any]) -> None:
        answers = self.answers
        if status["hand"]["held"]:
            answers.held = status["hand"]["held"]
            self._holds.set()
        if self._counts:
            answers.rates.append(status["rate"])
            answers.behind |= status["behind"]


def measure(scene: str, seconds: float, moves: float, *options: str) -> Answers:
    """Run a scene and move its hand."""
    link = LINK.get(scene)
    with running(scene, 1000.0 + seconds, *options) as url:
        return asyncio.run(Client(url, link).measure(seconds, moves))


def main(arguments: list[str] | None = None) -> int:
    """Print percentiles, the real-time factor and the machine's load."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.hand_latency", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--scene", default=SCENE)
    parser.add_argument("--seconds", type=float, default=20.0, help="to measure for")
    parser.add_argument("--moves", type=float, default=120.0, help="a second")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--warm", type=float, default=5.0, help="not measured: kernels may have to be compiled"
    )
    options = parser.parse_args(arguments)
    if options.warm > 0.0:
        measure(options.scene, options.warm, options.moves)
    for _ in range(options.repeats):
        answers = measure(options.scene, options.seconds, options.moves)
        print(f"{options.scene}: {answers}")
        rates = f"{min(answers.rates):.3f} to {max(answers.rates):.3f}" if answers.rates else "-"
        late = "could not always keep up" if answers.behind else "kept up"
        print(
            f"    held {answers.held}, real-time factor {rates} ({late}), {answers.frames} frames, "
            f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
