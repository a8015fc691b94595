"""Hours of a run with a user at its page: pulls, sliders, objects, pauses over its socket.

The run is ``footfall run SCENE --live`` in a process of its own, as a user starts it. The user is a
program that speaks as the page does (``docs/reference/viewer-messages.md``).
"""

from __future__ import annotations

import asyncio
import json
import math
import resource
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import footfall
from footfall.api.plugin import SimulationError

SCENE, BODY, LINK = "humanoid/standing", "humanoid", "chest"
RADIUS = 0.005
"""Radius of the circle in which the hand pulls the link, [m]."""
HEAD = 32
"""Offset of the poses in a picture, seven float32 each, [byte]."""
BEATS = 60.0
"""Messages of the user per simulated second; mouse moves come with every picture."""
PATIENCE = 300.0
"""Longest time without a picture or a change of time, [s]; kernels may be compiled first."""
MINUTE, OBJECTS = 60.0, 300.0
"""Simulated time between two measurements, and between two objects that come and go, [s]."""


@contextmanager
def running(speed: float) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the run; yield its process and the address of its page."""
    settings = ("visualizer.open_browser=false", "visualizer.wait=false")
    command = [sys.executable, "-c", "from footfall.cli.main import main; main()", "run", SCENE]
    command += ["--live", "--speed", f"{speed:g}"]
    command += [word for setting in settings for word in ("--set", setting)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    with process:
        assert process.stderr is not None
        said = ""
        try:
            for line in process.stderr:
                said += line
                if line.startswith("Viewer: "):
                    break
            else:
                raise SimulationError(f"the run has ended: {said.strip()}")
            yield process, line.split()[1]
        finally:
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=60.0)
            process.kill()


def resident_of(process: int) -> float:
    """Return the memory that a process uses now, [MB].

    Raises:
        SimulationError: if the system does not report it as Linux does.
    """
    try:
        statm = Path(f"/proc/{process}/statm").read_text(encoding="ascii")
    except OSError as error:
        raise SimulationError(f"the memory of process {process} cannot be read") from error
    return int(statm.split()[1]) * resource.getpagesize() / 1e6


@dataclass(slots=True)
class User:
    """The user at the page, with the messages that came back.

    Attributes:
        page: the socket.
        link: number of the link that is pulled.
        time: simulated time of the newest status, [s].
        frames: number of pictures received.
        sent: number of messages sent, by type.
        held: number of statuses that report a held object.
        refused: problems that statuses reported, each once.
        slowest: smallest real-time factor reported while playing, [1].
        ended: whether the run has ended.
    """

    page: Any
    link: int
    time: float = 0.0
    frames: int = 0
    sent: dict[str, int] = field(default_factory=dict)
    held: int = 0
    refused: list[str] = field(default_factory=list)
    slowest: float = math.inf
    ended: bool = False
    _serial: int = 0
    _place: tuple[float, ...] = (0.0, 0.0, 0.0)
    _taken: tuple[float, ...] = (0.0, 0.0, 0.0)
    _made: list[str] = field(default_factory=list)

    async def say(self, type_: str, /, **content: Any) -> None:
        """Send a message."""
        self.sent[type_] = self.sent.get(type_, 0) + 1
        await self.page.write_message(json.dumps({"type": type_, **content}))

    async def listen(self) -> None:
        """Receive messages until the server stops sending."""
        while (message := await self.page.read_message()) is not None:
            if isinstance(message, bytes):
                self.frames += 1
                self._place = struct.unpack_from("<3f", message, HEAD + 28 * self.link)
                await self.say("shown")
                continue
            told = json.loads(message)
            if told["type"] in ("hello", "scene"):
                await self.say("ready", scene=told["scene"])
            elif told["type"] == "status":
                self._note(told)
        self.ended = True

    def _note(self, status: dict[str, Any]) -> None:
        self.time, self.ended = status["time"], self.ended or status["ended"]
        self.held += status["hand"]["held"] is not None
        if "bodies" in status:  # sent when they change
            self._made = [body["name"] for body in status["bodies"] if body["deletable"]]
        if status["problem"] and status["problem"] not in self.refused:
            self.refused.append(status["problem"])
        if status["playing"] and status["rate"]:
            self.slowest = min(self.slowest, status["rate"])

    async def act(self, beat: int) -> None:
        """Act on a beat: pull for two seconds of six, move sliders, pause, create objects."""
        second, phase = divmod(beat, round(BEATS))
        if second % 6 < 2:
            await self._pull(beat, take=second % 6 == 0 and phase == 0)
        elif second % 6 == 2 and phase == 0:
            self._serial += 1
            await self.say("release", serial=self._serial)
        elif second % 6 == 3:  # drag a slider: one value per picture
            await self.say("tune", path="world.terrain.friction", value=0.6 + 0.002 * phase)
        if second % MINUTE == 30:
            await self._pause(phase)
        if second % OBJECTS == 100 and phase == 0:
            place = [1.0, 1.0, 0.5]
            await self.say("create", kind="box", size=[0.2, 0.2, 0.2], position=place)
        if second % OBJECTS == 200 and phase == 0:
            for name in self._made:
                await self.say("delete", body=name)

    async def _pull(self, beat: int, *, take: bool) -> None:
        self._serial += 1
        if take:
            self._taken = self._place
        angle = 2.0 * math.pi * beat / BEATS
        x, y, z = self._taken
        place = [x + RADIUS * math.sin(angle), y + RADIUS * (math.cos(angle) - 1.0), z]
        if take:
            held = {"link": f"{BODY}/{LINK}", "mode": "drag"}
            await self.say("grab", serial=self._serial, position=place, **held)
        else:
            await self.say("move", serial=self._serial, position=place)

    async def _pause(self, phase: int) -> None:
        if phase == 0:
            await self.say("pause")
        elif phase == 10:
            await self.say("step", n=5)
        elif phase == 20:
            await self.say("watch", signals=["q[2]", "residual_natural_map"])
        elif phase == 30:
            await self.say("play")
            await self.say("ping", serial=self._serial + 1)


async def use(process: int, url: str, hours: float, speed: float) -> tuple[User, list[float]]:
    """Be the user for so many hours; return the user and the memory each minute, [MB]."""
    from tornado.websocket import websocket_connect

    base, _, token = url.partition("?")
    socket = f"{base.replace('http', 'ws')}socket" + (f"?{token}" if token else "")
    links = footfall.load(SCENE).world.bodies[0].model.link_names
    user, memory = User(await websocket_connect(socket), links.index(LINK)), []
    listening = asyncio.create_task(user.listen())
    began = perf_counter()
    while not user.frames:
        await asyncio.sleep(0.01)
        if perf_counter() - began > PATIENCE:
            raise SimulationError(f"the viewer sent no picture within {PATIENCE:g} s")
    began, last = perf_counter(), (user.time, perf_counter())
    for beat in range(round(3600.0 * hours * BEATS)):
        await asyncio.sleep(max(0.0, began + beat / BEATS / speed - perf_counter()))
        if listening.done():
            listening.result()
        await user.act(beat)
        if user.time != last[0]:
            last = user.time, perf_counter()
        if user.ended or perf_counter() - last[1] > PATIENCE:
            raise SimulationError(f"the run has stopped at t = {last[0]:.1f} s: {user.refused}")
        if beat % round(BEATS * MINUTE) == 0:
            memory.append(resident_of(process))
            if beat % round(5 * BEATS * MINUTE) == 0:
                print(
                    f"{user.time:8.0f} s  {memory[-1]:7.1f} MB  {user.frames} pictures  "
                    f"{sum(user.sent.values())} messages",
                    flush=True,
                )
    memory.append(resident_of(process))
    listening.cancel()
    user.page.close()
    while user.page.close_code is None and await user.page.read_message() is not None:
        pass  # until the server has closed as well
    return user, memory


def measure(hours: float, speed: float) -> str:
    """Run with a user at the page and return a summary.

    Args:
        hours: simulated time, [h].
        speed: simulated seconds per second; the user acts faster in the same proportion.
    """
    with running(speed) as (process, url):
        user, memory = asyncio.run(use(process.pid, url, hours, speed))
    settled = memory[1:] or memory
    sent = ", ".join(f"{number} {kind}" for kind, number in sorted(user.sent.items()))
    return (
        f"{user.time:.0f} s at {speed:g} times real time (at least {user.slowest:.2f}): memory "
        f"{settled[0]:.1f} MB, {settled[-1] - settled[0]:+.1f} MB at the end, at most "
        f"{max(memory):.1f} MB; {user.frames} pictures; sent {sent}; "
        f"{len(user.refused)} refused{': ' if user.refused else ''}{'; '.join(user.refused)}"
    )
