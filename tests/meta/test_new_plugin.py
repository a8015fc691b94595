"""What ``footfall new`` writes installs, is found, passes its checks and runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cases import first
from tests.meta.markdown_blocks import ROOT, blocks
from tests.meta.wheels import footfall, printed

from footfall.cli.main import main
from footfall_check.new.package import write_package
from footfall_check.new.roles import ROLES

WRITTEN = {role: f"mine_{role}" for role in ROLES} | {
    "contact --forces": "mine_forces",
    "contact --compiled": "mine_compiled",
}
"""Names of the plugins, by what follows ``footfall new``."""
CHECKED = [words for words in WRITTEN if words != "command"]
SOME = ["contact", "contact --compiled", "solver", "terrain", "sensor"]
"""Those that are checked in every run of the tests."""
SLOW = ("restore", "friction_level", "friction_tilted")
"""Checks that take nearly all of the time of a law in Python: left out then."""


def write_and_install(folder, written):
    """Write plugins, build all wheels, install them in a folder ``site``; return the folder."""
    for words in written:
        role, *options = words.split()
        chosen = {option.removeprefix("--"): True for option in options}
        write_package(role, WRITTEN[words], folder, **chosen)
    packages = [f"./{path.name}" for path in sorted(folder.glob("footfall-*"))]
    assert len(packages) == len(written)
    install(folder, *packages)
    return folder


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Plugins of some roles, and a command; to build a wheel of each role takes long."""
    return write_and_install(tmp_path_factory.mktemp("some"), [*SOME, "command"])


@pytest.fixture(scope="module")
def all_installed(tmp_path_factory):
    """A plugin of every role."""
    return write_and_install(tmp_path_factory.mktemp("all"), WRITTEN)


def install(folder, *packages):
    """Install packages in a folder ``site``, from wheels."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    options = ["--no-build-isolation", "--target", "site"]
    subprocess.run([*pip, *options, *packages], cwd=folder, check=True)


def check_summaries(installed, python, *checked, without=()):
    """Check that of each of these plugins ``footfall check`` says that it passes."""
    names = {words: WRITTEN[words] for words in checked}
    script = (
        "from footfall.testing import check_plugin, conform\n"
        "every = conform.checks\n"
        f"conform.checks = lambda role: [c for c in every(role) if c.name not in {without!r}]\n"
        f"for words, name in {names!r}.items():\n"
        "    print(check_plugin(words.split()[0], name).summary)\n"
    )
    said = printed(python, installed, "-c", script).splitlines()
    for words, line in zip(checked, said, strict=True):
        passed = r": [1-9]\d* passed, 0 failed, \d+ not applicable$"
        assert re.search(passed, line), (words, line)


def test_written_plugins_pass_their_checks(installed, python):
    check_summaries(installed, python, *SOME, without=SLOW)


@pytest.mark.long
def test_all_written_plugins_pass_all_of_their_checks(all_installed, python):
    check_summaries(all_installed, python, *CHECKED)


@pytest.mark.parametrize("name", first("mine_command", "mine_sensor"))
def test_a_written_plugin_passes_its_own_test(installed, python, name):
    tests = installed / f"footfall-{name.replace('_', '-')}" / "tests"
    command = ("-m", "pytest", "-q", "-p", "no:cacheprovider", tests)
    assert " passed" in printed(python, installed, *command)


def test_a_written_command_is_listed_and_runs(installed, python):
    assert "mine_command" in footfall(python, installed, "--help")
    assert footfall(python, installed, "mine_command", "you", "--times", "2") == "hello you\n" * 2


IN_A_BATCH = """
import numpy as np
import footfall

law = {"contact.plugin": "mine_compiled"}
one = footfall.load("cube/sliding", law)
assert not one.stepper.program.python
for _ in range(200):
    one.step()
with footfall.Batch("cube/sliding", 3, overrides=law) as batch:
    batch.step(substeps=200)
    assert np.array_equal(batch.q, np.tile(one.q, (3, 1)))
found = footfall.derivatives(one, parameters=["bodies.cube.friction"])
print(found.parameters[6, 0] / 9.81 / one.time_step)
try:
    footfall.load("cube/sliding", law | {"simulation.time_step": 0.02})
