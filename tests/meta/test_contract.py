"""The contract: what plugins may import of Footfall, and that each name of it is documented."""

import ast
import re
from functools import cache
from importlib import import_module

import pytest
from docs.generators.reference.python_sources import public_names
from tests.cases import each
from tests.meta.source_files import CORE, PLUGINS, ROOT, plugin_packages, python_files

import footfall
from footfall.interfaces.plugin import INTERFACE_VERSION, Plugin

API = CORE / "api"
SUBJECTS = sorted(path.stem for path in API.glob("*.py") if path.stem != "__init__")
WORK_WITH_SCENES = frozenset(
    {
        *("footfall_batch", "footfall_bench", "footfall_check", "footfall_compare"),
        *("footfall_controllers", "footfall_fit", "footfall_gradients", "footfall_gym"),
        *(
            "footfall_hands",
            "footfall_import",
            "footfall_meshcat",
            "footfall_plan",
            "footfall_policy",
        ),
        "footfall_recordings",
        *("footfall_run", "footfall_simulators", "footfall_sweep", "footfall_symbolic"),
        *("footfall_validate", "footfall_watch"),
    }
)
"""Plugins that find plugins, load scenes, run simulations or open recordings: they may import what
users do."""
MOST_NAMES = {"first tier": 110, "both tiers": 190, "stepper": 60}
"""Names of all subjects but ``advanced``, with it, and of ``footfall_stepper.api``; types of arrays
aside. Fewer are better: before one is added, see whether a method of what a plugin already holds
says it, or whether it is the plugin's own business."""


def names_of(subject):
    return tuple(public_names(f"footfall.api.{subject}"))


EXPORTS = {subject: frozenset(names_of(subject)) for subject in SUBJECTS}


def used_names(path):
    """Yield each dotted name of Footfall that a file imports or reaches, with its line.

    Imports in functions and under TYPE_CHECKING count; so do ``import_module`` by a text, and
    ``footfall.x`` after ``import footfall``.
    """
    tree = ast.parse(path.read_text())
    whole = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                whole |= alias.name == "footfall" and alias.asname is None
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node.lineno
        elif isinstance(node, ast.Call):
            for value in node.args[:1]:
                is_text = isinstance(value, ast.Constant) and isinstance(value.value, str)
                if is_text and "import" in ast.unparse(node.func):
                    yield value.value, node.lineno
    for node in ast.walk(tree) if whole else ():
        match node:
            case ast.Attribute(value=ast.Name(id="footfall"), attr=name):
                yield f"footfall.{name}", node.lineno


INSIDE = "footfall_stepper", "footfall_llvm"
"""Packages that implement what core leaves open: the simulator, and the compiler of its kernels."""


def may_import(name, package):
    """Whether a plugin package may import a dotted name."""
    top, *rest = name.split(".")
    if not top.startswith("footfall") or top == package or package in INSIDE:
        return True
    if top == "footfall_stepper":
        return rest[:1] == ["api"]
    if top != "footfall":  # another plugin, or the bundled robots
        return False
    if rest[:1] == ["testing"]:
        return True
    if rest[:1] == ["api"]:
        return len(rest) == 1 or (
            rest[1] in EXPORTS and (len(rest) == 2 or rest[2] in EXPORTS[rest[1]])
        )
    return package in WORK_WITH_SCENES and (not rest or (len(rest) == 1 and is_for_users(rest[0])))


def is_for_users(name):
    return name in footfall.__all__ or name in footfall.discover().function.names()


@each("package", plugin_packages(), ids=lambda package: package.name)
def test_a_plugin_imports_the_contract_and_nothing_else_of_core(package):
    offenders = [
        f"{path.relative_to(ROOT).as_posix()}:{line}: {name}"
        for path in python_files(package)
        for name, line in used_names(path)
        if not may_import(name, package.name)
    ]
    assert not offenders, "\n".join(["beyond footfall.api and footfall.testing:", *offenders])


