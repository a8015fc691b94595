import json
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy
import pytest
from tests.core.scene_plugins import MINIMAL, make_registry
from tests.core.test_scene_load import FULL

from footfall.scene.fingerprint import difference
from footfall.scene.load import load_scene, scene_from_dict
from footfall.scene.resolved import resolved


@pytest.fixture(scope="module")
def registry():
    return make_registry()


def make(registry, **changes):
    return resolved(scene_from_dict({**MINIMAL, **changes}, registry))


@pytest.mark.parametrize("data", [MINIMAL, tomllib.loads(FULL)])
def test_the_resolved_scene_loads_as_the_same_scene(registry, data):
    scene = scene_from_dict(data, registry)
    stored = json.loads(json.dumps(resolved(scene)))
    again = scene_from_dict(stored["scene"], registry)
    assert again == scene
    assert resolved(again) == resolved(scene)


def test_toml_could_hold_it_for_nothing_in_it_is_null(registry):
    assert "null" not in json.dumps(make(registry))


def test_defaults_are_written_out(registry):
    tables = make(registry)["scene"]
    assert tables["simulation"]["time_step"] == 1e-3
    assert tables["contact"] == {"plugin": "coulomb", "tolerance": 1e-9, "gain": 0.2}
    assert tables["bodies"]["box"]["controller"] == {"plugin": "zero"}


def test_versions_of_plugins_and_packages_are_kept(registry):
    stored = make(registry, contact={"plugin": "gauss"})
    assert stored["plugins"]["contact.solver"] == {
        "plugin": "proxqp",
        "distribution": "fake-plugins",
        "version": "3.1",
    }
    assert stored["packages"]["numpy"] == numpy.__version__
    assert stored["packages"]["python"].startswith("3.")


def test_the_version_of_what_a_plugin_requires_is_kept(registry):
    scene = scene_from_dict(MINIMAL, registry)
    scene = replace(scene, engine=replace(scene.engine, requires=("pydantic", "no_such_package")))
    packages = resolved(scene)["packages"]
    assert packages["pydantic"].startswith("2.")
    assert "no_such_package" not in packages


def test_the_file_is_kept_by_its_absolute_path(registry, tmp_path, monkeypatch):
    (tmp_path / "scene.toml").write_text(FULL)
    monkeypatch.chdir(tmp_path)
    assert Path(resolved(load_scene("scene.toml", {}, registry))["file"]) == tmp_path / "scene.toml"
    assert "file" not in make(registry)


def test_scenes_that_move_alike_have_the_same_fingerprint(registry, tmp_path):
    reference = make(registry)
    alike = [
        make(registry, simulation={"duration": 9.0}),
        make(registry, simulation={"duration": 1.0, "time_step": 1e-3}),
        make(registry, recorder={"interval": 7}),
        make(registry, visualizer={"plugin": "meshcat"}),
        make(registry, description="another"),
        make(registry, contact={"gain": 0.2}),
        resolved(scene_from_dict(MINIMAL, registry, name="other")),
    ]
    for other in alike:
        assert difference(other, reference) is None
        assert difference(other, reference) is None


CHANGES = {
    "simulation.time_step is 0.002 there and 0.001 here": {
        "simulation": {"duration": 1.0, "time_step": 2e-3}
    },
    "world.gravity is [0.0, 0.0, -1.0] there and [0.0, 0.0, -9.81] here": {
        "world": {"gravity": [0, 0, -1]}
    },
    "bodies.box.friction is 0.5 there and not given here": {
        "bodies": {"box": {"robot": "box", "friction": 0.5}}
    },
    "contact.gain is 0.3 there and 0.2 here": {"contact": {"gain": 0.3}},
    'engine.plugin is "other" there and "featherstone" here (and 1 more)': {
        "engine": {"plugin": "other"}
    },
    'bodies.ball.robot is "ball" there and not given here (and 6 more)': {
        "bodies": {"box": {"robot": "box"}, "ball": {"robot": "ball"}}
    },
}


@pytest.mark.parametrize("told", CHANGES)
def test_another_scene_has_another_fingerprint_and_the_difference_is_told(registry, told):
    other, mine = make(registry, **CHANGES[told]), make(registry)
    assert difference(other, mine) is not None
    assert difference(other, mine) == told


def test_another_version_of_a_plugin_or_of_footfall_is_told(registry):
    mine = make(registry)
    for key, path in {
        "footfall": ["footfall"],
        "plugins.contact.version": ["plugins", "contact", "version"],
    }.items():
        other = json.loads(json.dumps(mine))
        table = other
        for part in path[:-1]:
            table = table[part]
        table[path[-1]] = "0.0.0"
        assert difference(other, mine) is not None
        assert difference(other, mine).startswith(f'{key} is "0.0.0" there and "')


def test_another_version_of_numpy_is_still_the_same_scene(registry):
    other = make(registry)
    other["packages"]["numpy"] = "1.0"
    assert difference(other, make(registry)) is None


def test_another_robot_under_the_same_name_is_told(registry):
    scene = scene_from_dict(MINIMAL, registry)
    there, here = (resolved(scene, {"box": {"digest": digest}}) for digest in "ab")
    assert difference(there, here) == 'robots.box.digest is "a" there and "b" here'
    assert difference(there, here) is not None


def test_the_order_in_which_bodies_are_given_counts(registry):
    tables = [("a", {"robot": "a"}), ("b", {"robot": "b"})]
    there, here = (make(registry, bodies=dict(t)) for t in (tables, tables[::-1]))
    assert difference(there, here) is not None
    assert difference(there, here) == "bodies.a.robot comes in another order there"