except footfall.SceneError as error:
    print(error)
"""


def test_a_written_compiled_law_runs_in_batches_and_has_gradients(installed, python):
    slope, refused = printed(python, installed, "-c", IN_A_BATCH).splitlines()
    assert abs(float(slope) + 1.0) < 1e-2  # dv = -g dt dmu
    assert "0.02 s is too long" in refused


LOADS = """
from footfall.registry.discover import discover
from footfall.scene.load import load_scene
from footfall.scene.overrides import parse_assignments
from footfall_check.new.roles import ROLES
for role, known in ROLES.items():
    if known.table:
        text = f"[simulation]\\nduration = 0.01\\n[bodies.rrbot]\\nrobot = 'rrbot'\\n{known.table}"
        open(f"{role}.toml", "w").write(text.replace("NAME", f"mine_{role}"))
        load_scene(f"{role}.toml", {}, discover())
    elif role != "command":
        words = known.run.replace("NAME", f"mine_{role}").split()
        given = [words[i + 1] for i, word in enumerate(words) if word == "--set"]
        assert words[:2] == ["footfall", "run"] and given
        load_scene(words[2], parse_assignments(given), discover())
    print(role)
"""


@pytest.mark.long
def test_what_is_told_to_try_is_valid(all_installed, python):
    assert printed(python, all_installed, "-c", LOADS).split() == list(ROLES)


def test_the_place_of_the_equations_is_told(capsys, tmp_path):
    for words in WRITTEN:
        role, *options = words.split()
        with pytest.raises(SystemExit):
            main(["new", role, "another_one", *options, "--output", str(tmp_path / "")])
        told = re.search(r"^your equations: (.*):(\d+)$", capsys.readouterr().out, re.MULTILINE)
        file, line = told.groups()
        assert "REPLACE" in Path(file).read_text(encoding="utf-8").splitlines()[int(line) - 1]
        assert "NewPlugin" not in Path(file).read_text(encoding="utf-8")
        (tmp_path / "footfall-another-one").rename(tmp_path / words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("contcat mine", "no role 'contcat', did you mean 'contact'?"),
        ("contact My-law", "'My-law' cannot be a plugin's name: small letters, digits and"),
        ("contact class", "'class' cannot be a plugin's name"),
        ("contact a__b", "'a__b' cannot be a plugin's name"),
        ("terrain terrain", "'terrain' is a name that terrain plugins use themselves"),
        ("command typer", "'typer' is a name that command plugins use themselves"),
        ("contact pinocchio", "a package footfall_pinocchio is installed already"),
        ("contact lcp", 'contact "lcp" is installed already'),
        ("engine mine --compiled", "--compiled is for contact laws only"),
        ("engine mine --forces", "--forces is for contact laws only"),
        ("contact mine --output nowhere", "there is no folder nowhere"),
        ("contact there", "footfall-there exists: choose another name"),
    ],
)
def test_what_cannot_be_written_is_refused_in_one_line(tmp_path, monkeypatch, capsys, words, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "footfall-there").mkdir()
    with pytest.raises(SystemExit) as exit_:
        main(["new", *words.split()])
    assert exit_.value.code == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {said}")
    assert [path.name for path in tmp_path.iterdir()] == ["footfall-there"]
    assert not list((tmp_path / "footfall-there").iterdir())


@pytest.mark.long
@pytest.mark.parametrize(
    "page", first("write-a-qp-solver", "write-an-engine", "swap-the-simulator")
)
def test_a_page_that_writes_a_plugin_can_be_followed(page, tmp_path, python):
    """Line by line; what is installed goes to a folder of its own, from a wheel."""
    found = [b.text for b in blocks(ROOT / f"docs/how-to/{page}.md") if b.language == "sh"]
    (text,) = [text for text in found if text.startswith("footfall new")]
    lines = [line.split() for line in text.splitlines()]
    assert [line[:2] for line in lines] == [
        ["footfall", "new"],
        ["pip", "install"],
        ["footfall", "check"],
        ["footfall", "run"],
    ]
    for program, *words in lines:
        if program == "pip":
            install(tmp_path, words[-1])
        else:
            out = footfall(python, tmp_path, *words)
    assert "contact residual" in out or "steps" in out
