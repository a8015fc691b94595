"""Command lines of the documentation are ones that the program takes."""

import re
import shlex
from itertools import takewhile

import pytest
import typer
from docs.generators.reference.command_line import commands, examples
from tests.cases import each
from tests.meta.markdown_blocks import blocks, name, pages, write_files

from footfall.cli.main import app
from footfall.registry.discover import discover
from footfall.scene.find import list_scenes
from footfall.scene.load import load_scene
from footfall.scene.overrides import parse_assignments
from footfall_compare.variation import make_trials, parse_variations
from footfall_sweep.grid import parse_axes
from footfall_sweep.sweep import make_plan

GROUP = typer.main.get_command(app)
OURS = {"computed", "sweeps", "my_engine", "my_sim", "my_solver"}
"""Plugins that pages tell to install."""
MISSING = {entry.name for role in discover().roles for entry in role if entry.missing}
"""Plugins whose extra is not here."""


def command_lines(page):
    """Return the calls of footfall on a page, without their comments."""
    for block in blocks(page):
        if block.language == "sh":
            for line in block.text.splitlines():
                words = shlex.split(line, comments=True)
                if words[:1] == ["footfall"]:
                    yield list(takewhile(lambda word: word not in ("|", ">"), words[1:]))


LINES = [
    pytest.param(page, words, id=f"{name(page)}: {shlex.join(words)}")
    for page in pages()
    for words in command_lines(page)
]


@each(("page", "words"), LINES)
def test_command_lines_are_valid(page, words, tmp_path, monkeypatch):
    write_files(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    command, rest = GROUP, words
    while hasattr(command, "commands"):
        command, rest = command.commands[rest[0]], rest[1:]
    given = command.make_context(words[0], rest).params
    if MISSING & {part for word in words for part in re.split(r"[=,]", word)[1:]}:
        return
    if words[0] == "run":
        shown = {"visualizer.plugin": "meshcat"} if given["view"] or given["live"] else {}
        overrides = shown | parse_assignments(given["set_"] or [])
        check_scene(given["scene"], overrides, tmp_path)
    if words[0] == "compare":
        overrides = parse_assignments(given["set_"] or [])
        trials = make_trials(given["scene"], parse_variations(given["vary"]), overrides, discover())
        assert not [trial.error for trial in trials if trial.error]
    if words[0] == "sweep":
        changes = parse_assignments(given["set_"] or [])
        make_plan(given["scene"], parse_axes(given["vary"]), changes, given["keep"], tmp_path)


def check_scene(reference, overrides, folder):
    """Validate a scene with its overrides, unless it is one that the reader is to write."""
    written = (folder / reference).exists()
    assert written or reference in {scene.name for scene in list_scenes()}
    if not OURS & set(map(str, overrides.values())):
        load_scene(reference, overrides, discover())


def test_command_lines_are_found():
    assert len(LINES) > 20


def test_the_help_of_every_command_has_two_examples():
    for words, command in commands(GROUP):
        shown = examples(command)
        assert len(shown) >= 2, words
        assert all(line.startswith(f"footfall {' '.join(words)}") for line in shown), words
