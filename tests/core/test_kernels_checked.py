"""Checked mode: kernels as plain Python, with indices and kinds of tables checked."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
from tests.cases import each

import footfall
from footfall.api.advanced import by_type
from footfall.api.kernels import bind, inner, kernel, opener, routine, table_of
from footfall.jit import checked
from footfall.jit.tables import LayoutError
from footfall.problem.contact_problem import ContactProblem
from footfall.typing import Floats1, Floats2
from footfall_stepper.kernels import tables

ROUNDING = 1e-9
"""Largest difference to compiled code, relative to 1: the libraries' last digits, some steps on."""


class Some(NamedTuple):
    """A tuple of arrays."""

    line: Floats1
    plane: Floats2


class Doubled(NamedTuple):
    """A way to scale."""


class Halved(NamedTuple):
    """Another one."""


some = opener(Some, 0)
LIMIT = 0.0


@inner
def element(x, i):
    return x[i]


@routine
def double(x):
    return 2.0 * x


@inner
def halve(x):
    return x / 2.0


scale = by_type({Doubled: double, Halved: halve})


@kernel
def arithmetic(x):
    """All that Python's numbers would raise at."""
    zero = x[0]
    quotients = 1.0 / LIMIT, -1.0 / zero, zero / (zero * 1.0)
    roots = math.sqrt(-1.0 - zero), math.log(LIMIT), math.acos(2.0), math.pow(0.0, -1.0)
    large = math.exp(1e4), 1e200 * float(int(1e10)) * 1e200, (1e200 + zero) ** 2
    more = math.hypot(3.0, 4.0), math.pi, max(zero, 1.0), 7 // 2
    return *quotients, *roots, *large, *more


@kernel
def read(table, i):
    return element(some(table).line, i)


@kernel
def read_plane(table, i, j):
    return some(table).plane[i][j]


@kernel
def write(table, i, value):
    some(table).line[i] = value


@kernel
def read_argument(x, i):
    return x[i]


@kernel
def read_torque(table):
    return tables.open_joints(table).tau[0]


def scaling(way):
    """Return a kernel made in a function, with what its closure holds."""

    @kernel
    def scaled(x):
        return scale(way, x)

    return scaled


def table():
    return table_of(Some(np.arange(4.0), np.arange(6.0).reshape(2, 3)))


def test_numbers_are_those_of_compiled_code():
    x = np.zeros(1)
    given, expected = checked.run(arithmetic, x), arithmetic(x)
    assert repr(given) == repr(expected).replace("-nan", "nan")


def test_functions_are_chosen_by_type():
    for way in Doubled(), Halved():
        function = scaling(way)
        assert checked.run(function, 3.0) == function(3.0)


def test_arrays_are_those_of_the_table():
    here = table()
    checked.run(write, here, 2, 9.0)
    assert read(here, 2) == checked.run(read, here, 2) == 9.0
    assert read_plane(here, 1, 2) == checked.run(read_plane, here, 1, 2) == 5.0


