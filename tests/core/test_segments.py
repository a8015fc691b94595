"""Recordings of several segments."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.live_viewers import live
from typer.testing import CliRunner

import footfall
from footfall.cli.main import app
from footfall.errors import RecordingError
from footfall.interfaces import interactive_visualizer as ask
from footfall.recording.reader import open_segments, segment_paths
from footfall.registry.discover import discover
from footfall_meshcat.recorded.motion import recorded_motion
from footfall_run.command import _tell_of_segments

BOX = ask.CreateObject("box", (0.1, 0.1, 0.1), (1.0, 0.0, 0.06))


def recorded(path: Path) -> Path:
    """A run of 10 steps with a cube and 10 more with a box."""
    run, _ = live(
        footfall.load("cube/drop", {"visualizer.plugin": "none"}), [10, BOX], duration=0.02
    )
    run.record(path, True, False)
    return path


def test_a_plain_recording_is_one_segment(tmp_path: Path) -> None:
    footfall.load("cube/drop").record(0.01, tmp_path / "run.zarr")
    assert segment_paths(tmp_path / "run.zarr") == [tmp_path / "run.zarr"]


def test_overwriting_removes_the_segments(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.zarr")
    assert len(open_segments(path)) == 2
    footfall.load("cube/drop").record(0.01, path, overwrite=True)
    assert len(open_segments(path)) == 1
    assert not (path / "segments").exists()


def test_what_footfall_did_not_write_among_segments_is_kept(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.zarr")
    (path / "segments" / "notes.txt").write_text("mine")
    with pytest.raises(RecordingError, match="not overwritten"):
        footfall.load("cube/drop").record(0.01, path, overwrite=True)
    assert len(open_segments(path)) == 2


def test_a_segment_that_had_no_time_to_begin_is_left_out(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.zarr")
    (path / "segments" / "2").mkdir()
    assert [segment.sizes["time"] for segment in open_segments(path)] == [10, 10]


def test_a_folder_that_is_no_recording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="no such recording"):
        open_segments(tmp_path / "run.zarr")
    with pytest.raises(RecordingError, match="is not a Footfall recording"):
        open_segments(tmp_path)


def test_pages_show_the_segment_that_is_asked_for(tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.zarr")
    first, second = tmp_path / "first.html", tmp_path / "second.html"
    said = CliRunner().invoke(app, ["view", str(path), "--html", str(first)])
    assert said.exit_code == 0
    assert "first of 2 segments: --segment 0 to 1" in said.output
    CliRunner().invoke(app, ["view", str(path), "--segment", "1", "--html", str(second)])
    direct = tmp_path / "direct.html"
    CliRunner().invoke(app, ["view", str(path / "segments" / "1"), "--html", str(direct)])
    assert second.read_text() == direct.read_text() != first.read_text()
    graph, _ = recorded_motion(path / "segments" / "1", discover())
    assert any(node.name.startswith("box_1/") for node in graph.nodes)
    wrong = CliRunner().invoke(app, ["view", str(path), "--segment", "2", "--html", str(first)])
    assert "no 2" in str(wrong.exception)


def test_a_page_of_a_run_says_that_it_shows_the_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recorded(tmp_path / "run.zarr")
    _tell_of_segments(path)
    said = capsys.readouterr().err
    assert said.startswith("note: it shows the first of 2 segments")
    assert f"footfall view {path} --html PAGE --segment 1" in said
    footfall.load("cube/drop").record(0.01, path, overwrite=True)
    _tell_of_segments(path)
    assert capsys.readouterr().err == ""
