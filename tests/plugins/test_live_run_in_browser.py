"""Whole runs that somebody in a real browser reaches into: command line, server, recording."""

import numpy as np
import pytest
from tests.browser import browser, page_of, until
from tests.plugins.answering_run import equipped
from tests.plugins.live_command import live, take

from footfall.recording.reader import open_run

STILL = (
    "bodies.cube.base_linear_velocity=[0, 0, 0]",
    "hands.mouse.device.plugin=mouse",
    "hands.mouse.stiffness=500",
)

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def chromium():
    with browser() as chromium:
        yield chromium


def height_of(link):
    """The JavaScript of how high a link is, [m]."""
    return (
        f"footfall.viewer.frame.poses[7 * footfall.viewer.header.link_names.indexOf('{link}') + 2]"
    )


def test_a_mouse_lifts_a_cube_with_the_force_of_the_formula(chromium, tmp_path):
    recording = tmp_path / "lift.zarr"
    with live("cube/sliding", recording, *STILL) as url, page_of(chromium, url) as page:
        equipped(page)
        x, y = take(page, (0.05, 0.0, 0.07))
        page.mouse.move(x, y - 200, steps=20)
        until(page, f"{height_of('cube/cube')} > 0.1")
        until(page, "footfall.drawing.force > 5")
        page.mouse.up()
        until(page, f"footfall.drawing.hand === null && {height_of('cube/cube')} < 0.08")
    run = open_run(recording)
    held = run.hand_link.values[:, 0] >= 0
    assert held.sum() > 20
    assert not held[-1]
    time_step = 1e-3
    one = {
        name: run[f"hand_{name}"].values[held, 0]
        for name in ("target", "position", "velocity", "target_velocity", "stiffness", "damping")
    }
    k, c = one["stiffness"][:, None], one["damping"][:, None]
    formula = k * (one["target"] - one["position"] - time_step * one["velocity"])
    formula += c * (one["target_velocity"] - one["velocity"])
    force = run.hand_force.values[held, 0]
    free = np.isfinite(one["stiffness"])  # the limit did not say what the force was
    assert free.sum() > 20
    np.testing.assert_allclose(force[free], formula[free], atol=1e-9 * np.abs(force).max())
    assert run.base_position.sel(body="cube", axis="z").values.max() > 0.1


def test_a_mouse_tips_the_humanoid(chromium):
    with live("humanoid/standing") as url, page_of(chromium, url, (900, 600)) as page:
        equipped(page)
        name, point = page.evaluate(
            """(() => {
                 const { bodies, header, frame, meshcat } = footfall.viewer;
                 const k = header.tracks[0][1];
                 return [header.link_names[k], Array.from(frame.poses.slice(7 * k, 7 * k + 3))];
               })()"""
        )
        before = page.evaluate(height_of(name))
        x, y = take(page, point)
        for k in range(1, 21):
            page.mouse.move(x + 15 * k, y + 3 * k)
        until(page, f"{height_of(name)} < {0.7 * before}")
        page.mouse.up()
        until(page, "footfall.drawing.hand === null")
