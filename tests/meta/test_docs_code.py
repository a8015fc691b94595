"""The documentation's code runs, in the order in which it stands, and prints what it says."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from itertools import takewhile, zip_longest

import pytest
from tests.cases import each, long
from tests.meta.markdown_blocks import ROOT, blocks, name, pages, write_files
from tests.meta.test_contract import is_for_users, used_names

MARK = "\x1e"
"""Printed between the outputs of a page's blocks."""


def code_of(page):
    """Return pairs of a page's code blocks and the output that it shows for each, or None."""
    found = blocks(page)
    return [
        (block.text, after.text if after and after.note == "output" else None)
        for block, after in zip_longest(found, found[1:])
        if block.language == "python" and not block.file
    ]


SIGNATURES = ROOT / "docs" / "reference" / "api"
"""Pages whose code is not run: it says how names are called."""
WITH_CODE = [page for page in pages() if page.parent != SIGNATURES and code_of(page)]
WITH_PACKAGES = [
    pytest.param(page, marks=pytest.mark.long) if page.stem == "first-contact-model" else page
    for page in pages()
    if any((block.file or "").endswith("pyproject.toml") for block in blocks(page))
]


def install(page, folder):
    """Write a page's files, install the packages among them; return where these are found."""
    site = folder / "site"
    for path in write_files(page, folder):
        if path.name == "pyproject.toml":
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
            options = ["--no-build-isolation", "--no-index", "--target", str(site)]
            subprocess.run([*pip, *options, str(path.parent)], cwd=folder, check=True)
    return site


def run(python, page, folder, *arguments):
    """Run Python with what a page installs, return what it printed; it must succeed."""
    site = install(page, folder)
    columns = {"COLUMNS": "100"}
    code, out, err = python.run(folder, *arguments, path=[site], environment=columns)
    assert code == 0, out + err
    return out


ALWAYS = {
    *("README", "first-simulation", "first-contact-model", "run-from-python", "add-a-plugin"),
    *("recording", "contact-problem", "push-a-robot", "drive-the-joints", "debug-a-law"),
    *("restore-a-run", "add-a-robot", "conventions"),
}
"""Pages whose code is run with all tests: of each subject one; the others' as long tests."""
IN_TURN = [page if page.stem in ALWAYS else long(page) for page in WITH_CODE]


def may_run(block):
    """Return whether what a block needs is installed: the extra `sb3` is outside of `test`."""
    return "footfall_gym.sb3" not in block[0] or find_spec("stable_baselines3") is not None


@pytest.mark.parametrize("page", IN_TURN, ids=name)
def test_code_prints_what_the_page_shows(page, tmp_path, python):
    pairs = [*takewhile(may_run, code_of(page))]
    script = tmp_path / "page.py"
    script.write_text(f"\nprint({MARK!r})\n".join(code for code, _ in pairs), encoding="utf-8")
    outputs = run(python, page, tmp_path, script).split(MARK + "\n")
    assert len(outputs) == len(pairs)
    for printed, (_, shown) in zip(outputs, pairs, strict=True):
        assert shown is None or printed == shown


@each("page", WITH_CODE, ids=name)
def test_code_imports_nothing_of_the_inside_of_core(page, tmp_path):
    script = tmp_path / "page.py"
    script.write_text("\n".join(code for code, _ in code_of(page)), encoding="utf-8")
    inside = [
        used
        for used, _ in used_names(script)
        if used.startswith("footfall.")
        and used.split(".")[1] not in ("api", "testing")
        and not is_for_users(used.split(".")[1])
    ]
    assert inside == []


@pytest.mark.parametrize("page", WITH_PACKAGES, ids=name)
def test_packages_of_a_page_pass_their_own_tests(page, tmp_path, python):
    tests = [path for path in write_files(page, tmp_path) if path.name.startswith("test_")]
    assert tests
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    assert " passed" in run(python, page, tmp_path, *command)


def test_pages_with_code_and_packages_are_found():
    assert {"README.md", "docs/tutorials/first-simulation.md"} <= set(map(name, WITH_CODE))
    assert "docs/how-to/write-a-controller.md" in map(name, WITH_PACKAGES)


@pytest.mark.long
def test_the_card_of_the_tutorials_law_tells_its_faults(tmp_path):
    """Sweeps depend on the contacts' order, and miss how a pendulum lands at mu = 1.

    What the law holds is told as well: friction, rest and energy.
    """
    page = next(page for page in pages() if page.stem == "first-contact-model")
    program = "from footfall.cli.main import main; import sys; main(sys.argv[1:])"
    words = ("report", "sweeps", "--quick", "--output", tmp_path / "card.html")
    # A process of its own: its workers find the package by the environment, as users' do.
    environment = os.environ | {"PYTHONPATH": str(install(page, tmp_path))}
    command = [sys.executable, "-c", program, *map(str, words)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    out = done.stdout
    assert "2 FAIL" in out
    assert "(symmetry, pendulum_landing)" in out
    found = json.loads((tmp_path / "card.json").read_text("utf-8"))["findings"]
    mine = {one["check"]: one for one in found if one["laws"]["contact"] == "sweeps"}
    wrong = {m["what"] for m in mine["symmetry"]["measures"] if m["measured"] > m["tolerance"]}
    assert wrong == {"mirrored", "corners renamed"}  # not "turned"
