"""Core without the default simulator: it reads, lists and validates, and says what is missing."""

import subprocess
import sys

import pytest

BLOCKED = """
import sys
from importlib.abc import MetaPathFinder


class Blocker(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "footfall_stepper":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Blocker())
"""
READS = """
import footfall

registry = footfall.discover()
(broken,) = registry.broken
assert broken.origin.entry_point == "stepper"
assert "the package footfall_stepper is missing" in broken.reason
for name in ("cube/drop", "humanoid/standing"):
    scene = footfall.load_scene(name)
    assert footfall.resolved(scene)["scene"]["bodies"]
try:
    footfall.load_scene("cube/drop", {"contact.plugin": "coulom"})
except footfall.SceneError as error:
    assert "did you mean 'coulomb'?" in str(error)
assert footfall.load_robot("humanoid").name == "humanoid"
assert "coulomb" in registry.contact and registry.contact["coulomb"].load().name == "coulomb"
assert registry.engine["featherstone"].load().name == "featherstone"
"""
LOADS = """
import footfall

try:
    footfall.load("cube/drop", {overrides})
except footfall.PluginError as error:
    print(error)
"""
COMMAND = """
from footfall.cli.main import main

main({words})
"""
MISSING = "the package footfall_stepper is missing: install it, or footfall, again"


def run(folder, code):
    """Run code in a process of its own; return exit code, output and errors."""
    command = [sys.executable, "-c", BLOCKED + code]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_core_reads_scenes_and_robots_and_lists_plugins(tmp_path):
    code, out, err = run(tmp_path, READS)
    assert code == 0, out + err


@pytest.mark.parametrize(
    ("overrides", "title"),
    [
        ({}, 'no simulator plugin "footfall"'),
        ({"simulator.plugin": "mujoco"}, 'simulator "mujoco" '),
    ],
)
def test_load_says_in_one_line_what_is_missing(tmp_path, overrides, title):
    if overrides:
        pytest.importorskip("mujoco")
    code, out, err = run(tmp_path, LOADS.format(overrides=overrides))
    assert code == 0, err
    (line,) = out.splitlines()
    assert title in line
    assert MISSING in line


def test_the_command_line_says_in_one_line_what_is_missing(tmp_path):
    code, _, err = run(tmp_path, COMMAND.format(words=["run", "cube/drop"]))
    (line,) = err.splitlines()
    assert code == 1
    assert line.startswith('error: no simulator plugin "footfall"')
    assert MISSING in line


@pytest.mark.parametrize("words", [["plugins"], ["scenes"], ["resolve", "cube/drop"]])
def test_commands_that_only_read_go_on(tmp_path, words):
    code, out, err = run(tmp_path, COMMAND.format(words=words))
    assert code == 0, err
    assert "coulomb" in out or "cube/drop" in out
    assert words != ["plugins"] or MISSING in " ".join((out + err).split())
