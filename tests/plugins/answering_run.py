"""A stand-in for a live run: takes a page's commands and answers, with bodies that stand still."""

import math
import threading
import time
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from tests.browser import until
from tests.scene_graphs import frame, primitives

from footfall.interfaces.interactive_visualizer import (
    HandMove,
    HandRelease,
    LiveStatus,
    LiveTunable,
    Pause,
    Play,
    Restart,
    SingleStep,
    Speed,
    Tune,
    WatchSignals,
)
from footfall_hands.live_run import TELL
from footfall_meshcat.visualizer import Meshcat, MeshcatConfig

LINKS = ("cube/base", "ball/base", "rod/base", "pill/base")
TUNABLES = (
    LiveTunable("bodies.cube.friction", 0.5, 0.0, 2.0, "-", "friction of cube"),
    LiveTunable("hands.mouse.stiffness", 100.0, 10.0, 1000.0, "N/m", "stiffness", True),
)
RAYS = (("eye", "ball/base", np.repeat([[0.0, 0.0, 0.05, 1.0, 0.0, 0.0]], 3, axis=0), 2.0),)
STIFFNESS = 30.0  # [N/m], of a spring without damper


def graph():
    """The primitives with names for their links, and each shape as its own collision shape."""
    plain = primitives()
    again = [replace(node, name=f"{node.name}c", layer="collision") for node in plain.nodes]
    return replace(plain, links=LINKS, nodes=(*plain.nodes, *again), rays=RAYS)


class AnsweringRun:
    """Answers a page from a thread of its own, every 20 ms.

    Attributes:
        heard: all commands so far.
        status: what the page is told; may be replaced.
    """

    def __init__(self, **settings):
        self.viewer = Meshcat(MeshcatConfig(**{"follow": "none", **settings}))
        self.viewer.open(graph())
        self.url = self.viewer.url
        self.heard = []
        self.status = LiveStatus(
            playing=False,
            bodies={link.split("/")[0]: link != LINKS[0] for link in LINKS},
            tunables=TUNABLES,
            signals=(
                ("energy", "J", "energy of everything", ()),
                ("tau", "N m", "torque", (("hip", "knee", "toe"),)),
                ("eye", "m", "distance", (("0", "1", "2"),)),
            ),
        )
        self.time, self.serial, self.reading = 0.0, 0, None
        self.change = None  # another scene graph, and a frame of it, to go on with
        self.still, self.shown = frame(), None
        self.told, self.due = None, 0.0  # the last status, and when it is told again
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._go_on, daemon=True)
        self.thread.start()

    def close(self):
        self.stopped.set()
        self.thread.join()
        self.viewer.close()

    def _go_on(self):
        while not self.stopped.wait(0.02):
            for command in self.viewer.commands():
                self._obey(command)
                self.heard.append(command)
            if self.change is not None:
                graph, self.still = self.change
                self.viewer.replace(graph)
                self.change = None
            self.time += 0.02 * self.status.playing
            self._show()

    def _show(self):
        """Show what is new, and tell it, or what is known as seldom as a run does."""
        told = replace(self.status, time=self.time)
        if told != self.told or time.monotonic() > self.due:
            self.told, self.due = told, time.monotonic() + TELL
            self.viewer.tell(told)
        shown = self.time, self.serial, self.status.watched, id(self.still)
        if shown != self.shown:
            self.shown = shown
            self.viewer.show(self.frame())

    def _obey(self, command):
        match command:
            case HandMove(serial, reading):
                self.serial, self.reading = serial, reading
            case HandRelease(serial):
                self.serial, self.reading = serial, None
            case Play():
                self.status = replace(self.status, playing=True)
            case Pause():
                self.status = replace(self.status, playing=False)
            case SingleStep(n):
                self.status = replace(self.status, playing=False)
                self.time += 1e-3 * n
            case Restart():
                self.time = 0.0
            case Speed(value):
                self.status = replace(self.status, speed=value)
            case WatchSignals(names):
                self.status = replace(self.status, watched=names)
            case Tune(path, value):
                tuned = [
                    replace(one, value=value) if one.path == path else one
                    for one in self.status.tunables
                ]
                self.status = replace(self.status, tunables=tuple(tuned))

    def frame(self):
        """What is seen now: the spring pulls, and nothing gives."""
        still = replace(self.still, time=self.time)
        hand = np.full(12, math.nan)
        if self.reading is not None and self.reading.link is not None:
            held = still.poses[LINKS.index(self.reading.link), :3] + self.reading.point
            force = STIFFNESS * (self.reading.position - held)
            hand = np.concatenate([self.reading.position, held, force, np.zeros(3)])
        widths = [3 if name.endswith("[*]") else 1 for name in self.status.watched]
        values = np.arange(1.0, 1.0 + sum(widths))
        return replace(still, serial=self.serial, hand=hand, values=values)

    def last(self, kind, seconds=60.0):
        """Wait for a command of a kind, and return the newest."""
        return self.wait(lambda: [one for one in self.heard if isinstance(one, kind)], seconds)[-1]

    def wait(self, condition, seconds=60.0):
        """Wait for something to become true, and return it."""
        end = time.monotonic() + seconds
        while not (value := condition()):
            assert time.monotonic() < end, self.heard
            time.sleep(0.02)
        return value


@contextmanager
def answering(**settings):
    """Start such a run; ends with the context."""
    run = AnsweringRun(**settings)
    try:
        yield run
    finally:
        run.close()


def equipped(page):
    """Wait until a page shows the scene and knows that it may reach into the run."""
    until(page, "window.footfall && footfall.viewer && footfall.viewer.drawn > 0")
    until(page, "footfall.state !== null && footfall.hand.live")


def place_of(page, point):
    """Return where a point of the world is in the window, [pixels]."""
    x, y, z = point
    return page.evaluate(f"footfall.hand.pointer.project([{x}, {y}, {z}])")
