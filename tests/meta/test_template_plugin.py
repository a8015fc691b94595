"""A plugin of somebody else's: built as a wheel, installed elsewhere, found, chosen, conforming."""

import json

import pytest
from tests.meta.wheels import attempted, footfall, install, printed

from footfall_check.new.package import write_package

SCENE = """
description = "A cube on springs"

[simulation]
duration = 0.5
time_step = 1e-3

[world.terrain]
plugin = "plane"
friction = 0.5

[bodies.cube]
robot = "cube"
base_position = [0.0, 0.0, 0.06]

[contact]
plugin = "spring_damper"
stiffness = 1e4
"""
DISCOVERED = """
from footfall import discover
entry = discover().contact["spring_damper"]
print(entry.origin.distribution, entry.origin.version, entry.load().__module__)
"""
CONFORMS = """
import footfall.testing
report = footfall.testing.check_plugin("contact", "spring_damper")
print(report)
assert report.ok
"""
RUNS = """
import footfall
run = footfall.load("scene.toml").run()
contact = run.attrs["resolved_scene"]["scene"]["contact"]
assert contact["plugin"] == "spring_damper", contact
weight = float(run.contact_force.sel(axis="z").sum("contact")[-1])
depth = float(run.penetration[-1])
print(weight, depth)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return a folder in which a package that ``footfall new`` has written is installed."""
    made = tmp_path_factory.mktemp("made")
    package = write_package("contact", "spring_damper", made, forces=True).folder
    folder = install(package, tmp_path_factory.mktemp("template"))
    (folder / "scene.toml").write_text(SCENE)
    return folder


def test_the_wheel_holds_the_package_and_its_entry_point_only(installed):
    names = {path.name for path in (installed / "site").iterdir()} - {"bin"}
    assert names == {"footfall_spring_damper", "footfall_spring_damper-0.1.0.dist-info"}


def test_the_plugin_is_found_with_its_distribution(installed, python):
    found = printed(python, installed, "-c", DISCOVERED).split()
    assert found == ["footfall-spring-damper", "0.1.0", "footfall_spring_damper.contact"]


def test_the_plugin_is_listed_on_the_command_line(installed, python):
    listing = json.loads(footfall(python, installed, "plugins", "--json"))
    (plugin,) = [each for each in listing["plugins"] if each["name"] == "spring_damper"]
    assert plugin["distribution"] == "footfall-spring-damper"
    assert plugin["capabilities"] == [
        "friction",
        "moving ground",
        "several bodies",
        "tilted terrain",
    ]
    assert plugin["problem"] is None
    assert listing["broken"] == []


def test_a_scene_chooses_the_plugin_and_its_settings_and_runs(installed, python):
    """A cube at rest on four springs sinks in by m g / (4 k)."""
    weight, depth = map(float, printed(python, installed, "-c", RUNS).split())
    assert weight == pytest.approx(9.81, rel=1e-3)
    assert depth == pytest.approx(9.81 / (4 * 1e4), rel=1e-3)


def test_a_wrong_setting_of_the_plugin_is_refused_with_its_key(installed, python):
    command = ["-m", "footfall.cli.main", "run", "scene.toml", "--set", "contact.stiffness=-1"]
    done = attempted(python, installed, *command)
    assert done.returncode == 1
    assert "contact.stiffness" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.long
def test_the_settings_are_in_the_schema(installed, python):
    assert "slip_speed" in footfall(python, installed, "schema")


def test_the_plugin_conforms(installed, python):
    printed(python, installed, "-c", CONFORMS)


@pytest.mark.long
def test_the_plugin_conforms_on_the_command_line(installed, python):
    out = footfall(python, installed, "check", "contact", "spring_damper")
    assert "passed  friction_tilted" in out


def test_without_it_the_scene_says_what_is_missing(tmp_path, python):
    (tmp_path / "scene.toml").write_text(SCENE)
    done = attempted(python, tmp_path, "-m", "footfall.cli.main", "run", "scene.toml")
    assert done.returncode == 1
    assert 'no contact plugin "spring_damper"' in done.stderr
