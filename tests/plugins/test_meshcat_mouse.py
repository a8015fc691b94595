"""The mouse in a real browser reaches into a real run, started from the command line."""

import contextlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from tests.browser import PATIENCE, browser, need_chromium, page_of, until

import footfall

pytestmark = pytest.mark.browser

STIFF = ("--set", "hands.mouse.device.plugin=mouse", "--set", "hands.mouse.stiffness=500")
READY = "window.footfall && footfall.viewer && footfall.viewer.drawn > 0 && footfall.state"
POSE = "Array.from(footfall.viewer.frame.poses.slice(0, 3))"


@contextlib.contextmanager
def running(scene, output, *options):
    """``footfall run SCENE --live`` in a process of its own: its page's address."""
    need_chromium()
    command = [sys.executable, "-c", "from footfall.cli.main import main; main()", "run", scene]
    command += ["--live", "--output", str(output), "--set", "visualizer.open_browser=false"]
    log = output.with_suffix(".log")
    with log.open("w") as errors:
        process = subprocess.Popen(
            [*command, *options], stdout=subprocess.DEVNULL, stderr=errors, text=True
        )
    try:
        end = time.monotonic() + PATIENCE
        while "Viewer: " not in log.read_text():
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end
            time.sleep(0.05)
        yield log.read_text().partition("Viewer: ")[2].split()[0]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
        print(log.read_text())  # shown if the test fails
    assert "Traceback" not in log.read_text()


def drag(page, start, end, moves=12):
    """Move the pressed mouse, a little at a time."""
    for place in np.linspace(start, end, moves):
        page.mouse.move(*place)
        time.sleep(0.03)


def take(page, point, name):
    """Press the mouse on a point of the world and wait until the run holds that link there."""
    x, y = page.evaluate(f"footfall.hand.pointer.project({list(point)})")
    page.mouse.move(x, y)
    until(page, f"footfall.hand.hovered && footfall.hand.hovered.name === '{name}'")
    page.mouse.down()
    until(page, f"footfall.state.hand.held === '{name}'")
    return x, y


def spring_errors(run):
    """Return by how much the recorded force differs from the spring's where that says it, [N]."""
    held = run.isel(time=run.hand_link.values[:, 0] >= 0)
    target, position, velocity, rate, force = (
        held[f"hand_{name}"].values[:, 0]
        for name in ("target", "position", "velocity", "target_velocity", "force")
    )
    stiffness, damping = held.hand_stiffness.values, held.hand_damping.values
    dt = float(run.attrs["time_step"])
    spring = stiffness * (target - position - dt * velocity) + damping * (rate - velocity)
    free = np.isfinite(stiffness[:, 0])  # elsewhere the force is at its limit
    assert free.sum() > 20
    assert np.abs(force).max() > 1.0
    return np.abs(force - spring)[free]


def test_a_drag_lifts_a_cube(tmp_path):
    with (
        running("cube/drop", tmp_path / "run.zarr", *STIFF) as url,
        browser() as chromium,
        page_of(chromium, url, (900, 600)) as page,
    ):
        until(page, READY)
        until(page, "footfall.state.time > 2")  # it lies still
        start = take(page, page.evaluate(POSE), "cube/cube")
        drag(page, start, (start[0], start[1] - 170))
        until(page, "footfall.viewer.frame.poses[2] > 0.08")
        assert page.evaluate("footfall.state.holder") == "you"
        page.mouse.up()
        until(page, "footfall.state.hand.held === null")
        until(page, "footfall.viewer.frame.poses[2] < 0.06")
    run = footfall.open_run(tmp_path / "run.zarr")
    assert spring_errors(run).max() < 1e-9
    assert run.base_position.values[run.hand_link.values[:, 0] >= 0, 0, 2].max() > 0.08
