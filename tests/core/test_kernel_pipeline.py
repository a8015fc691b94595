"""How kernels are compiled: parts are only lowered, each kernel is optimised once."""

import gc
import math
import os
import re
import subprocess
import sys
import tomllib

import numba
import numpy as np
import pytest
from numba.core import ir
from numba.core.types.functions import BaseFunction
from packaging.requirements import Requirement
from tests.meta.source_files import ROOT

from footfall.jit.compiling import bind, inner, kernel, routine
from footfall.jit.pipeline import NUMBA, _Part


@inner
def square(x):
    return x * x


@routine
def length(x, y):
    return math.sqrt(square(x) + square(y))


@kernel
def distance(a):
    return max(length(a[0], a[1]), length(a[2], a[3]), 0.0)


@kernel
def refuses(a):
    return a.nothing_like_it


@numba.njit(error_model="numpy", _nrt=False)
def somebody_elses(x):
    return 2.0 * x


@kernel
def calls_somebody_else(x):
    return square(somebody_elses(x))


def test_kernels_give_what_their_python_gives():
    given = np.array([3.0, 4.0, 5.0, 12.0])
    assert distance(given) == 13.0
    assert bind(distance, given)() == 13.0


@kernel
def with_a_closure(x, y):
    def add(a):
        return a + y

    return add(x) + add(2.0 * x)


@kernel
def with_a_literal_choice(a, n):
    kind = "a" if n > 2 else "b"
    del n
    if kind == "a":
        return a[0] ** 2
    return a[1] ** -1


def test_passes_that_are_left_out_are_not_missed():
    assert with_a_closure(1.0, 3.0) == 9.0
    assert with_a_literal_choice(np.array([3.0, 4.0]), 3) == 9.0
    assert with_a_literal_choice(np.array([3.0, 4.0]), 2) == 0.25


def test_an_error_of_lowering_tells_the_line():
    with pytest.raises(numba.core.errors.NumbaError, match=r"test_kernel_pipeline.py \(\d+\)"):
        bind(refuses, np.ones(2))


def test_what_kernels_call_is_not_turned_into_machine_code():
    length.compiled.compile((numba.float64, numba.float64))
    libraries = [compiled.library for compiled in length.compiled.overloads.values()]
    assert libraries
    assert all(isinstance(library, _Part) for library in libraries)
    assert distance(np.ones(4)) == math.sqrt(2.0)


def test_functions_that_numba_compiled_itself_are_called():
    assert calls_somebody_else(3.0) == 36.0


def test_functions_of_other_people_call_parts():
    part = square.compiled

    @numba.njit
    def of_others(x):
        return part(x) + 1.0

    assert of_others(3.0) == 10.0


@pytest.mark.parametrize("collects", [True, False])
def test_numba_and_the_garbage_collector_are_as_before_even_after_an_error(collects):
    before = BaseFunction.get_call_type, ir.Inst._rec_list_vars
    was = gc.isenabled()
    (gc.enable if collects else gc.disable)()
    try:
        with pytest.raises(numba.core.errors.TypingError):
            refuses(np.ones(2))
        assert gc.isenabled() == collects
    finally:
        (gc.enable if was else gc.disable)()
    assert (BaseFunction.get_call_type, ir.Inst._rec_list_vars) == before


def test_numbas_bound_is_that_of_the_project_and_the_constraints_keep_to_it():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert NUMBA in project["dependencies"]
    pinned = re.search(r"^numba==(.*)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    assert Requirement(NUMBA).specifier.contains(pinned[1])


@pytest.mark.parametrize(
    "lacks",
    ["del numba.core.base._has_loc", "del numba.core.codegen.JITCodeLibrary"],
    ids=["a name that is replaced", "a class that is subclassed"],
)
def test_another_numba_is_refused_in_one_line(lacks, tmp_path):
    script = (
        "import numba.core.base, numba.core.codegen, numba.core.compiler\n"
        f"{lacks}\n"
        "from footfall.cli.main import main\n"
        "main(['run', 'cube/drop', '--duration', '0.01'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=os.environ | {"FOOTFALL_CACHE_DIR": str(tmp_path), "FOOTFALL_OBJECTS": "0"},
    )
    assert done.returncode == 1
    *_, line = done.stderr.splitlines()
    assert re.search(r"Numba [\d.]+ cannot compile kernels, .*: pip install 'numba>=", line)
    assert "Traceback" not in done.stderr
