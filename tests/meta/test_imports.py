"""Who may import whom: core no plugin, plugins only core, nothing heavy before it is used."""

import json
import subprocess
import sys

import pytest
from tests.meta.source_files import CORE, ROOT, imports, plugin_packages, python_files

HEAVY = {
    *(
        "casadi",
        "coal",
        "idyntree",
        "meshcat",
        "mujoco",
        "pinocchio",
        "proxsuite",
        "xarray",
        "zarr",
    ),
    *("gymnasium", "icub_models", "matplotlib", "playwright", "pytest", "tornado"),
}
COMPILED = {"numba"}
MAY = {CORE / "kernels": COMPILED, CORE / "gym": {"gymnasium"}}
LIGHT = """
import json, sys
before = set(sys.modules)
import footfall
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def top(name):
    return name.split(".")[0]


@pytest.mark.parametrize("path", python_files(CORE), ids=lambda p: str(p.relative_to(CORE)))
def test_core_imports_no_plugin(path):
    plugins = {package.name for package in plugin_packages()}
    assert not plugins & {top(name) for name in imports(path)}


@pytest.mark.parametrize("path", python_files(CORE), ids=lambda p: str(p.relative_to(CORE)))
def test_core_imports_nothing_heavy_before_it_is_used(path):
    allowed = MAY.get(path.parent, set())
    found = {top(name) for name in imports(path, when_imported_only=True)}
    assert not (HEAVY | COMPILED) - allowed & found


@pytest.mark.parametrize("package", plugin_packages(), ids=lambda p: p.name)
def test_a_plugin_imports_core_and_itself_but_no_other_plugin(package):
    others = {other.name for other in plugin_packages()} - {package.name}
    for path in python_files(package):
        used = {top(name) for name in imports(path)}
        assert not others & used, path


@pytest.mark.parametrize("package", plugin_packages(), ids=lambda p: p.name)
def test_importing_a_plugin_package_imports_only_the_hook(package):
    """A plugin's modules are imported by its loaders, when a scene asks for them."""
    names = set(imports(package / "__init__.py", when_imported_only=True))
    assert names <= {
        "__future__.annotations",
        "typing.TYPE_CHECKING",
        "footfall.registry.hookimpl",
    }


@pytest.mark.parametrize("package", plugin_packages(), ids=lambda p: p.name)
def test_a_plugin_names_no_private_part_of_core(package):
    for path in python_files(package):
        for name in imports(path):
            private = [part for part in name.split(".") if part.startswith("_") and part[1] != "_"]
            assert not (top(name) == "footfall" and private), f"{path}: {name}"


def test_the_kit_and_the_tests_are_not_part_of_the_program():
    """Nothing but what judges plugins, the commands check and validate, imports the kit."""
    users = {
        path.relative_to(CORE).as_posix()
        for path in python_files(CORE)
        if "testing" not in path.relative_to(CORE).parts
        and any(name.startswith("footfall.testing") for name in imports(path))
    }
    judges = {name for name in users if name.startswith("validation/")} | {"cli/check.py"}
    assert users <= judges


def test_importing_footfall_is_light():
    done = subprocess.run(
        [sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True, cwd=ROOT
    )
    modules = json.loads(done.stdout)
    assert not {top(name) for name in modules} & (HEAVY | {"numba", "numpy", "scipy", "pydantic"})
    assert [name for name in modules if top(name) == "footfall"] == ["footfall"]
