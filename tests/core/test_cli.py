import json
import os
import re
import subprocess
import sys
from functools import partial

import jsonschema
import pytest
from tests.command_line import run_command
from tests.core.scene_plugins import make_registry
from tests.core.stand_in_registry import stand_in

import footfall as package
from footfall.registry.registry import Broken, Origin
from footfall.testing import Finding, NotApplicable, conform
from footfall.testing.check import checks_of, within
from footfall_run.listings.command import plugin_listing


@pytest.fixture
def footfall(capsys):
    """Return a function that runs the command and gives exit code, output and errors."""
    return partial(run_command, capsys)


@pytest.fixture
def registry(monkeypatch):
    """The fake plugins, and a distribution that is broken, instead of what is installed."""
    registry = make_registry()
    registry.broken.append(Broken(Origin("b", "b_plugin", "b-laws", "0.9"), "ValueError: oops [b]"))
    return stand_in(monkeypatch, registry)


def test_help_names_every_command(footfall):
    code, out, _ = footfall("--help")
    assert code == 0
    for command in ("run", "compare", "view", "scenes", "plugins", "schema", "check", "import"):
        assert f"\n  {command} " in out


def test_help_takes_half_a_second_and_loads_nothing_heavy():
    """Of processor time, since other processes may take the processor."""
    code = (
        "import sys\nfrom footfall.cli.main import main\n"
        "try: main(['run', '--help'])\nexcept SystemExit: pass\n"
        "heavy = 'llvmlite pinocchio casadi zarr xarray meshcat tornado proxsuite rich'.split()\n"
        "print('LOADED', [name for name in heavy if name in sys.modules])"
    )
    times = []
    for _ in range(3):
        begin = sum(os.times()[2:4])
        out = subprocess.run(
            [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
        ).stdout
        times.append(sum(os.times()[2:4]) - begin)
        assert "LOADED []" in out
    assert min(times) < 0.5


@pytest.mark.parametrize(
    "arguments",
    [["rnu"], ["run"], ["run", "cube/drop", "--sped", "1"], ["run", "x", "--duration", "long"]],
)
def test_wrong_usage_exits_with_2(footfall, arguments):
    code, out, err = footfall(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("Usage: ")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "cube/drpo"], "error: no scene 'cube/drpo', did you mean 'cube/drop'? (`footfall"),
        (["run", "none.toml"], "error: no scene file 'none.toml'"),
        (["run", "cube/drop", "--set", "contact"], "error: an override must be KEY=VALUE"),
        (
            ["run", "cube/drop", "--set", "contact.plugin=culomb"],
            "error: contact.plugin: no contact plugin \"culomb\", did you mean 'coulomb'?",
        ),
        (
            ["run", "cube/drop", "--set", "contact.plugin=absent"],
            'error: contact.plugin: contact "absent" needs "no_such_package": pip install',
        ),
        (
            ["run", "cube/drop", "--set", "simulation.time_step=-1e-3"],
            "error: simulation.time_step: must be > 0, got -0.001 [s] (set by an override)",
        ),
        (
            ["run", "cube/drop", "--duration", "nan"],
            "error: simulation.duration: must be a finite number, got nan (set by an override)",
        ),
    ],
)
def test_a_users_mistake_is_one_line_and_exit_code_1(footfall, registry, arguments, expected):
    code, out, err = footfall(*arguments)
    assert (code, out) == (1, "")
    assert err.startswith(expected)
    assert err.count("\n") == 1


def test_an_error_of_several_lines_is_printed_in_one(footfall, monkeypatch):
    from footfall.errors import RobotError

    def fail():
        raise RobotError("one\n  two")

    monkeypatch.setattr(package, "list_scenes", fail)
    assert footfall("scenes") == (1, "", "error: one two\n")


def test_scenes_are_listed_one_a_line_with_their_description(footfall):
    code, out, _ = footfall("scenes")
    lines = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert code == 0
    assert {"cube/drop", "icub/standing", "humanoid/standing"} <= set(lines)


def test_plugins_are_listed_by_role_with_origin_capabilities_and_problems(footfall, registry):
    code, out, _ = footfall("plugins")
    assert code == 0
    lines = [line.strip() for line in out.splitlines()]
    at = lines.index("contact")
    assert [line.split()[0] for line in lines[at + 1 : at + 4]] == ["absent", "contact", "coulomb"]
    assert 'contact "absent" needs "no_such_package": pip install "fake-plugins[absent]"' in out
    assert "can: friction, restitution, several bodies, tilted terrain" in out
    assert "fake-plugins 3.1" in out
    assert lines[-1] == "broken: b-laws 0.9, b_plugin: ValueError: oops [b]"


