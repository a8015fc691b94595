"""Data runs no code: what a state or a recording names is imported only where it is trusted."""

import sys

import pytest
from tests.cases import first

import footfall
from footfall.cli.main import main
from footfall.errors import SceneError
from footfall_stepper.world.state import load_state

PUSH = {"link": "cube", "function": "planted_code:force"}
CODE = """
from pathlib import Path

Path("imported").write_text("by " + __name__)


def force(time):
    return [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
"""
SCENE = """
[simulation]
duration = 0.01

[bodies.cube]
robot = "cube"
base_position = [0, 0, 1]

[[pushes]]
link = "cube"
function = "planted_code:force"
"""


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """A state and a recording that name a function, and its module in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "planted_code.py").write_text(CODE)
    (tmp_path / "pushed.toml").write_text(SCENE)
    sim = footfall.load("pushed.toml")
    sim.record(0.01, "run.zarr")
    sim.save("a.state")
    del sys.modules["planted_code"]
    (tmp_path / "imported").unlink()
    yield tmp_path
    sys.modules.pop("planted_code", None)


def command(*arguments):
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    return exit_.value.code or 0


def test_a_state_is_restored_without_the_functions_that_it_names(planted):
    with pytest.raises(SceneError, match=r"names functions, which run code: planted_code:force; "):
        footfall.restore("a.state")
    assert not (planted / "imported").exists()
    assert footfall.restore("a.state", trust=True).time == pytest.approx(0.01)
    assert (planted / "imported").exists()


@pytest.mark.parametrize(
    "arguments",
    first(("export", "run.zarr", "-o", "a.html"), ("view", "run.zarr", "--html", "a.html")),
)
def test_a_recording_is_shown_without_the_functions_that_it_names(planted, capsys, arguments):
    assert command(*arguments) == 1
    err = capsys.readouterr().err
    assert "names functions, which run code: planted_code:force; add --trust" in err
    assert err.count("\n") == 1
    assert not (planted / "imported").exists()
    assert command(*arguments, "--trust") == 0
    assert (planted / "imported").exists()
    assert (planted / "a.html").exists()


def test_opening_and_comparing_settings_imports_nothing(planted):
    assert footfall.open_run("run.zarr").sizes["time"] == 10
    assert command("resolve", "cube/drop", "--against", "run.zarr") in (0, 1)
    assert not (planted / "imported").exists()


def test_every_function_is_listed_wherever_it_is_named(planted):
    _, header = load_state(planted / "a.state")
    there = header["resolved"]
    there["scene"]["world"]["terrain"] = {"plugin": "heightmap", "function": "evil.module:f"}
    there["scene"]["bodies"]["cube"]["controller"] = {"plugin": "zero", "deep": [["other:g"]]}
    there["scene"]["description"] = "note:this"
    with pytest.raises(SceneError, match=r"evil.module:f, other:g, planted_code:force; "):
        footfall.stored_scene(there, footfall.discover())


def test_functions_that_the_users_own_scene_names_need_no_trust(planted):
    sim = footfall.load("pushed.toml")
    ball = {
        "shape": {"type": "sphere", "radius": 0.05},
        "base_position": [1, 0, 0.5],
        "friction": 1,
    }
    footfall.with_object(sim, "ball", ball).save("more.state")
    assert command("run", "pushed.toml", "--resume", "more.state", "--no-record") == 0
    with pytest.raises(SceneError, match="planted_code:force"):
        footfall.restore("more.state")


def test_a_scene_runs_its_page_written_with_it(planted):
    assert command("run", "pushed.toml", "--output", "b.zarr", "--html", "b.html") == 0
    assert (planted / "b.html").exists()
