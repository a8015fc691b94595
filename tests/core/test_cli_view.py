import os
import re
import signal
import subprocess
import sys
import urllib.request
from itertools import takewhile

import numpy as np
import pytest

import footfall
from footfall.cli.main import main
from footfall.errors import RecordingError
from footfall.interfaces.plugin import PluginConfig
from footfall.interfaces.visualizer import Visualizer
from footfall.recording.reader import open_run
from footfall.registry.catalog import Catalog
from footfall.registry.discover import discover
from footfall_meshcat.motion import recorded_motion
from footfall_meshcat.replay import replay_recording
from footfall_watch.deep_starts import DeepStartWarning


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """A short recording of a ball that slides and begins to roll."""
    path = tmp_path_factory.mktemp("recording") / "ball.zarr"
    with pytest.raises(SystemExit):
        main(["run", "ball/rolling", "--duration", "0.25", "--output", str(path)])
    return path


def test_the_poses_shown_are_those_of_the_recorded_positions(recording):
    graph, motion = recorded_motion(recording, discover())
    motion.check(graph)
    run = open_run(recording).sel(time=motion.time)
    q = run["q"].values
    np.testing.assert_allclose(motion.poses[:, 0, :3], q[:, :3], rtol=0, atol=1e-15)
    cosine = np.abs((motion.poses[:, 0, 3:] * q[:, 3:7]).sum(axis=1))
    np.testing.assert_allclose(cosine, 1.0, rtol=0, atol=1e-12)  # q and -q are one rotation
    assert cosine.size > 10
    assert np.ptp(q[:, 0]) > 0.1
    np.testing.assert_array_equal(motion.com, run["com"].values)
    np.testing.assert_array_equal(motion.contact_force, run["contact_force"].values)


def test_a_recording_of_continuous_time_loads_its_scene_again(tmp_path):
    """The settings that only time steps have are not in it."""
    path = tmp_path / "disc.zarr"
    with pytest.raises(SystemExit):
        main(["run", "disc/rolling", "--duration", "0.1", "--output", str(path)])
    _, motion = recorded_motion(path, discover())
    assert motion.time[-1] == pytest.approx(0.095)


def test_at_most_fifty_frames_a_second_are_shown_with_the_first_and_the_last(recording):
    time = open_run(recording)["time"].values
    _, motion = recorded_motion(recording, discover())
    assert (motion.time[0], motion.time[-1]) == (time[0], time[-1])
    assert (np.diff(motion.time)[:-1] > 0.0199).all()
    assert 13 <= len(motion.time) <= 14  # 0.25 s at 50 1/s, both ends, and the last row


def test_a_recording_of_a_robot_that_has_changed_is_refused(tmp_path):
    """The scene's robot is swapped for another between run and replay."""
    folder = tmp_path / "mine"
    folder.mkdir()
    scene = folder / "scene.toml"
    scene.write_text(
        "[simulation]\nduration = 0.01\n[world.terrain]\nfriction = 1\n"
        "[bodies.thing]\nrobot = 'robot.toml'\n"
    )
    spec = "[model]\nfile = 'model.urdf'\n[[contact_features]]\nframe = 'base'\nkind = 'point'\n"
    (folder / "robot.toml").write_text(spec + "points = [[0, 0, 0]]\n")
    (folder / "model.urdf").write_text(
        "<robot name='thing'><link name='base'><inertial><mass value='1'/><inertia ixx='1' "
        "iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>"
    )
    with pytest.raises(SystemExit):
        main(["run", str(scene), "--output", str(tmp_path / "a.zarr")])
    recorded_motion(tmp_path / "a.zarr", discover())
    (folder / "robot.toml").write_text(spec + "points = [[0, 0, 0], [1, 0, 0]]\n")
    with pytest.raises(RecordingError, match="has changed since: 7 positions and 1 contact"):
        recorded_motion(tmp_path / "a.zarr", discover())


class WatcherConfig(PluginConfig):
    open_browser: bool = False
    wait: bool = False