def test_the_listing_in_json_says_the_same(footfall, registry):
    code, out, _ = footfall("plugins", "--json")
    listing = json.loads(out)
    assert code == 0
    assert listing == json.loads(json.dumps(plugin_listing(registry)))
    by_name = {(p["role"], p["name"]): p for p in listing["plugins"]}
    assert by_name["contact", "absent"] == {
        "role": "contact",
        "name": "absent",
        "summary": "lacks something",
        "distribution": "fake-plugins",
        "version": "3.1",
        "capabilities": [],
        "requires": ["no_such_package"],
        "missing": ["no_such_package"],
        "install": 'pip install "fake-plugins[absent]"',
        "problem": ('contact "absent" needs "no_such_package": pip install "fake-plugins[absent]"'),
    }
    assert by_name["engine", "other"]["problem"] is None
    assert "MJCF" in by_name["engine", "other"]["capabilities"]
    assert listing["broken"][0]["reason"] == "ValueError: oops [b]"


def test_the_schema_is_printed_as_json(footfall, registry):
    code, out, _ = footfall("schema")
    schema = json.loads(out)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert code == 0
    assert "contact.gauss" in schema["$defs"]


@pytest.fixture
def checked(registry, monkeypatch):
    """Instead of the kit's checks: one that reads a setting, one that needs a solver."""

    def gain_is_small(subject):
        """The gain is at most 0.5."""
        return within("gain", subject.config.gain, 0.5)

    def solves(subject):
        """It has a solver."""
        if subject.solver is None:
            raise NotApplicable("takes no solver")
        return Finding(subject.solver.name == "osqp", subject.solver.name)

    checks = checks_of("contact", gain_is_small, solves)
    monkeypatch.setattr(conform, "checks", lambda role: checks)


def test_check_prints_what_was_found_and_exits_with_0_if_nothing_failed(footfall, checked):
    code, out, _ = footfall("check", "contact", "coulomb")
    assert code == 0
    assert [line.split(maxsplit=2) for line in out.splitlines()[:2]] == [
        ["passed", "gain_is_small", "gain: 0.2, allowed 0.5"],
        ["skipped", "solves", "takes no solver"],
    ]
    assert out.splitlines()[-1] == 'contact "coulomb": 1 passed, 0 failed, 1 not applicable'


def test_check_exits_with_1_if_a_check_failed(footfall, checked):
    code, out, _ = footfall("check", "contact", "coulomb", "--set", "gain=0.75")
    assert code == 1
    assert out.startswith("failed  gain_is_small")


def test_check_takes_another_solver(footfall, checked):
    assert "failed  solves         proxqp" in footfall("check", "contact", "gauss")[1]
    assert (
        "passed  solves         osqp"
        in footfall("check", "contact", "gauss", "--solver", "osqp")[1]
    )


INVALID = 'error: contact "coulomb": the checks need valid settings: '


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["contcat", "coulomb"], "error: no role 'contcat', did you mean 'contact'?"),
        (["contact", "colomb"], "error: no contact plugin \"colomb\", did you mean 'coulomb'?"),
        (["contact", "absent"], 'error: contact "absent" needs "no_such_package": pip install'),
        (
            ["contact", "coulomb", "--set", "gain=2"],
            'error: contact "coulomb": the checks need valid settings: gain: must be <= 1, got 2',
        ),
        (
            ["contact", "coulomb", "--set", "gian=1"],
            f"{INVALID}gian: unknown key, did you mean",
        ),
    ],
)
def test_what_cannot_be_checked_is_one_line(footfall, registry, arguments, expected):
    code, out, err = footfall("check", *arguments)
    assert (code, out) == (1, "")
    assert err.startswith(expected)
    assert err.count("\n") == 1


def test_output_into_a_closed_pipe_leaves_no_traceback():
    command = f"{sys.executable} -m footfall.cli.main plugins --json | head -c 10"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=True, env={**os.environ}
    )
    assert "Traceback" not in done.stderr


@pytest.mark.filterwarnings("default")
def test_a_start_inside_the_ground_is_one_line(footfall):
    deep = "bodies.cube.base_position=[0.0, 0.0, 0.0]"
    short = ("--set", deep, "--duration", "0.01", "--no-record")
    code, _, err = footfall("run", "cube/sliding", *short)
    assert code == 0
    told = re.fullmatch(
        r"warning: contact points start inside the ground: cube/cube/\d by (.+) mm; .+\n", err
    )
    assert float(told[1]) == pytest.approx(50.0, rel=1e-9)  # half its edge


@pytest.mark.filterwarnings("default")
def test_a_page_of_a_run_says_nothing_again(footfall, tmp_path):
    """The scene is assembled again for it."""
    deep = ("--set", "bodies.cube.base_position=[0.0, 0.0, 0.0]", "--duration", "0.01")
    places = ("--output", str(tmp_path / "run.zarr"), "--html", str(tmp_path / "page.html"))
    code, _, err = footfall("run", "cube/sliding", *deep, *places)
    assert code == 0
    told = [line for line in err.splitlines() if not line.startswith("writing ")]  # if it is slow
    assert len(told) == 1
    assert told[0].startswith("warning: contact points start inside the ground")
