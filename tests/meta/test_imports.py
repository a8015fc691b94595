"""Who may import whom: core no plugin, plugins only core, nothing heavy before it is used."""

import json
import subprocess
import sys

from tests.meta.source_files import CORE, PLUGINS, ROOT, imports, plugin_packages, python_files

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
COMPILED = {"llvmlite"}
LIGHT = """
import json, sys
before = set(sys.modules)
import footfall
print(json.dumps(sorted(set(sys.modules) - before)))
"""


LANGUAGE = {"__future__", "typing", "collections"}


def users(folder, wanted, **imported):
    """Return which files below a folder import a name that is wanted, and which names."""
    found = {
        path.relative_to(ROOT).as_posix(): [n for n in imports(path, **imported) if wanted(n)]
        for path in python_files(folder)
    }
    return {path: names for path, names in found.items() if names}


def top(name):
    return name.split(".")[0]


def test_core_imports_no_plugin():
    plugins = {package.name for package in plugin_packages()}
    found = users(CORE, lambda name: top(name) in plugins)
    assert not found


def test_core_imports_nothing_heavy_before_it_is_used():
    def heavy(name):
        return top(name) in HEAVY

    found = users(CORE, heavy, when_imported_only=True)
    modules = {path.removeprefix("core/").removesuffix(".py").replace("/", ".") for path in found}
    # A file that needs such a module for what it defines is itself imported where it is used.
    eager = users(
        CORE,
        lambda name: any(f"{name}.".startswith(f"{module}.") for module in modules),
        when_imported_only=True,
    )
    assert not (found if eager else {})


def test_only_jit_imports_what_compiles():
    found = users(CORE, lambda name: top(name) in COMPILED, when_imported_only=True)
    assert all(path.startswith("core/footfall/jit/") for path in found), found


def test_a_plugin_imports_core_and_itself_but_no_other_plugin():
    """But for the public face of the default simulator."""
    packages = {package.name for package in plugin_packages()}
    for package in plugin_packages():
        others = packages - {package.name}

        def other(name, others=others):
            return top(name) in others and not f"{name}.".startswith("footfall_stepper.api.")

        assert not users(package, other)


def test_importing_a_plugin_package_imports_only_the_hook():
    """A plugin's modules are imported by its loaders, when a scene asks for them."""
    allowed = {"footfall.api.plugin.hookimpl", "footfall.api.plugin.Registry"}  # one light module
    for package in plugin_packages(with_hook=True):
        names = set(imports(package / "__init__.py", when_imported_only=True))
        assert {name for name in names if top(name) not in LANGUAGE} <= allowed, package.name


def test_a_plugin_names_no_private_part_of_core():
    def private(name):
        parts = [part for part in name.split(".") if part.startswith("_") and part[1] != "_"]
        return top(name) == "footfall" and bool(parts)

    assert not users(PLUGINS, private)


def test_the_kit_and_the_tests_are_not_part_of_the_program():
    """Nothing of core imports the kit."""
    found = users(CORE, lambda name: name.startswith("footfall.testing"))
    assert not {path for path in found if "/testing/" not in path}


def test_importing_footfall_is_light():
    done = subprocess.run(
        [sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True, cwd=ROOT
    )
    modules = json.loads(done.stdout)
    assert not {top(name) for name in modules} & (
        HEAVY | {"llvmlite", "numpy", "scipy", "pydantic"}
    )
    assert [name for name in modules if top(name) == "footfall"] == ["footfall"]


def test_importing_the_contract_loads_no_library_that_only_some_plugins_need():
    """Commands import it, and most scenes."""
    modules = "advanced, command, contact, device, engine, kernels, plugin, solver, viewer, world"
    code = (
        f"from footfall.api import {modules}\nimport json, sys\nprint(json.dumps([*sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = {top(name) for name in json.loads(done.stdout)}
    assert not found & (HEAVY | {"llvmlite", "scipy", "xarray"})