@each(
    ("call", "message"),
    [
        ((read, table(), -1), r"Some\.line: index -1 is negative; kernels do not count"),
        ((read, table(), 4), r"Some\.line: index 4 is out of bounds .* size 4"),
        ((read_plane, table(), 0, -1), r"Some\.plane: index -1 is negative"),
        ((read_plane, table(), 2, 0), r"Some\.plane: index 2 is out of bounds"),
        ((write, table(), 4, 1.0), r"Some\.line: index 4 is out of bounds"),
        ((write, table(), -4, 1.0), r"Some\.line: index -4 is negative"),
        ((read_argument, np.zeros(2), -1), "x: index -1 is negative"),
        ((read_argument, np.zeros(2), 2), "x: index 2 is out of bounds"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_indices_are_checked(call, message):
    with pytest.raises(IndexError, match=message):
        checked.run(*call)


def test_arrays_are_printed_as_arrays():
    assert repr(some(table()).line) == "array([0., 1., 2., 3.])"
    assert str(some(table()).plane[1]) == "[3. 4. 5.]"


def test_a_debugger_stops_in_a_kernel(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\n"
        "from footfall.api.kernels import inner, kernel\n"
        "@inner\n"
        "def half(x, i):\n"
        "    return 0.5 * x[i]\n"
        "@kernel\n"
        "def first(x):\n"
        "    breakpoint()\n"
        "    return half(x, 0)\n"
        "print('answer', first(np.array([3.0, 4.0])))\n"
    )
    # Up to Python 3.12 it stops after the call of breakpoint, later at it.
    on = "" if sys.version_info < (3, 13) else "n\n"
    done = subprocess.run(
        [sys.executable, str(script)],
        input=f"p x\n{on}s\ns\np i, x[i]\nc\n",
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"FOOTFALL_CHECKED": "1"},
    )
    assert "array([3., 4.])" in done.stdout
    assert "script.py(5)half()" in done.stdout  # straight from one kernel into the other
    assert "(0, 3.0)" in done.stdout.replace("np.float64(3.0)", "3.0")
    assert "answer 1.5" in done.stdout


def test_kinds_of_tables_are_checked():
    problem = ContactProblem.from_dense(np.eye(3), np.zeros(3), np.ones(1))
    with pytest.raises(
        LayoutError, match=r"^a kernel opens Joints from a table that holds Problem"
    ):
        checked.run(read_torque, problem.table)
    with pytest.raises(LayoutError, match="what is no table"):
        checked.run(read_torque, np.zeros((3, 4), np.int64))


def test_the_environment_turns_it_on(monkeypatch):
    for value, on in (("1", True), ("0", False), ("", False), ("compiled", False)):
        monkeypatch.setenv("FOOTFALL_CHECKED", value)
        assert checked.is_on() is on
    monkeypatch.setenv("FOOTFALL_CHECKED", "1")
    with pytest.raises(IndexError, match="is negative"):
        bind(read, table(), like=(0,))(-1)


def python(code, **environment):
    """Run code in a process of its own and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


STEPS = """
import json, sys
import footfall

states = []
for scene, overrides, steps in json.loads({scenes!r}):
    sim = footfall.load(scene, overrides)
    for _ in range(steps):
        sim.step()
    states.append([*sim.q, *sim.v])
print(json.dumps([states, "llvmlite" in sys.modules]))
"""
SCENES = [
    ("cube/sliding", {}, 40),
    ("ball/hills", {}, 15),
    ("fourbar/swinging", {}, 15),
    ("cube/stack", {}, 4),
    ("humanoid/drop", {}, 3),
    ("cube/drop", {"integrator.plugin": "rk4", "contact.plugin": "compliant"}, 5),
]


def test_scenes_give_the_compiled_result_to_rounding():
    code = STEPS.format(scenes=json.dumps(SCENES))
    plain, with_code = json.loads(python(code, FOOTFALL_CHECKED="1"))
    assert not with_code
    compiled, with_code = json.loads(python(code, FOOTFALL_CHECKED="0"))
    assert with_code
    for (scene, _, _), one, other in zip(SCENES, plain, compiled, strict=True):
        np.testing.assert_allclose(one, other, rtol=ROUNDING, atol=ROUNDING, err_msg=scene)


@pytest.mark.long
def test_checked_bounds_keep_the_bits():
    code = STEPS.format(scenes=json.dumps([(scene, how, 100) for scene, how, _ in SCENES]))
    assert python(code, FOOTFALL_CHECKED="compiled") == python(code, FOOTFALL_CHECKED="0")


BUNDLED = [summary.name for summary in footfall.list_scenes()]
FEW = ["ball/hills", "panda/pushing"]


@pytest.mark.parametrize(
    ("how", "scenes", "steps"),
    [
        ("1", FEW, 2),
        ("compiled", ["pendulum/swing"], 20),
        pytest.param("1", BUNDLED, 2, marks=pytest.mark.long),
        pytest.param("compiled", BUNDLED, 20, marks=pytest.mark.long),
    ],
)
def test_bundled_scenes_run_in_it_with_and_without_a_recording(how, scenes, steps, tmp_path):
    code = f"""
import footfall
for scene in {scenes}:
    sim = footfall.load(scene)
    sim.run({steps} * sim.time_step)
    report = sim.record({steps} * sim.time_step, {str(tmp_path / "run.zarr")!r}, overwrite=True)
    print(scene, report.steps)
"""
    told = [line.split() for line in python(code, FOOTFALL_CHECKED=how).splitlines()]
    assert told == [[scene, str(steps)] for scene in scenes]


def test_the_command_line_runs_scenes_in_it(tmp_path):
    code = f"""
import os, sys
os.chdir({str(tmp_path)!r})
from footfall.cli.main import main
try:
    main(["run", "cube/drop", "--duration", "0.05"])
except SystemExit as end:
    assert not end.code
assert "llvmlite" not in sys.modules
"""
    assert "50 (0.05 s simulated)" in python(code, FOOTFALL_CHECKED="1")
