"""A replay keeps time, ends with the last frame and stops at Ctrl-C."""

import time

import pytest
from tests.scene_graphs import motion, primitives

from footfall.errors import RecordingError
from footfall.interfaces.plugin import NoConfig
from footfall.interfaces.visualizer import Visualizer
from footfall_meshcat.replay import replay


class Notes(Visualizer):
    """Notes when which frame was shown; interrupts after so many."""

    name = "notes"
    Config = NoConfig

    def __init__(self, limit=10**9):
        self.shown, self.limit = [], limit

    def open(self, graph):
        pass

    def show(self, frame):
        self.shown.append((time.perf_counter(), frame.time))
        if len(self.shown) == self.limit:
            raise KeyboardInterrupt

    def close(self):
        pass


@pytest.mark.parametrize("speed", [1.0, 4.0])
def test_frames_are_shown_when_they_are_due(speed):
    notes = Notes()
    start = time.perf_counter()
    replay(primitives(), *motion(frames=101, dt=0.01), notes, speed=speed)
    assert time.perf_counter() - start >= 1.0 / speed
    for wall, simulated in notes.shown:
        # Never early; how late depends on how busy the machine is.
        assert simulated <= speed * (wall - start) + 1e-6
    times = [simulated for _, simulated in notes.shown]
    assert times == sorted(set(times))
    assert (times[0], times[-1]) == (0.0, 1.0)


def test_fast_recordings_are_not_shown_frame_by_frame():
    notes = Notes()
    replay(primitives(), *motion(frames=2001, dt=1e-4), notes)
    assert len(notes.shown) < 0.2 * 60 + 3


def test_a_loop_begins_again_and_stops_at_an_interrupt():
    notes = Notes(limit=12)
    replay(primitives(), *motion(frames=5, dt=0.01), notes, speed=10.0, loop=True)
    assert len(notes.shown) == 12
    assert sum(simulated == 0.04 for _, simulated in notes.shown) >= 2


def test_a_single_frame_is_shown():
    notes = Notes()
    replay(primitives(), *motion(frames=1), notes)
    assert len(notes.shown) == 1


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan"), float("inf")])
def test_a_speed_that_is_not_positive_is_refused(speed):
    with pytest.raises(RecordingError, match="must be positive"):
        replay(primitives(), *motion(frames=5), Notes(), speed=speed)
