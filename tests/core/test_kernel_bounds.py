"""``FOOTFALL_CHECKED=compiled``: compiled kernels that check every index of every array."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import numpy as np
import pytest
from tests.cases import each

from footfall.api.advanced import stage_of
from footfall.api.kernels import bind, call, inner, kernel, opener, routine, table_of
from footfall.errors import SimulationError
from footfall.jit import checked, four, native
from footfall.jit.compiling import Kernel
from footfall.typing import Floats2
from footfall_stepper.kernels.step.program import Phase
from footfall_stepper.stepping.program import StepProgram
from footfall_stepper.stepping.settings import StepSettings
from footfall_stepper.world.step_arrays import StepFigure


class Plane(NamedTuple):
    """An array in a table."""

    plane: Floats2


opened = opener(Plane, 0)


@pytest.fixture(autouse=True)
def bounds(monkeypatch):
    """Check the indices of all that is compiled here."""
    monkeypatch.setenv("FOOTFALL_CHECKED", "compiled")


@inner
def put(x, i):
    x[i] = 7.0


@routine
def put_later(x, i):
    put(x, i)
    return 1.0


@kernel
def into_line(x, i):
    x[0] += 0.0 * put_later(x, i)


@kernel
def added(x, i):
    x[i] += 7.0


@kernel
def into_plane(x, i, j):
    x[i, j] = 7.0


@kernel
def into_row(x, i, j):
    row = x[i]
    row[j] = 7.0


@kernel
def into_part(x, begin, end, i):
    x[begin:end][i] = 7.0


@kernel
def into_table(table, i, j):
    opened(table).plane[i, j] = 7.0


@kernel
def into_four(x, i):
    four.set_four(x, i, four.no_four())


@kernel
def at_nan(x, y):
    x[int(y)] = 7.0


@kernel
def up_to(x, end):
    for i in range(end):
        x[i] = 7.0


LINE, PLANE = np.zeros(40)[10:16], np.zeros((9, 4))[3:6]
TABLE = table_of(Plane(PLANE))
WRONG = [
    ((into_line, LINE, -1), "put: x[i], axis 0: index -1 is out of bounds for size 6"),
    ((into_line, LINE, 6), "put: x[i], axis 0: index 6 is out of bounds for size 6"),
    ((into_line, LINE[::-2], 3), "put: x[i], axis 0: index 3"),
    ((added, LINE, 2**62), f"added: x[i], axis 0: index {2**62}"),
    ((into_plane, PLANE, 1, 4), "into_plane: x[i, j], axis 1: index 4 is out of bounds for size 4"),
    ((into_plane, PLANE, 1, -1), "into_plane: x[i, j], axis 1: index -1"),
    ((into_plane, PLANE, 3, 0), "into_plane: x[i, j], axis 0: index 3"),
    ((into_plane, PLANE.T, 3, 3), "into_plane: x[i, j], axis 1: index 3"),
    ((into_row, PLANE, 3, 0), "into_row: x[i], axis 0: index 3"),
    ((into_row, PLANE, 0, 4), "into_row: row[j], axis 0: index 4"),
    ((into_part, LINE, 1, 3, 2), "into_part: x[begin:end][i], axis 0: index 2"),
    ((into_part, LINE, -1, 3, 1), "into_part: x[begin:end], axis 0: index -1"),
    ((into_part, LINE, 7, 9, 0), "into_part: x[begin:end], axis 0: index 7"),
    ((into_part, LINE, 6, 9, 0), "into_part: x[begin:end][i], axis 0: index 0"),
    ((into_table, TABLE, 3, 0), "into_table: opened(table).plane[i, j], axis 0: index 3"),
    ((into_four, LINE, 3), "into_four: four.set_four(x, i, four.no_four()), axis 0: index 6"),
    ((into_four, LINE, -1), "into_four: four.set_four(x, i, four.no_four()), axis 0: index -1"),
    ((at_nan, LINE, math.nan), "at_nan: x[int(y)], axis 0: index"),
]


@each(("case", "told"), WRONG, ids=lambda value: value if isinstance(value, str) else "")
def test_an_index_out_of_bounds_raises_and_writes_nothing(case, told):
    function, *arguments = case
    with pytest.raises(IndexError, match=rf"^{re.escape(__file__)}:\d+: {re.escape(told)}"):
        function(*arguments)
    assert not LINE.base.any()
    assert not PLANE.base.any()


def test_the_line_is_told():
    line = into_row.function.__code__.co_firstlineno + 3
    with pytest.raises(IndexError, match=rf"^{re.escape(__file__)}:{line}: into_row"):
        into_row(PLANE, 0, 4)


def test_indices_within_bounds_are_taken():
    x, plane = np.zeros(6), np.zeros((3, 4))
    for i in range(6):
        into_line(x[::-1], i)
        into_part(x, 0, i + 1, i)
    up_to(x, 6)
    assert x.tolist() == [7.0] * 6
    for i, j in np.ndindex(3, 4):
        into_plane(plane.T, j, i)
    assert plane.tolist() == [[7.0] * 4] * 3
    into_four(x, 2)
    assert x.tolist() == [7.0, 7.0, 0.0, 0.0, 0.0, 0.0]


def test_what_was_written_before_stays():
    x = np.zeros(9)
    with pytest.raises(IndexError, match="index 4 is out of bounds for size 4"):
        up_to(x[:4], 6)
    assert x.tolist() == [7.0] * 4 + [0.0] * 5


@kernel
def ignores(calls, done):
    call(calls[0], calls[1])
    done[0] = 1.0


@pytest.mark.parametrize("late", [False, True])
def test_kernels_that_call_by_address_raise_as_well(late):
    calls, done = np.zeros(2, np.int64), np.zeros(1)
    if late:
        stage = call.late()
        calls = stage.cell
    caller = bind(ignores, calls, done)
    if late:
        stage.bind(caller, into_line, LINE, 6)
    else:
        stage = stage_of(bind(into_line, LINE, 6))
        calls[:] = stage.function, stage.frame
    with pytest.raises(IndexError, match="put: x"):
        caller()
    assert done[0] == 0.0


def test_a_stage_of_a_step_ends_it():
    arrays = np.zeros(1), np.zeros(len(StepFigure)), np.zeros(0), np.zeros(0)
    program = StepProgram(StepSettings(1e-3), np.zeros(1, np.int64), {}, *arrays)
    program.begin([(Phase.BEFORE, "planted", [program.stage(bind(into_plane, PLANE, 3, 0))])])
    ended = program.make(np.zeros((1, 1)), 0, 1, commands=0)
    with pytest.raises(IndexError, match="into_plane: x"):
        program.check(ended)
    with pytest.raises(IndexError, match="into_plane: x"):
        program.run(Phase.BEFORE)


def test_objects_are_kept_apart(monkeypatch, tmp_path):
    """Other kernels never load them; lines that move are told anew."""
    name = native.object_name(into_line, ())
    monkeypatch.setenv("FOOTFALL_CHECKED", "0")
    assert not checked.is_on()
    assert native.object_name(into_line, ()) != name
    monkeypatch.setenv("FOOTFALL_CHECKED", "compiled")
    assert not checked.is_on()
    assert native.object_name(into_line, ()) == name
    names = set()
    for text in "", "# moved\n":
        file = tmp_path / "moving.py"
        file.write_text(f"{text}def f(x):\n    return x[0]\n")
        found = {}
        exec(compile(file.read_text(), str(file), "exec"), found)
        names.add(native.object_name(Kernel(found["f"]), ()))
    assert len(names) == 2


@kernel
def steps(first, end, step):
    n = 0
    for _ in range(first, end, step):
        n += 1
    return n


def test_a_range_without_a_step_raises():
    for arguments in (1, 9, 2), (9, 1, -3), (9, 1, 2), (1, 9, -3):
        assert steps(*arguments) == len(range(*arguments))
    for first in 1, 9, 5:
        with pytest.raises(SimulationError, match="steps has raised"):
            steps(first, 5, 0)
