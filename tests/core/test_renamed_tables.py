"""``[simulator]`` by its name of before, ``[backend]``: read for one more version, with a note."""

import copy
import json
from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall.cli.main import main
from footfall.errors import PluginError, SceneError
from footfall.registry.registry import Registry
from footfall.scene.fingerprint import changed_defaults, difference

NOTE = "[backend] is called [simulator] now; the next version will refuse it"
SCENE = """
[simulation]
duration = 0.002

[bodies.cube]
robot = "cube"
"""
BEFORE = SCENE + '\n[backend]\nplugin = "mujoco"\ncone = "elliptic"\n'
pytest.importorskip("mujoco")


@pytest.fixture
def before(tmp_path):
    path = tmp_path / "before.toml"
    path.write_text(BEFORE)
    return path


def test_a_scene_file_chooses_by_the_name_of_before(before):
    scene = footfall.load_scene(before)
    assert scene.notes.count(NOTE) == 1
    assert (scene.simulator.plugin, scene.simulator.config.cone) == ("mujoco", "elliptic")


@pytest.mark.parametrize(
    "overrides", [{"backend.plugin": "mujoco"}, {"backend": {"plugin": "mujoco"}}]
)
def test_an_override_chooses_by_the_name_of_before(overrides):
    scene = footfall.load_scene("cube/drop", overrides)
    assert scene.notes.count(NOTE) == 1
    assert scene.simulator.plugin == "mujoco"


def test_an_override_of_today_changes_a_file_of_before(before):
    scene = footfall.load_scene(before, {"simulator.cone": "pyramidal"})
    assert scene.simulator.config.cone == "pyramidal"
    assert (
        footfall.load_scene(before, {"simulator.plugin": "footfall"}).simulator.plugin == "footfall"
    )


def test_an_error_names_the_line_of_the_file(before):
    before.write_text(BEFORE.replace("elliptic", "round"))
    line = BEFORE.splitlines().index('cone = "elliptic"') + 1
    with pytest.raises(SceneError, match=rf"before.toml:{line}: simulator.cone"):
        footfall.load_scene(before)


@pytest.mark.parametrize("both", ["file", "overrides"])
def test_both_names_together_are_refused(before, both):
    overrides = {"backend.plugin": "mujoco", "simulator.plugin": "mujoco"}
    if both == "file":
        before.write_text(BEFORE + '\n[simulator]\nplugin = "mujoco"\n')
        overrides = {}
    with pytest.raises(
        SceneError, match="backend: is called simulator now, which is given as well"
    ):
        footfall.load_scene(before, overrides)


def of_before(resolved):
    """Return a resolved scene as it was stored under the name of before."""
    stored = copy.deepcopy(resolved)
    for key in ("scene", "plugins"):
        stored[key] = {k.replace("simulator", "backend"): v for k, v in stored[key].items()}
    stored["given"] = [key.replace("simulator", "backend") for key in stored["given"]]
    return stored


def test_a_state_saved_before_goes_on_with_the_same_bits(tmp_path):
    chosen = {"simulator.plugin": "mujoco"}
    sim = footfall.load("cube/drop", chosen)
    sim.step()
    sim.provenance = replace(sim.provenance, resolved=of_before(sim.provenance.resolved))
    sim.save(tmp_path / "before.npz")
    again, resumed = footfall.restore(tmp_path / "before.npz"), footfall.load("cube/drop", chosen)
    resumed.resume(tmp_path / "before.npz")
    for each in (sim, again, resumed):
        each.step()
    np.testing.assert_array_equal(again.q, sim.q)
    np.testing.assert_array_equal(resumed.q, sim.q)


def test_a_scene_stored_before_is_read_and_is_the_same():
    registry = footfall.discover()
    today = footfall.resolved(footfall.load_scene("cube/drop", {"simulator.plugin": "mujoco"}))
    stored = of_before(today)
    scene = footfall.stored_scene(json.loads(json.dumps(stored)), registry)
    assert NOTE in scene.notes
    assert scene.simulator.plugin == "mujoco"
    assert stored["given"] != today["given"]
    assert changed_defaults(stored, today) == []
    assert difference(stored, today) is None


@pytest.mark.parametrize(
    "words",
    [
        [
            "run",
            "cube/drop",
            "--duration",
            "0.002",
            "--no-record",
            "--set",
            "backend.plugin=footfall",
        ],
        ["resolve", "cube/drop", "--set", "backend.plugin=footfall"],
        ["compare", "cube/drop", "--duration", "0.002", "--vary", "backend.plugin=footfall"],
        ["sweep", "cube/drop", "--duration", "0.002", "--vary", "backend.plugin=footfall"],
    ],
    ids=lambda words: words[0],
)
def test_commands_print_one_line(tmp_path, monkeypatch, capfd, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert not ended.value.code
    out, err = capfd.readouterr()
    assert err.count(NOTE) == 1, out + err


def test_validate_takes_the_option_of_before_with_one_line(capfd):
    with pytest.raises(SystemExit) as ended:
        main(["validate", "laws", "--backend", "no_such"])
    assert ended.value.code == 1
    err = capfd.readouterr().err
    assert err.count("--backend is called --simulator now; the next version will refuse it") == 1


def test_the_catalog_of_before_is_told_in_one_line():
    with pytest.raises(
        PluginError, match=r"registry.backend is registry.simulator since .*CHANGELOG"
    ):
        Registry().backend.add("mine", int, summary="")
    with pytest.raises(PluginError, match='the role "backend" is called "simulator" now'):
        Registry().find("backend", "mujoco")
