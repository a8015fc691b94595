"""The reference says everything and is as the code says; the written pages name what there is."""

import ast
import importlib
import re
import tomllib
from importlib import util
from pathlib import Path

import pytest
from docs.generators.reference import python_api
from docs.generators.reference.__main__ import FOLDER, stale
from docs.generators.reference.docstring_markdown import to_markdown
from docs.generators.reference.plugin_classes import TITLES, class_of
from docs.generators.reference.plugin_pages import PAGES, page_of
from docs.generators.reference.python_sources import file_of
from tests.cases import each
from tests.meta.markdown_blocks import ROOT, name, pages
from tests.meta.source_files import CORE, PLUGINS, python_files

from footfall.model.spec import RobotSpec
from footfall.recording.variables import Labels, standard_layout
from footfall.registry.discover import discover
from footfall.scene.schema import SceneFile
from footfall.testing import roles

DOCS = ROOT / "docs"
MARKDOWN_LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)#\s]*)(?:#[^)]*)?\)")
ONE = ("a",)
ENTRIES = [entry for catalog in discover().roles for entry in catalog]


def reference(page):
    return (FOLDER / page).read_text(encoding="utf-8")


def fields(model):
    return list(model.model_json_schema(by_alias=True)["properties"])


def test_the_reference_is_as_the_code_says():
    assert stale() == [], "run: python -m docs.generators.reference"


@each("entry", ENTRIES, ids=lambda entry: entry.title)
def test_every_plugin_is_described_with_its_settings(entry):
    text, heading = reference(page_of(entry.role)), f"# {entry.role} `{entry.name}`\n"
    section = re.split(r"\n##+ ", text.split(heading)[1])[0]
    config = class_of(entry).Config
    for field in fields(config) if config.model_fields else []:
        row = next(line for line in text.splitlines() if line.startswith(f"| `{field}` |"))
        assert len(row.split(" | ")[2].strip("| ")) > 4
        listed = f"| `{field}` |" in section or f"`{field}`" in section
        assert listed or f"| `{field}` |" in text.split(f"# Keys of every {entry.role}\n")[1]
    assert len(section.split()) > 3
    link = f"[`{entry.name}`]({page_of(entry.role)}#{entry.role}-{entry.name})"
    assert link in reference("plugins.md")


def test_the_index_of_plugins_has_every_role_and_page():
    assert {catalog.role for catalog in discover().roles} == set(TITLES)
    assert [t for t in TITLES.values() if f"| [{t}](" not in reference("plugins.md")] == []
    listed = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.glob("plugins/*.md"))
    assert listed == sorted(f"plugins/{name}.md" for name in PAGES)


@pytest.mark.parametrize(
    ("page", "model"), [("scene-file.md", SceneFile), ("robot-file.md", RobotSpec)]
)
def test_every_table_of_a_file_is_described(page, model):
    others = ("scene-file.md", "plugins/controller.md", "plugins/actuator.md", "plugins/sensor.md")
    text = "".join(map(reference, (page, *others)))
    for field in fields(model):
        assert f"| `{field}` |" in text
    for definition in model.model_json_schema().get("$defs", {}).values():
        for field in {*definition.get("properties", ())} - {"kind", "type"}:
            assert f"| `{field}` |" in text


def test_every_recorded_variable_is_described():
    text = reference("recording.md")
    for variable in standard_layout(Labels(ONE, ONE, (), ONE, ONE, ONE)).variables:
        assert f"| `{variable.name}` |" in text


def test_every_command_is_described():
    text = reference("cli.md") + reference("cli-judge.md")
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
    assert "- `--set KEY=VALUE`: " in text


@each("module", python_api.modules())
def test_every_public_name_says_what_it_is(module):
    text = reference(f"api/{module}.md")
    for public in python_api.public_names(module):
        section = text.split(f"\n## `{public}`\n")[1].split("\n## ")[0]
        _, code, words = section.split("```", 2)
        assert code.removeprefix("python").strip()
        assert len(words.split()) >= 3, f"{module}.{public} has no docstring"


@each("module", python_api.modules())
def test_public_methods_say_what_they_do(module):
    sections = reference(f"api/{module}.md").split("\n### ")[1:]
    silent = [s.split("\n")[0] for s in sections if len(s.split("```")[2].split()) < 3]
    assert silent == []


