"""The project's layout: folders, names and sizes of files."""

import subprocess
import tomllib

import pytest
from tests.cases import each
from tests.meta.source_files import CORE, PLUGINS, ROOT, plugin_packages, python_files

LONGEST = 600
SAYS_NOTHING = {"utils", "util", "helpers", "helper", "common", "manager", "misc", "tools"}
BY_ROLE = {
    *("engine", "contact", "impact", "solver", "integrator", "terrain", "controller"),
    "actuator",
    "delassus",
    "sensor",
    "visualizer",
    "input_device",
    "interaction",
    *("command", "compiler", "derivatives", "batch", "plan", "scene_check", "symbolic"),
    *("exporter", "simulator", "start_check", "watch"),
}
SOURCES = python_files(ROOT / "core", PLUGINS, ROOT / "robots", ROOT / "tests", ROOT / "docs")


def tracked():
    """Return what is under version control, or skip where there is none (an sdist)."""
    done = subprocess.run(
        ["git", "ls-files"], capture_output=True, text=True, cwd=ROOT, check=False
    )
    if done.returncode:
        pytest.skip("not under version control")
    return done.stdout.splitlines()


def test_the_top_level_folders_are_five():
    folders = {name.split("/")[0] for name in tracked() if "/" in name}
    assert {name for name in folders if not name.startswith(".")} == {
        "core",
        "plugins",
        "robots",
        "tests",
        "docs",
    }


def test_the_source_roots_hold_import_packages_only():
    names = {name.split("/")[1] for name in tracked() if name.startswith("core/")}
    assert names == {"footfall"}
    names = {name.split("/")[1] for name in tracked() if name.startswith("robots/")}
    assert names == {"footfall_robots"}
    below = ["/".join(path.relative_to(PLUGINS).parts) for path in plugin_packages()]
    names = {name.removeprefix("plugins/") for name in tracked() if name.startswith("plugins/")}
    strangers = [name for name in names if not name.startswith(tuple(f"{one}/" for one in below))]
    assert {name.split("/", 1)[-1] for name in strangers} <= {"README.md"}
    assert all(name.split("/")[-1].startswith("footfall_") for name in below)


def test_files_are_short_and_their_names_say_what_they_are_about():
    long = {name(path): lines(path) for path in SOURCES if lines(path) > LONGEST}
    assert not long
    assert not [name(path) for path in SOURCES if path.stem in SAYS_NOTHING]


def test_every_module_says_what_it_is_about():
    opening = ('"""', "# ")
    silent = [
        path for path in python_files(CORE, PLUGINS) if not path.read_text().startswith(opening)
    ]
    assert not [name(path) for path in silent]


@each("package", plugin_packages(with_hook=True), ids=lambda p: p.name)
def test_a_plugin_has_its_roles_in_files_of_their_names(package):
    assert {path.stem for path in package.rglob("*.py")} & BY_ROLE


def test_every_plugin_package_has_an_entry_point_of_its_short_name():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    points = project["entry-points"]["footfall"]
    packages = {
        package.name.removeprefix("footfall_"): package.name
        for package in plugin_packages(with_hook=True)
    }
    assert points == packages


def lines(path):
    return len(path.read_text().splitlines())


def name(path):
    return path.relative_to(ROOT).as_posix()
