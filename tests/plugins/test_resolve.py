"""``footfall resolve``: every key with its value and its source; which defaults have changed."""

import json
import tomllib
from pathlib import Path

import pytest

import footfall
from footfall.cli.main import main
from footfall.scene.fingerprint import changed_defaults, difference
from footfall.scene.resolved import DEFAULTS, resolved

SCENE = """\
[simulation]
duration = 0.5

[bodies.q]
robot = "quadruped"
friction = 0.4

[contact]
plugin = "gauss"

[pairs."terrain/q"]
friction = 0.3
"""


@pytest.fixture
def scene(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scene.toml").write_text(SCENE)
    return tmp_path / "scene.toml"


def resolve(capsys, *arguments):
    """Run the command; return what it prints."""
    with pytest.raises(SystemExit) as exit_:
        main(["resolve", *arguments])
    out, err = capsys.readouterr()
    assert not exit_.value.code, err
    return out


def sources(capsys, *arguments):
    return {row["key"]: row["source"] for row in json.loads(resolve(capsys, *arguments, "--json"))}


def test_each_key_says_where_it_comes_from(scene, capsys):
    found = sources(capsys, "scene.toml", "--set", "contact.solver.plugin=casadi")
    assert found["simulation.duration"] == "scene.toml:2"
    assert found["simulation.time_step"].startswith("default (footfall ")
    assert found["bodies.q.friction"] == "scene.toml:6"
    assert found["bodies.q.joint_positions"].endswith("quadruped/robot.toml:14")
    assert found["contact.solver.plugin"] == "override"
    assert found["contact.solver.tolerance"].startswith("default of casadi (footfall ")
    assert found["contact.max_consecutive_failures"].startswith("default of gauss (footfall ")
    assert found['pairs."q/terrain".friction'] == "scene.toml:12"


def test_the_key_of_a_robots_file_is_where_it_stands(scene, capsys):
    rows = json.loads(resolve(capsys, "scene.toml", "--json"))
    (row,) = [row for row in rows if row["key"] == "bodies.q.base_position"]
    file, _, line = row["source"].rpartition(":")
    assert Path(file).read_text().splitlines()[int(line) - 1].startswith("base_position")
    assert row["value"][2] > 0.0


@pytest.mark.parametrize("reference", ["scene.toml", "cube/drop", "quadruped/trot"])
def test_what_is_printed_is_the_scene_itself(scene, capsys, reference):
    out = resolve(capsys, reference)
    keys = [line.split(" = ")[0] for line in out.splitlines()]
    assert len(keys) == len(set(keys))
    tables = tomllib.loads(out)
    original = resolved(footfall.load_scene(reference))["scene"]
    for table in ("simulation", "contact", "world", "recorder", "collisions"):
        assert tables[table] == original[table]
    scene.with_name("printed.toml").write_text(out)
    assert footfall.load_scene("printed.toml").contact == footfall.load_scene(reference).contact


def tables(text="", **overrides):
    """Return the resolved form of the scene, as a recording gives it back."""
    return json.loads(json.dumps(resolved(footfall.load_scene("scene.toml", overrides))))


def test_the_version_of_the_defaults_is_named(scene):
    assert tables()["defaults"] == DEFAULTS
    assert "contact.plugin" in tables()["given"]
    assert "contact.solver.plugin" not in tables()["given"]


def older():
    """Return a resolved scene of a version whose defaults were others."""
    there = tables()
    there["scene"]["contact"]["max_consecutive_failures"] = 3
    del there["scene"]["collisions"]["margin"]
    there["scene"]["simulation"]["duration"] = 9.0
    return there


def test_defaults_that_have_changed_are_told_and_what_is_given_is_not(scene):
    changed = {key: (old, new) for key, old, new in changed_defaults(older(), tables())}
    assert set(changed) == {"contact.max_consecutive_failures", "collisions.margin"}
    assert changed["contact.max_consecutive_failures"] == (
        "3",
        str(tables()["scene"]["contact"]["max_consecutive_failures"]),
    )
    assert changed["collisions.margin"][0] == "not given"


def test_settings_of_another_plugin_are_no_changed_defaults(scene):
    assert not changed_defaults(tables(), tables(**{"contact.plugin": "coulomb"}))


def test_who_resumes_is_told(scene):
    said = difference(older(), tables())
    assert "defaults that have changed since: " in said
    assert "contact.max_consecutive_failures was 3 there and is " in said


def test_recordings_of_before_tell_nothing_and_open(scene):
    before = older()
    del before["given"], before["defaults"]
    assert not changed_defaults(before, tables())
    assert "defaults" not in difference(before, tables())


def test_against_a_recording(scene, capsys, monkeypatch):
    class Opened:
        attrs = {"resolved_scene": older()}  # noqa: RUF012

    monkeypatch.setitem(vars(footfall), "open_run", lambda path: Opened)
    out = resolve(capsys, "scene.toml", "--against", "old.zarr")
    assert "contact.max_consecutive_failures: 3 in old.zarr, " in out
    Opened.attrs = {"resolved_scene": tables()}
    assert resolve(capsys, "scene.toml", "--against", "old.zarr").startswith("no default has")