@each("role", roles())
def test_every_role_is_documented(role):
    assert f"| `{role}` |" in (DOCS / "how-to" / "add-a-plugin.md").read_text(encoding="utf-8")


@each("path", pages(), ids=name)
def test_links_between_pages_and_figures_lead_somewhere(path):
    for link in MARKDOWN_LINK.finditer(path.read_text(encoding="utf-8")):
        target = link["target"]
        if target and "://" not in target:
            assert (path.parent / target).resolve().exists(), target


NAMED = re.compile(r"`(?P<file>[\w/]+/\w+\.py)`(?:\s+`(?P<name>[\w.]+)`)?")
"""A file, and maybe what in it, in the words of a page."""


FOLDERS = dict.fromkeys(("plugins/", "tests/", "robots/"), ROOT)
FOLDERS["footfall_stepper/"] = PLUGINS / "simulators"
"""Folders of files by how their names begin; others are in core."""


def test_explanations_name_files_and_functions_that_exist():
    pages = sorted((DOCS / "explanation").glob("*.md"))
    named = [found for page in pages for found in NAMED.finditer(page.read_text(encoding="utf-8"))]
    assert len(named) > 60
    missing = [found.group() for found in named if not is_there(found["file"], found["name"])]
    assert missing == []


def is_there(file, name):
    folder = next((folder for start, folder in FOLDERS.items() if file.startswith(start)), CORE)
    path = folder / file
    if not path.exists():
        return False
    body = ast.parse(path.read_text(encoding="utf-8")).body
    for part in name.split(".") if name else ():
        found = [node for node in body if getattr(node, "name", "") == part]
        if not found:
            return False
        body = found[0].body
    return True


DOTTED = re.compile(r"``(?P<name>(?:footfall(?:_\w+)?|kernels)(?:\.[A-Za-z_]\w*)+)``")
"""A module, or what is in one, in the words of a docstring; of kernels without the package."""


@pytest.mark.parametrize("folder", [CORE, PLUGINS], ids=lambda folder: folder.name)
def test_docstrings_name_modules_that_exist(folder):
    named = [
        (str(path.relative_to(ROOT)), found["name"])
        for path in python_files(folder)
        for found in DOTTED.finditer(path.read_text(encoding="utf-8"))
    ]
    assert len(named) > 5
    missing = [(path, one) for path, one in named if not is_importable(one, Path(path))]
    assert missing == []


def is_importable(dotted, path):
    """Whether a dotted name leads somewhere: modules, then what they or their classes hold."""
    if dotted.startswith("kernels."):
        dotted = f"{kernels_of(path, dotted)}.{dotted}"
    if dotted == "footfall.NAME":
        return True
    if util.find_spec(dotted.partition(".")[0]) is None:
        return False
    at = importlib.import_module(dotted.partition(".")[0])
    for part in dotted.split(".")[1:]:
        inside = hasattr(at, "__path__") and util.find_spec(f"{at.__name__}.{part}") is not None
        if inside and dotted == f"{at.__name__}.{part}":
            return True
        if inside:
            at = importlib.import_module(f"{at.__name__}.{part}")
        elif part in getattr(at, "__annotations__", {}):
            at = at.__annotations__[part]
        elif hasattr(at, part):
            at = getattr(at, part)
        else:
            return False
    return True


def kernels_of(path, dotted):
    """Return the nearest package above a file that has what is named; core's are ``footfall``'s."""
    parts = path.parts[2:-1] if path.parts[0] == "plugins" else ()
    for n in range(len(parts), 0, -1):
        package = ".".join(parts[:n])
        if any(file_of(f"{package}.{name}") for name in (dotted, dotted.rpartition(".")[0])):
            return package
    return "footfall"


def test_docstrings_become_markdown():
    text = to_markdown(
        """Return ``a  b`` of c*d < e.

            x = 1

            y = 2

        Args:
            first: shape (3,),
                [m].

        It ends here::

        Raises:
            ValueError: if not.
        """
    )
    assert text == (
        "Return `a b` of c\\*d \\< e.\n\n```text\nx = 1\n\ny = 2\n```\n\n"
        "*Args*\n\n- `first`: shape (3,), [m].\n\nIt ends here:\n\n"
        "*Raises*\n\n- `ValueError`: if not."
    )


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
