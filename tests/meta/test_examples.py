"""The example scripts and notebooks run, and what they print is true."""

import ast
import json
import os
import re
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from tests.cases import each, long
from tests.meta.markdown_blocks import ROOT

EXAMPLES = ROOT / "docs" / "examples"
SCRIPTS = {path.stem: path for path in sorted(EXAMPLES.glob("*.py"))}
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
INDEX = (EXAMPLES / "index.md").read_text(encoding="utf-8")
PICTURES = ROOT / "docs" / "_static" / "examples"
PACKAGES = {
    "plots": "matplotlib",
    "robots": "example-robot-data",
    "mujoco": "mujoco-core",
    "drake": "drake",
    "sb3": "stable-baselines3",
}
"""A package of each extra that examples need."""
NOT_TESTED_WITH = {"drake", "sb3"}
"""Extras that the extra ``test`` leaves out: CI may skip what needs them."""
ALWAYS = {
    *("first_run", "swap_engine", "swap_law", "own_law", "own_law_compiled", "controller"),
    *("terrain", "conveyor", "push_and_grab", "gradients_and_shooting"),
}
"""Scripts that run with all tests; the others as long tests."""
TRUE = {
    "first_run": lambda rows: near(rows[-2][-1], rows[-1][-1], 1e-4),
    "swap_engine": lambda rows: rows[-1][-1] < 1e-9,
    "swap_law": lambda rows: all(near(row[-1], rows[0][-1], 0.01) for row in rows[1:]),
    "swap_simulator": lambda rows: all(near(row[0], rows[0][0], 0.3) for row in rows[1:]),
    "own_law": lambda rows: near(rows[0][0], rows[0][-1], 0.01),
    "own_law_compiled": lambda rows: near(rows[0][0], 6.0**2 / 9.81, 0.01),
    "terrain": lambda rows: near(rows[0][0], rows[0][-1], 0.01),
    "controller": lambda rows: rows[-1][0] < 1e-3,
    "sensors_and_plots": lambda rows: near(rows[0][0], rows[1][0], 0.01),
    "import_and_stand": lambda rows: rows[-2][0] == 4 and rows[-1][0] < 2.0,
    # A spring of 300 N/m over what is left of 10 cm.
    "push_and_grab": lambda rows: near(rows[-1][0], 0.3 * (100.0 - rows[-1][1]), 0.02),
    "batch": lambda rows: rows[1][0] < 1.0,
    "sweep": lambda rows: all(near(x, row[-1], 0.005) for row in rows[1:] for x in row[1:]),
    "gymnasium_ppo": lambda rows: rows[1][-2] > 2.0 * rows[0][-2],
    "policy_in_four_simulators": lambda rows: min(row[0] for row in rows) > 1.0,
    "gradients_and_shooting": lambda rows: rows[-1][-1] < 1e-6 < rows[0][-1],
    "fit_friction": lambda rows: rows[0][2] < rows[0][-1] < rows[0][3],
    "conveyor": lambda rows: all(near(row[0], row[-1], 0.01) for row in rows),
    "grasp": lambda rows: near(rows[1][1] + rows[2][1], rows[3][0], 0.01) and rows[0][0] > 140.0,
    "report_card": lambda rows: rows[-1][-1] > 50.0,
    "plan_a_motion": lambda rows: rows[1][1] < rows[1][0] < rows[1][2] - 0.1,
}
"""Whether what a script prints is true, from the numbers of each line."""


def near(value, expected, relative):
    """Return whether two numbers agree to a share of the second."""
    return abs(value - expected) <= relative * abs(expected)


def numbers(text):
    """Return the numbers of each line of a text."""
    found = [
        re.findall(r"(?<![\w.^])[-+]?[\d,]*\.?\d+(?:e[-+]?\d+)?", line)
        for line in text.splitlines()
    ]
    return [[float(one.replace(",", "")) for one in row] for row in found]


def extras(path):
    """Return the extras that a script's first line names."""
    named = re.search(r"Extras?: ([\w, ]+)\.", path.read_text(encoding="utf-8").splitlines()[0])
    return named[1].split(", ") if named else []


def run(python, script, folder, needed):
    """Run a script; return its output. Skip where an extra is absent."""
    for extra in needed:
        try:
            distribution(PACKAGES[extra])
        except PackageNotFoundError:
            told = "needs the extra" if extra in NOT_TESTED_WITH else "install the extra"
            pytest.skip(f'{told} "{extra}"')
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    code, out, err = python.run(folder, script, environment={"MPLBACKEND": "agg", "PATH": path})
    assert code == 0, out + err
    return out


@pytest.mark.parametrize("name", [name if name in ALWAYS else long(name) for name in SCRIPTS])
def test_a_script_prints_what_is_true(name, tmp_path, python):
    out = run(python, SCRIPTS[name], tmp_path, extras(SCRIPTS[name]))
    assert TRUE[name](numbers(out)), out


@pytest.mark.parametrize(
    "path", [long(path) for path in NOTEBOOKS], ids=[path.stem for path in NOTEBOOKS]
)
def test_a_notebook_runs_from_its_first_cell_to_its_last(path, tmp_path, python):
    cells = [cell for cell in cells_of(path) if cell["cell_type"] == "code"]
    script = tmp_path / "cells.py"
    script.write_text("\n".join("".join(cell["source"]) for cell in cells), encoding="utf-8")
    assert run(python, script, tmp_path, ["plots"])


def cells_of(path):
    """Return the cells of a notebook."""
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


@each("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_holds_no_outputs(path):
    code = [cell for cell in cells_of(path) if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


@each("name", SCRIPTS)
def test_a_script_is_short_and_says_what_you_see(name):
    text = SCRIPTS[name].read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(text)).splitlines()
    assert len(text.splitlines()) <= 40
    assert len(docstring) == 2
    assert docstring[1].startswith("You see ")
    assert set(extras(SCRIPTS[name])) <= set(PACKAGES)


@each("path", [*SCRIPTS.values(), *NOTEBOOKS], ids=lambda path: path.stem)
def test_an_example_imports_public_names_alone(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(from|import) footfall\.(?!api\b|testing\b)", text)


@each("path", [*SCRIPTS.values(), *NOTEBOOKS], ids=lambda path: path.stem)
def test_an_example_is_listed_with_a_picture(path):
    assert f"[{path.stem}]({path.name})" in INDEX
    assert re.search(rf"!\[[^\]]+\]\(\.\./_static/examples/{path.stem}\.webp\)", INDEX)
    assert re.search(rf"^(.* <)?{path.stem}>?$", INDEX.partition("{toctree}")[2], re.MULTILINE)


def test_pictures_are_small_and_all_shown():
    pictures = list(PICTURES.iterdir())
    assert {path.stem for path in pictures} == {*SCRIPTS, *(path.stem for path in NOTEBOOKS)}
    assert sum(path.stat().st_size for path in pictures) < 1_500_000
