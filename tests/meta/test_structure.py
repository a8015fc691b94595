"""The code's structure does not get worse: each measure has a bound that is only ever lowered."""

import re
import tomllib

import pytest
from tests.meta import structure
from tests.meta.source_files import ROOT, plugin_packages

CORE_LINES = 12_890
ALL_LINES = 88_187
SLIVERS = 0.08
PLUGIN_PACKAGES = 40


def test_packages_of_core_form_no_circle():
    assert structure.circle(structure.package_graph()) == []


def test_modules_of_core_form_no_circle():
    assert structure.circle(structure.import_graph(typing=False)) == []


def test_plugins_import_the_contract_only():
    assert structure.plugin_imports() == {}


def test_core_does_not_grow():
    """What is new is a plugin."""
    assert sum(structure.core_lines().values()) <= CORE_LINES


def test_all_of_it_does_not_grow():
    assert sum(lines for _, lines in structure.all_found(structure.code_lines)) <= ALL_LINES


def test_constants_that_belong_together_are_enumerations():
    assert structure.everywhere(structure.names_by_range) == []


def test_no_object_is_made_another_behind_its_back():
    assert structure.everywhere(structure.hidden_hand_overs) == []


def test_simulators_have_types():
    assert structure.everywhere(structure.untyped_simulators) == []


def test_no_docstring_is_a_riddle():
    assert structure.everywhere(structure.riddles) == []


def test_no_folder_is_crowded():
    assert structure.crowded_folders() == {}


def test_plugins_are_few_packages():
    """What is small shares a package with others of its family."""
    assert len(plugin_packages()) <= PLUGIN_PACKAGES


def test_every_family_is_listed():
    """Tools take patterns like ``plugins/*`` without a word and then find nothing."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    families = {path.parent.relative_to(ROOT).as_posix() for path in plugin_packages()}
    roots = {"core", "robots", *families}
    hatch = tool["hatch"]["build"]
    assert set(hatch["dev-mode-dirs"]) == set(hatch["targets"]["wheel"]["sources"]) == roots
    assert set(tool["ruff"]["src"]) == set(tool["mypy"]["mypy_path"]) == roots


def test_every_family_says_what_belongs_there():
    """Its README names its packages, and no other."""
    for family in {path.parent for path in plugin_packages()}:
        text = (family / "README.md").read_text(encoding="utf-8")
        packages = {path.name for path in plugin_packages() if path.parent == family}
        assert set(re.findall(r"^- `(footfall_\w+)`", text, re.MULTILINE)) == packages


def test_few_files_of_core_are_slivers():
    assert structure.slivers() <= SLIVERS


def test_no_number_addresses_a_meaning():
    assert structure.everywhere(structure.numbered_slots) == []


def test_array_types_are_named_once():
    assert list(structure.repeated_aliases()) == []


def test_import_linter_knows_every_package():
    """A plugin that its configuration does not name would not be looked at."""
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    plugins = {path.name for path in plugin_packages()}
    assert set(configuration["root_packages"]) == plugins | {"footfall", "footfall_robots"}
    top, stepper, *_ = configuration["contracts"][0]["layers"]
    others = {name.strip() for name in top.split("|")}
    assert others | {stepper} == plugins
    (alone,) = (c for c in configuration["contracts"] if c["name"].endswith("its api alone"))
    assert set(alone["source_modules"]) == others


def test_a_circle_is_found():
    assert structure.circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": set()})
    assert not structure.circle({"a": {"b", "c"}, "b": {"c"}, "c": set()})


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('"""Says what it is."""\n\n# why\nx = 1  # one\n', 1),
        ('def f():\n    """Return\n\n    one."""\n    return (\n        1\n    )\n', 4),
        ('x = """text\nthat is code"""\n', 2),
    ],
)
def test_code_lines_are_those_that_hold_code(text, lines):
    assert structure.code_lines(text) == lines


def test_what_should_not_be_is_found():
    text = "a.__dict__ = b.__dict__\nvars(a)['x'] = 1\nvars(a).update(b)\na.update(b)"
    assert structure.hidden_hand_overs(text) == [1, 2, 3]
    text = "def f(sim: Any, of: Any, *, world: Any): ...\ndef g(sim: Simulator): ..."
    assert structure.untyped_simulators(text) == [1, 1]
    assert structure.riddles('"""What it is."""\ndef f():\n    """Return it."""') == ["What it is."]


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("monitor.step[13]", 1),
        ('tables["ledger"][5]', 1),
        ("problem.size[1] + problem.count[0]", 2),
        ("flags[ACTIVE] + shape.size[2] + size[0] + box.count[1] + other[3]", 0),
    ],
)
def test_a_numbered_slot_is_found(text, slots):
    assert len(structure.numbered_slots(text)) == slots
