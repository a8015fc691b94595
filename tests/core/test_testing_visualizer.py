"""Each check of visualizers fails one that is broken in its way, and passes a sound one."""

import time

from tests.cases import each

import footfall.testing
from footfall.interfaces.plugin import NoConfig
from footfall.interfaces.visualizer import Visualizer
from footfall.testing.check import subject_of

CHECKS = {check.name: check for check in footfall.testing.checks("visualizer")}


class Sound(Visualizer):
    """Counts what it is shown."""

    name = "sound"

    def __init__(self, config: NoConfig) -> None:
        self.graph = None
        self.heights = []

    def open(self, graph):
        self.graph = graph

    def show(self, frame):
        if self.graph:
            self.heights.append(float(frame.com[2]))

    def close(self):
        self.graph = None


class ClosesOnce(Sound):
    """Broken."""

    def close(self):
        if self.graph is None:
            raise RuntimeError("not open")
        super().close()


class OnlyOne(Sound):
    """Broken."""

    taken = False

    def open(self, graph):
        if OnlyOne.taken:
            raise OSError("address in use")
        OnlyOne.taken = True
        super().open(graph)

    def close(self):
        OnlyOne.taken = False
        super().close()


class NeedsShapes(Sound):
    """Broken."""

    def open(self, graph):
        super().open(graph)
        self.first = graph.nodes[0]


class Slow(Sound):
    """Broken."""

    def show(self, frame):
        time.sleep(0.02)


class Mutates(Sound):
    """Broken."""

    def show(self, frame):
        frame.poses[:, 2] += 1.0


class Keeps(Sound):
    """Broken."""

    def show(self, frame):
        self.last = frame


class Backwards(Sound):
    """Broken."""

    speed = -1.0


absurd = type("Broken", (Sound,), {"__doc__": " "})
BROKEN = {
    "declarations": absurd,
    "opens_and_closes": ClosesOnce,
    "opens_again": OnlyOne,
    "bare_scene": NeedsShapes,
    "quick": Slow,
    "inputs": Mutates,
    "keeps_nothing": Keeps,
    "pace": Backwards,
}


def examine(name, visualizer):
    return CHECKS[name].examine(subject_of("visualizer", visualizer))


def test_every_check_has_a_visualizer_that_it_must_fail():
    assert set(BROKEN) == set(CHECKS)


@each("name", CHECKS)
def test_the_check_fails_the_visualizer_that_is_broken_in_its_way(name):
    finding = examine(name, BROKEN[name])
    assert not finding.passed, finding


def test_a_sound_visualizer_conforms():
    footfall.testing.assert_conforms("visualizer", Sound)