@each(
    ("line", "name"),
    [
        ("from footfall.scene.load import load_scene", "footfall.scene.load.load_scene"),
        ("import footfall.scene.load", "footfall.scene.load"),
        ("def f():\n    from footfall_stepper.world import body", "footfall_stepper.world.body"),
        (
            "if TYPE_CHECKING:\n    from footfall_stepper.world.body import Body",
            "footfall_stepper.world.body.Body",
        ),
        ("import_module('footfall_stepper.world.body')", "footfall_stepper.world.body"),
        ("import footfall\nfootfall.scene.load", "footfall.scene"),
        ("from footfall_coulomb.contact import Coulomb", "footfall_coulomb.contact.Coulomb"),
        ("from footfall.api.contact import np", "footfall.api.contact.np"),
        ("from footfall import load", "footfall.load"),
    ],
)
def test_what_is_not_of_the_contract_is_seen_however_it_is_imported(tmp_path, line, name):
    file = tmp_path / "contact.py"
    file.write_text(line)
    refused = [used for used, _ in used_names(file) if not may_import(used, "footfall_small_laws")]
    assert name in refused


@pytest.mark.parametrize(
    "line",
    [
        "from footfall.api.contact import Claims, ImpulseLaw",
        "from footfall.testing.check import subject_of",
        "from footfall_small_laws.ccp import kernels",
        "import numpy as np",
    ],
)
def test_what_is_of_the_contract_may_be_imported(tmp_path, line):
    file = tmp_path / "contact.py"
    file.write_text(line)
    assert all(may_import(used, "footfall_small_laws") for used, _ in used_names(file))


def test_who_works_with_scenes_is_installed():
    assert {package.name for package in plugin_packages()} >= WORK_WITH_SCENES


@each("subject", SUBJECTS)
def test_a_subject_says_what_it_is_and_each_of_its_names_is_there_and_documented(subject):
    module = import_module(f"footfall.api.{subject}")
    assert (module.__doc__ or "").strip()
    assert len(set(names_of(subject))) == len(names_of(subject)) > 0
    for name in names_of(subject):
        assert hasattr(module, name), name
        text = documentation(API / f"{subject}.py", name)
        assert (text or "").strip(), f"footfall.api.{subject}.{name} has no docstring"


def documentation(path, name):
    """Return a name's docstring, or the text below its assignment, where it is defined."""
    body = statements(path)
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            return ast.get_docstring(node)
        if name in assigned(node):
            return literal(after)
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "footfall":
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return documentation(file_of(node.module), alias.name)
    return None


@cache
def statements(path):
    """Return a module's statements, also those within conditions."""
    return list(flat(ast.parse(path.read_text()).body))


def flat(body):
    for node in body:
        yield node
        if isinstance(node, ast.If):
            yield from flat(node.body)


def assigned(node):
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    parts = [getattr(target, "elts", [target]) for target in targets]
    return [part.id for both in parts for part in both if isinstance(part, ast.Name)]


def literal(node):
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return node.value.value if is_text else None


def file_of(module):
    path = CORE.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def test_the_contract_has_few_names():
    """Each name is a promise; ``MOST_NAMES`` goes down, not up."""
    types = set(public_names("footfall.typing"))
    count = {subject: len({*names_of(subject)} - types) for subject in SUBJECTS}
    both = sum(count.values())
    assert both <= MOST_NAMES["both tiers"]
    assert both - count["advanced"] <= MOST_NAMES["first tier"]
    assert len(public_names("footfall_stepper.api")) <= MOST_NAMES["stepper"]


def test_no_name_of_the_contract_is_of_two_subjects():
    names = [name for subject in SUBJECTS for name in names_of(subject)]
    assert len(set(names)) == len(names)


def test_every_name_of_the_contract_is_used_by_a_bundled_plugin():
    """What no plugin of ours needs is not tried."""
    text = "\n".join(path.read_text() for path in python_files(PLUGINS))
    words = set(re.findall(r"\w+", text))
    unused = {name for subject in SUBJECTS for name in names_of(subject)} - words
    assert unused <= {"Exporter"}


def test_a_plugin_knows_the_version_that_it_was_written_for():
    assert isinstance(INTERFACE_VERSION, int)
    assert Plugin.interface_version == INTERFACE_VERSION


def test_what_users_import_exists_and_is_documented():
    for name in footfall.__all__:
        assert (getattr(footfall, name).__doc__ or "").strip(), name