class Watcher(Visualizer):
    """Takes the place of the viewer and keeps what it is shown."""

    name = "meshcat"
    Config = WatcherConfig
    made: "list[Watcher]" = []  # noqa: RUF012 - filled by each test anew

    def __init__(self, config):
        self.config, self.frames, self.calls = config, [], []
        self.made.append(self)

    def open(self, graph):
        self.calls.append("open")

    def show(self, frame):
        self.frames.append((frame.time, frame.poses.copy()))

    def wait_until_open(self):
        self.calls.append("wait_until_open")

    def wait_until_closed(self):
        self.calls.append("wait_until_closed")

    def close(self):
        self.calls.append("close")


@pytest.fixture
def watched(monkeypatch):
    monkeypatch.setattr(Watcher, "made", [])
    registry = discover()
    none = registry.visualizer["none"]
    registry.visualizer = Catalog("visualizer", "footfall.interfaces.visualizer:Visualizer")
    registry.visualizer.take(none)
    registry.visualizer.add("meshcat", lambda: Watcher, summary="watches")
    return registry


def test_a_replay_shows_the_motion_to_its_end_and_stays_open(recording, watched):
    replay_recording(recording, watched, speed=5.0, loop=False)
    (watcher,) = watched_by = Watcher.made
    assert len(watched_by) == 1
    assert watcher.calls == ["open", "wait_until_open", "wait_until_closed", "close"]
    assert watcher.config == WatcherConfig(open_browser=True, wait=True)
    run = open_run(recording)
    time, poses = watcher.frames[-1]
    assert time == run["time"].values[-1]
    np.testing.assert_allclose(poses[0, :3], run["q"].values[-1, :3], rtol=0, atol=1e-15)


def test_a_replay_that_fails_closes_the_viewer(recording, watched):
    with pytest.raises(RecordingError, match="speed of a replay must be positive"):
        replay_recording(recording, watched, speed=0.0, loop=False)
    assert Watcher.made[0].calls[-1] == "close"


@pytest.fixture
def start(tmp_path):
    """Return a function that starts the command in an empty folder."""
    started = []

    def start(*arguments):
        process = subprocess.Popen(
            [sys.executable, "-m", "footfall.cli.main", *arguments],
            cwd=tmp_path,
            env=os.environ | {"BROWSER": "true"},  # a program that opens nothing
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def page_of(process):
    """Return the page that the process says it serves."""
    line = process.stderr.readline()
    if line.startswith("compiling kernels"):
        line = process.stderr.readline()
    url = re.fullmatch(r"Viewer: (http://127\.0\.0\.1:\d+/)\n", line)[1]
    with urllib.request.urlopen(url, timeout=120) as response:
        return response.read().decode()


QUIET = ["--set", "visualizer.open_browser=false", "--set", "visualizer.wait=false"]


def test_a_run_is_paced_in_the_viewer_which_stays_open_until_ctrl_c(start):
    process = start(
        *("run", "pendulum/swing", "--duration", "0.3", "--no-record"),
        *("--view", "--speed", "0.5", *QUIET),
    )
    assert "<html" in page_of(process)
    lines = takewhile(lambda line: not line.startswith("recording"), process.stdout)
    summary = dict(line.split("  ", 1) for line in lines)
    # No faster than that, but for a frame interval at the start; a busy machine may be slower.
    assert float(summary["real-time factor"]) <= 0.6
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")


def test_ctrl_c_while_waiting_for_the_page_ends_a_replay(recording, start):
    process = start("view", str(recording))
    assert "<html" in page_of(process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Traceback" not in err


def test_a_replay_does_not_warn_again_of_a_deep_start(tmp_path):
    path = tmp_path / "deep.zarr"
    deep = {"bodies.cube.base_position": [0.0, 0.0, 0.0]}
    with pytest.warns(DeepStartWarning):
        footfall.load("cube/drop", deep).run(0.05, path)
    recorded_motion(path, discover())  # a warning would be an error here
