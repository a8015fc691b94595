"""The README's two commands, and what it lists."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from tests.meta.markdown_blocks import ROOT, blocks

from footfall.model.robot import list_robots
from footfall.registry.discover import discover

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
COMMANDS = {
    block.note.removeprefix("command: "): block.text.strip()
    for block in blocks(README)
    if block.note.startswith("command: ")
}
RUN = Path(".ci/run")


def extracted(name):
    """Return what .ci/run takes for the command of a name."""
    script = (ROOT / RUN).read_text(encoding="utf-8")
    function = script[script.index("readme_command() {") :].split("\n}\n")[0] + "\n}\n"
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f'top="{ROOT}"\n{function}readme_command {name}'],
        capture_output=True,
        text=True,
    )


def test_there_are_exactly_two_commands_of_one_line():
    assert list(COMMANDS) == ["run", "test"]
    assert all(len(command.splitlines()) == 1 for command in COMMANDS.values())


@pytest.mark.parametrize("name", ["run", "test"])
def test_each_command_does_its_own_set_up(name):
    first, second, last = COMMANDS[name].split(" && ")
    assert first == "python3 -m venv .venv"
    assert second.startswith(".venv/bin/pip install ")
    assert last.startswith((".venv/bin/footfall run humanoid/standing", ".venv/bin/pytest"))


def test_the_base_comes_first_and_the_robot_of_an_extra_second():
    assert " install -e . &&" in COMMANDS["run"]
    script = (ROOT / RUN).read_text(encoding="utf-8")
    assert '.venv/bin/pip install -e ".[icub]" && .venv/bin/footfall run icub/standing' in script
    assert "run_as_told >" in script


@pytest.mark.parametrize("name", ["run", "test"])
def test_the_checks_take_the_commands_as_printed(name):
    done = extracted(name)
    assert done.stdout.strip() == COMMANDS[name]
    assert done.returncode == 0


def test_the_checks_fail_for_a_command_that_is_missing():
    done = extracted("fly")
    assert done.returncode != 0
    assert 'no command "fly"' in done.stderr


def test_the_checks_can_be_executed():
    assert (ROOT / RUN).stat().st_mode & 0o111 == 0o111


def test_every_bundled_plugin_and_robot_is_listed():
    ours = [
        entry.name
        for catalog in discover().catalogs
        for entry in catalog
        if entry.origin and entry.origin.distribution == "footfall"
    ]
    assert len(ours) > 10
    pages = [ROOT / "docs/index.md", *(ROOT / "docs/reference").rglob("*.md")]
    listed = "".join(page.read_text(encoding="utf-8") for page in pages)
    missing = [name for name in (*ours, *list_robots()) if not re.search(rf"\b{name}\b", listed)]
    assert missing == []


def test_the_film_comes_first_and_is_small():
    pictures = re.findall(r"^!\[.+\]\((.+)\)$", TEXT, re.MULTILINE)
    film, *stills = [(ROOT / name).read_bytes() for name in pictures]
    assert film[8:12] == b"WEBP"
    assert len(film) < 3_000_000
    assert all(still.startswith(b"\x89PNG") and len(still) < 300_000 for still in stills)


def test_no_page_installs_the_name_from_an_index():
    """Nobody has registered the name yet: a stranger could. Paths and clones are fine."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "tests").rglob("*.md")]
    assert len(pages) > 50
    by_name = re.compile(r"""\b(install|add) (\S+ )*["']?footfall\b(?!-)""")
    lines = [(page.name, line) for page in pages for line in page.read_text().splitlines()]
    assert [(page, line) for page, line in lines if by_name.search(line)] == []


def test_the_pythons_of_the_classifiers_are_those_that_the_checks_run():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    script = (ROOT / ".ci/variants").read_text(encoding="utf-8")
    run = re.search(r"for version in (.*); do", script)[1].split()
    assert project["requires-python"] == f">={named[0]}"
    assert set(named[1:]) <= set(run)
    page = (ROOT / "docs/reference/platforms.md").read_text(encoding="utf-8")
    assert f"| Python | {', '.join(named)} |" in page
