import os
import re
import signal
import subprocess
import sys
import urllib.request
from itertools import takewhile

import numpy as np
import pytest
from tests.browser import browser, settle, until
from tests.browser import page_of as browser_page

import footfall
from footfall.cli.main import main
from footfall.errors import RecordingError
from footfall.recording.reader import open_run
from footfall.registry.discover import discover
from footfall_meshcat.drawing.payload import unpack_payload
from footfall_meshcat.recorded.html import export_html
from footfall_meshcat.recorded.motion import recorded_motion
from footfall_meshcat.recorded.replay import replay_recording
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


@pytest.mark.browser
def test_a_click_tells_what_was_clicked(tmp_path):
    """A box of 1 kg that falls: mass, inertia, velocity, and later its contacts."""
    path, page_file = tmp_path / "cube.zarr", tmp_path / "cube.html"
    footfall.load("cube/drop").run(0.6, path)
    export_html(path, page_file, overwrite=True)
    run, world = open_run(path), footfall.load("cube/drop").world
    said = """Object.fromEntries([...document.querySelectorAll('#selected dt')].map(
              (term) => [term.textContent, term.nextSibling.textContent]))"""
    with browser() as chromium, browser_page(chromium, page_file.as_uri(), (1000, 600)) as page:
        until(page, "window.footfall && footfall.viewer.drawn > 0")
        page.evaluate("footfall.player.play(false); footfall.player.seek(0.05)")
        until(page, "footfall.viewer.frame.time === 0.05")
        settle(page)  # the camera follows the box, and is on its way
        centre = "footfall.selection.pointer.project(footfall.viewer.frame.com)"
        page.mouse.click(*page.evaluate(centre))
        until(page, "footfall.selection.link === 0")
        told = page.evaluate(said)
        assert told["link"] == "cube/cube"
        assert told["mass"] == f"{world.mass:.4g} kg"
        inertia = [float(part) for part in told["inertia"].removesuffix(" kg m²").split(", ")]
        about = world.topology.inertia[0]
        assert inertia[:3] == pytest.approx(np.diag(about).tolist(), rel=1e-3)
        falls = float(told["velocity"].split(", ")[2].removesuffix(" m/s"))
        assert falls == pytest.approx(-9.81 * 0.05, abs=9.81 * 0.02)  # a mean over 20 ms
        page.evaluate("footfall.player.seek(0.59)")
        until(page, "footfall.viewer.frame.time === 0.59")
        values = "[...document.querySelectorAll('#selected dd')].map(one => one.textContent)"
        until(page, f"{values}.filter(text => text.includes(' N, ')).length === 4")
        forces = [value for value in page.evaluate(said).values() if " N, sticks" in value]
        pressed = np.linalg.norm(run["contact_force"].values[590], axis=1)
        told = sorted(float(one.split()[0]) for one in forces)
        assert told == pytest.approx(sorted(pressed[pressed > 0.0]), rel=1e-3)  # four digits
        page.click("#unselect")
        assert page.is_hidden("#selected-section")


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan"), float("inf")])
def test_a_speed_that_is_not_positive_is_refused(recording, speed):
    with pytest.raises(RecordingError, match="speed of a replay must be positive"):
        replay_recording(recording, discover(), speed=speed, loop=False)


def test_the_timeline_tells_of_impacts_and_pushes(tmp_path):
    path = tmp_path / "cube.zarr"
    push = {"link": "cube", "force": [1.0, 0.0, 0.0], "start": 0.05, "duration": 0.1}
    footfall.load("cube/drop", {"pushes": [push]}).run(0.4, path)
    _, motion = recorded_motion(path, discover())
    run = open_run(path)
    hits = run["time"].values[run["impacts"].values > 0]
    marks = {kind: [m for m in motion.marks if m["kind"] == kind] for kind in ("impact", "push")}
    assert len(hits)
    for hit in hits:
        assert any(mark["time"] <= hit <= mark["end"] for mark in marks["impact"])
    assert marks["push"] == [
        {"kind": "push", "time": 0.05, "end": 0.15000000000000002, "text": "push on cube"}
    ]


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


def address_of(process):
    """Return the address of the page that the process says it serves."""
    line = process.stderr.readline()
    if line.startswith("compiling "):
        line = process.stderr.readline()
    return re.fullmatch(r"Viewer: (http://127\.0\.0\.1:\d+/\?token=\S+)\n", line)[1]


def read(url):
    asked = urllib.request.Request(url, headers={"Sec-Fetch-Dest": "iframe"})
    with urllib.request.urlopen(asked, timeout=120) as response:
        return response.read()


QUIET = ["--set", "visualizer.open_browser=false", "--set", "visualizer.wait=false"]


def test_a_run_is_paced_in_the_viewer_which_stays_open_until_ctrl_c(start):
    process = start(
        *("run", "pendulum/swing", "--duration", "0.3", "--no-record"),
        *("--view", "--speed", "0.5", *QUIET),
    )
    assert "<html" in read(address_of(process)).decode()
    lines = takewhile(lambda line: not line.startswith("recording"), process.stdout)
    summary = dict(line.split("  ", 1) for line in lines)
    # No faster than that, but for a frame interval at the start; a busy machine may be slower.
    assert float(summary["real-time factor"]) <= 0.6
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")


def test_a_replay_is_served_with_its_motion_until_ctrl_c(recording, start):
    process = start("view", str(recording), "--speed", "0.5")
    url = address_of(process)
    assert "<html" in read(url).decode()
    header, arrays = unpack_payload(read(url.replace("?", "motion?")))
    assert header["play"] == {"speed": 0.5, "loop": False}
    assert arrays["time"][-1] == open_run(recording)["time"].values[-1]
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")


def test_a_replay_does_not_warn_again_of_a_deep_start(tmp_path):
    path = tmp_path / "deep.zarr"
    deep = {"bodies.cube.base_position": [0.0, 0.0, 0.0]}
    with pytest.warns(DeepStartWarning):
        footfall.load("cube/drop", deep).run(0.05, path)
    recorded_motion(path, discover())  # a warning would be an error here
