"""Pages in the cells of a notebook: what IPython is given, and that a browser plays it."""

import html
import re
from urllib.request import Request, urlopen

import pytest
from tests.browser import browser, page_of

import footfall
from footfall.errors import FootfallError


@pytest.fixture(scope="module")
def run():
    return footfall.load("cube/drop").run(0.2)


def frame_of(shown, attribute):
    """Return what the frame's source is."""
    found = re.fullmatch(
        rf'<iframe {attribute}="([^"]*)" style="[^"]*" allowfullscreen></iframe>', shown
    )
    assert found
    return html.unescape(found[1])


def status(url):
    """Return what a server answers."""
    with urlopen(Request(url, headers={"Sec-Fetch-Dest": "iframe"})) as response:
        return response.status


def test_a_run_is_a_player_that_needs_no_server(run):
    shown = footfall.show(run, height=300)
    page = frame_of(shown._repr_html_(), "srcdoc")
    assert page.startswith("<!DOCTYPE html>") or page.lower().startswith("<!doctype html>")
    assert "height: 300px" in shown._repr_html_()
    assert not re.search(r'(src|href)="https?:', page)
    line = repr(shown)
    assert "\n" not in line
    assert f"footfall view {run.encoding['source']}" in line


@pytest.mark.browser
def test_a_notebook_plays_a_run(run, tmp_path):
    file = tmp_path / "notebook.html"
    file.write_text(f"<p>cell</p>{footfall.show(run)._repr_html_()}")
    with browser() as chromium, page_of(chromium, file.as_uri(), (900, 700)) as page:
        page.wait_for_function(
            "window.frames[0].footfall && window.frames[0].footfall.viewer.drawn > 0"
        )


def test_a_simulator_is_its_live_page():
    sim = footfall.load("cube/drop", {"visualizer.plugin": "meshcat", "visualizer.speed": 0.0})
    try:
        shown = footfall.show(sim)
        url = frame_of(shown._repr_html_(), "src")
        assert status(url) == 200
        assert url in repr(shown)
        before = sim.time
        sim.record(0.01)
        assert sim.time > before
        assert frame_of(footfall.show(sim)._repr_html_(), "src") == url  # the same page
    finally:
        sim.participants.visualizer.close()


def test_a_simulator_without_a_viewer_gets_one():
    sim = footfall.load("cube/drop")
    try:
        assert status(frame_of(footfall.show(sim)._repr_html_(), "src")) == 200
        assert sim.participants.visualizer.name == "meshcat"
    finally:
        sim.participants.visualizer.close()


def test_what_cannot_be_shown_is_told(run):
    with pytest.raises(FootfallError, match=r"show needs a simulator, a run.*got int"):
        footfall.show(3)
    with pytest.raises(FootfallError, match="show the recording's path instead"):
        footfall.show(run[["com"]].drop_encoding())
    with pytest.raises(FootfallError, match="no such recording"):
        footfall.show("nothing.zarr")
