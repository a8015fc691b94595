"""The generated reference says everything, and the written pages name what there is."""

import re
import sys
import tomllib

import pytest
from tests.meta.markdown_blocks import ROOT, name, pages

from footfall.model.spec import RobotSpec
from footfall.recording.variables import Labels, standard_layout
from footfall.registry.discover import discover
from footfall.scene.schema import SceneFile
from footfall.testing import ROLES

DOCS = ROOT / "docs"
MARKDOWN_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)#]*)(?:#[^)]*)?\)")
ONE = ("a",)
PLUGINS = [entry for catalog in discover().roles for entry in catalog]


@pytest.fixture(scope="module")
def page():
    """Return a function that writes a generated page and returns its text."""
    sys.path.insert(0, str(DOCS / "_ext"))
    try:
        from reference_pages import PAGES
    finally:
        sys.path.pop(0)
    return lambda name: PAGES[name]()


def fields(model):
    return list(model.model_json_schema(by_alias=True)["properties"])


@pytest.mark.parametrize("entry", PLUGINS, ids=lambda entry: entry.title)
def test_every_plugin_is_described_with_its_settings(page, entry):
    text = page("scene-file.md")
    section = text.split(f"### {entry.role} `{entry.name}`\n")[1].split("\n### ")[0]
    for field in fields(entry.load().Config) if entry.load().Config.model_fields else []:
        row = next(line for line in section.splitlines() if line.startswith(f"| `{field}` |"))
        assert len(row.split(" | ")[3].strip("| ")) > 4
    assert f"### {entry.role} `{entry.name}`\n" in page("plugins.md")


@pytest.mark.parametrize(
    ("generated", "model"), [("scene-file.md", SceneFile), ("robot-file.md", RobotSpec)]
)
def test_every_table_of_a_file_is_described(page, generated, model):
    text = page(generated)
    for field in fields(model):
        assert f"| `{field}` |" in text
    for definition in model.model_json_schema().get("$defs", {}).values():
        for field in definition.get("properties", {}):
            assert f"| `{field}` |" in text


def test_every_recorded_variable_is_described(page):
    text = page("recording.md")
    for variable in standard_layout(Labels(ONE, ONE, (), ONE, ONE, ONE)).variables:
        assert f"| `{variable.name}` |" in text


def test_every_command_is_described(page):
    text = page("command-line.md")
    for command in (
        "run",
        "view",
        "scenes",
        "plugins",
        "schema",
        "check",
        "validate laws",
        "import",
    ):
        assert f"## footfall {command}\n" in text


@pytest.mark.parametrize("role", ROLES)
def test_every_role_is_documented(role):
    assert f"| `{role}` |" in (DOCS / "how-to" / "add-a-plugin.md").read_text(encoding="utf-8")
    api = (DOCS / "reference" / "api" / "roles.md").read_text(encoding="utf-8")
    assert f".. automodule:: footfall.roles.{role}\n" in api


@pytest.mark.parametrize("path", pages(), ids=name)
def test_links_between_pages_lead_somewhere(path):
    generated = DOCS / "_static" / "generated"
    for link in MARKDOWN_LINK.finditer(path.read_text(encoding="utf-8")):
        target = link["target"]
        if target and "://" not in target:
            there = (path.parent / target).resolve()
            assert there.exists() or generated in there.parents, target


def test_constraints_pin_everything_that_is_asked_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    asked = [*project["dependencies"], *(line for extra in extras for line in extra)]
    names = {normal(re.split(r"[<>=\[]", line)[0]) for line in asked} - {"footfall"}
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[A-Za-z0-9_.+!-]+", pin) for pin in pins)
    assert names <= {normal(pin.split("==")[0]) for pin in pins}
    assert not {"pip", "setuptools", "footfall"} & {normal(pin.split("==")[0]) for pin in pins}


def normal(name):
    return name.lower().replace("_", "-")
