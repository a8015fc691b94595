"""Whole runs that somebody in a real browser reaches into: command line, server, recording."""

import numpy as np
import pytest
from tests.browser import page_of, until
from tests.cases import first
from tests.plugins.answering_run import equipped, place_of
from tests.plugins.live_command import live, take

from footfall.recording.reader import open_run

STILL = (
    "bodies.cube.base_linear_velocity=[0, 0, 0]",
    "hands.mouse.device.plugin=mouse",
    "hands.mouse.stiffness=500",
)

pytestmark = pytest.mark.browser


def height_of(link):
    """The JavaScript of how high a link is, [m]."""
    return (
        f"footfall.viewer.frame.poses[7 * footfall.viewer.header.link_names.indexOf('{link}') + 2]"
    )


def lift(page):
    """Take the cube at its edge and pull it up by twice its length, to where it hangs free."""
    take(page, (0.05, 0.0, 0.07))
    x, y = place_of(page, (0.05, 0.0, 0.27))
    page.mouse.move(x, y, steps=20)
    until(page, f"{height_of('cube/cube')} > 0.1")


@pytest.mark.long
def test_a_mouse_lifts_a_cube_with_the_force_of_the_formula(chromium, tmp_path):
    recording = tmp_path / "lift.zarr"
    with live("cube/sliding", recording, *STILL) as url, page_of(chromium, url) as page:
        equipped(page)
        lift(page)
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


@pytest.mark.long
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
        assert page.evaluate("footfall.drawing.hand !== null")  # it is pulled, not fallen by itself
        page.mouse.up()
        until(page, "footfall.drawing.hand === null")
        assert page.evaluate(height_of(name)) < 0.9 * before


@pytest.mark.long
def test_play_pause_step_restart_and_speed(chromium):
    with live("cube/sliding") as url, page_of(chromium, url, (900, 600)) as page:
        equipped(page)
        until(page, "footfall.viewer.frame.time > 0.05")
        page.keyboard.press(" ")
        until(page, "!footfall.state.playing")
        before = page.evaluate("footfall.state.time")
        page.keyboard.press(".")
        until(page, f"Math.abs(footfall.state.time - {before} - 1e-3) < 1e-9")
        until(page, f"Math.abs(footfall.viewer.frame.time - {before}) < 1.1e-3")
        page.select_option("#pace", "0.1")
        until(page, "footfall.state.speed === 0.1")
        page.click("#run")
        until(page, "footfall.state.playing && footfall.state.rate > 0")
        page.keyboard.press("0")
        until(page, f"footfall.viewer.frame.time < {before}")
        assert page.evaluate("footfall.state.segment") >= 1


@pytest.mark.parametrize("mode", first("drag", "touch"))
def test_a_hand_that_moves_while_the_run_is_paused_is_drawn_at_once(chromium, mode):
    with live("cube/sliding", None, *STILL) as url, page_of(chromium, url, (900, 600)) as page:
        equipped(page)
        until(page, "footfall.viewer.frame.time > 0.05")
        page.keyboard.press(" ")
        until(page, "!footfall.state.playing")
        before = page.evaluate("footfall.state.time")
        if mode == "touch":
            page.keyboard.press("t")
        x, y = place_of(page, (0.0, 0.0, 0.1))
        page.mouse.move(x, y)
        page.mouse.down()
        until(page, "footfall.hand.held")
        page.mouse.move(x, y + 3 if mode == "touch" else y - 40, steps=4)
        until(page, "footfall.drawing.hand !== null && footfall.drawing.force > 0")
        until(page, "footfall.state.hand.held === 'cube/cube'")
        assert page.evaluate("footfall.drawing.folder.visible")
        assert page.evaluate("footfall.hand.tip.ball.visible") == (mode == "touch")
        page.mouse.up()
        until(page, "footfall.drawing.hand === null")
        assert page.evaluate("footfall.state.time") == before


@pytest.mark.long
def test_objects_come_and_go_and_friction_changes(chromium, tmp_path):
    recording = tmp_path / "objects.zarr"
    with live("cube/sliding", recording, *STILL) as url, page_of(chromium, url, (900, 600)) as page:
        equipped(page)
        until(page, "footfall.viewer.frame.time > 0.05")
        names = "footfall.state.bodies.map(({ name }) => name)"
        before = page.evaluate(names)
        page.evaluate("footfall.viewer.follow('none'); footfall.viewer.home()")
        page.keyboard.press("2")
        page.mouse.move(*place_of(page, (0.0, 0.0, 0.1)))  # the top of the cube
        until(page, "footfall.objects.placing.ghost.visible")
        page.mouse.down()
        page.mouse.up()
        page.keyboard.press("Escape")
        until(page, f"footfall.state.bodies.length === {len(before) + 1}")
        (new,) = set(page.evaluate(names)) - set(before)
        until(page, f"footfall.viewer.header.link_names.some((name) => name.startsWith('{new}/'))")
        until(page, "footfall.viewer.frame !== null")
        page.locator("#objects-section").evaluate("(part) => { part.open = true; }")
        page.click(f"[aria-label='delete {new}']")
        until(page, f"footfall.state.bodies.length === {len(before)}")
        until(page, f"!footfall.viewer.header.link_names.some((n) => n.startsWith('{new}/'))")
        friction = "footfall.state.tunables.find(({ path }) => path.includes('friction'))"
        path = page.evaluate(f"{friction}.path")
        page.locator("#tunables-section").evaluate("(part) => { part.open = true; }")
        groups = "document.querySelectorAll('#tunables-section details')"
        page.evaluate(f"{groups}.forEach((group) => {{ group.open = true; }})")
        row = page.locator(f"[title='{path}'] input[type=number]")
        row.fill("0.123")
        row.press("Enter")
        until(page, f"{friction}.value === 0.123")
        assert page.evaluate("footfall.state.segment") == 2


@pytest.mark.long
def test_a_page_closed_while_it_drags_frees_the_hand_and_the_run_goes_on(chromium):
    with live("cube/sliding", None, *STILL) as url:
        with page_of(chromium, url, (900, 600)) as page:
            equipped(page)
            lift(page)
            assert page.evaluate("footfall.hand.holder") == "you"
            page.close()
        with page_of(chromium, url, (900, 600)) as page:
            equipped(page)
            until(page, "footfall.hand.holder === null && footfall.state.hand.held === null")
            until(page, f"{height_of('cube/cube')} < 0.08")
            now = page.evaluate("footfall.viewer.frame.time")
            until(page, f"footfall.viewer.frame.time > {now}")
