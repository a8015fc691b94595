"""One page plays a motion from disk, without a network."""

import os
import re
import stat
import time

import numpy as np
import pytest
from tests.browser import SCALE, browser, changed, page_of, picture, until
from tests.scene_graphs import motion, primitives, write_html

from footfall.errors import RecordingError
from footfall_meshcat.drawing.payload import View
from footfall_meshcat.recorded.html import write_page
from footfall_meshcat.recorded.motion import Motion
from footfall_meshcat.recorded.plotted import Plotted


@pytest.fixture
def file(tmp_path):
    return tmp_path / "run.html"


def test_an_existing_file_is_kept_unless_overwriting_is_allowed(file):
    file.write_text("mine")
    with pytest.raises(RecordingError, match=r"run\.html exists"):
        write_html(file, primitives(), *motion(10))
    assert file.read_text() == "mine"
    write_html(file, primitives(), *motion(10), overwrite=True)
    assert file.read_text().startswith("<!doctype html>")


def test_a_place_that_cannot_be_written_is_one_error(tmp_path):
    with pytest.raises(RecordingError, match="there is no folder"):
        write_html(tmp_path / "absent" / "run.html", primitives(), *motion(10))


def test_a_write_that_fails_leaves_what_was_there(file, monkeypatch):
    file.write_text("mine")

    def fail(new, place):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(RecordingError, match="No space left"):
        write_html(file, primitives(), *motion(10), overwrite=True)
    assert [entry.name for entry in file.parent.iterdir()] == ["run.html"]
    assert file.read_text() == "mine"


def test_the_file_has_the_permissions_of_any_new_file(file):
    (file.parent / "plain").touch()
    write_html(file, primitives(), *motion(10))
    modes = {stat.S_IMODE(os.stat(entry).st_mode) for entry in file.parent.iterdir()}
    assert len(modes) == 1


def test_a_title_cannot_break_out_of_the_page(file):
    write_html(file, primitives(title="</title><script>bad()</script>"), *motion(10))
    assert "<script>bad()" not in file.read_text()


def test_the_page_names_no_other_place_and_carries_the_licence(file):
    write_html(file, primitives(), *motion(10))
    text = file.read_text()
    assert not re.search(r"(src|href)=[\"'](https?:)?//", text)
    assert "MIT License" in text


def test_size_hardly_grows_with_the_recording_rate(tmp_path):
    sizes = []
    for frames, dt in [(101, 0.02), (2001, 0.001)]:
        path = tmp_path / f"{frames}.html"
        write_html(path, primitives(), *motion(frames, dt))
        sizes.append(path.stat().st_size)
    assert sizes[1] < 1.01 * sizes[0]


@pytest.mark.browser
def test_the_page_plays_from_disk(file):
    rng = np.random.default_rng(3)
    arrays = motion(frames=400, dt=0.01, speed=0.5)
    arrays[3] = arrays[3] * rng.uniform(0.5, 1.5, (400, 1, 1))
    pairs = np.tile([0.0, 0.0, 1.0, 0.4, 1.0, 0.0, 1.0], (400, 4, 1))  # the cube bears the ball
    pairs[200:, 2, 4] = 2.0
    read = {"signal_time": arrays[0][::2], "signal0": np.arange(600.0).astype("f4")}
    signals = Plotted((("eye", "m", "distance", [["0", "1", "2"]]),), read)
    played = Motion(*arrays, signals=signals, between=pairs)
    write_page(file, primitives(), played, View(follow="none"), overwrite=False)
    with browser() as chromium, page_of(chromium, file.as_uri(), scale=SCALE) as page:
        until(page, "window.footfall && footfall.viewer.drawn > 0")
        assert page.evaluate("footfall.player.playing")
        page.click("#run")  # pause
        assert not page.evaluate("footfall.player.playing")
        page.evaluate("footfall.player.seek(0)")
        until(page, "footfall.viewer.frame.time === 0")
        first = picture(page)
        assert len(np.unique(first.reshape(-1, 3), axis=0)) > 200
        page.click("#run")
        # Paused at once: on a busy machine it may have begun again before the next picture.
        until(page, "footfall.player.time > 1 && (document.getElementById('run').click(), true)")
        until(page, "footfall.viewer.frame.time > 0.9")
        assert changed(first, picture(page)) > 0.005
        stopped = page.evaluate("footfall.player.time")
        time.sleep(0.5)
        assert page.evaluate("footfall.player.time") == stopped

        # Between two frames, at 3.2 and 3.22 s, it is where a line between them goes.
        page.evaluate("slider.value = 3.215; slider.dispatchEvent(new Event('input'))")
        until(page, "Math.abs(footfall.viewer.frame.time - 3.215) < 1e-9")
        cube = page.evaluate("footfall.viewer.bodies.links.get(0).position.toArray()")
        between = 0.25 * arrays[1][320, 0, :3] + 0.75 * arrays[1][322, 0, :3]
        assert np.allclose(cube, between, rtol=0, atol=1e-6)
        read = "Array.from(footfall.viewer.readings('eye', footfall.viewer.frame))"
        assert page.evaluate(read) == [480, 481, 482]  # of 3.2 s, the last before
        contact = page.evaluate("footfall.viewer.contacts.at(2, footfall.viewer.frame)")
        assert (contact["mode"], contact["bodies"]) == ("slips", [0, 1])
        assert contact["used"] == pytest.approx(0.5, rel=1e-5)  # of 0.4: 0.5 N at 2.5 N

        for key, at in ((",", 3.2), ("ArrowLeft", 3.18), ("ArrowRight", 3.2)):
            page.keyboard.press(key)
            until(page, f"Math.abs(footfall.viewer.frame.time - {at}) < 1e-6")
        for key, at in (("Home", 0.0), ("End", 3.99)):
            page.keyboard.press(key)
            until(page, f"Math.abs(footfall.viewer.frame.time - {at}) < 1e-6")
        assert all(address.startswith(("file:", "data:", "blob:")) for address in page.asked)


@pytest.mark.long
@pytest.mark.browser
def test_speed_and_loop_are_obeyed(file):
    write_html(file, primitives(), *motion(frames=201, dt=0.01))
    with browser() as chromium, page_of(chromium, file.as_uri(), (400, 300)) as page:
        until(page, "window.footfall && footfall.viewer.drawn > 0")
        page.select_option("#pace", "0.1")
        clock = "[footfall.player.time, footfall.player.last / 1000]"  # both of the last tick
        page.evaluate("footfall.player.seek(0)")
        before = page.evaluate(clock)
        until(page, f"footfall.player.last / 1000 > {before[1] + 1.0}")
        after = page.evaluate(clock)
        assert after[0] - before[0] == pytest.approx(0.1 * (after[1] - before[1]), abs=1e-6)

        page.select_option("#pace", "1")
        page.uncheck("#loop")
        until(page, "!footfall.player.playing && footfall.player.time === footfall.player.end")
        page.check("#loop")
        page.click("#run")
        until(page, "footfall.player.time > 1.5")
        until(page, "footfall.player.time < 1.0")
        assert page.evaluate("footfall.player.playing")
