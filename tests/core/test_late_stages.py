"""Stages that Python answers, or compiles when they are first called; whatever fails comes out."""

import ctypes
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import footfall
from footfall.api.advanced import stage_of
from footfall.api.kernels import bind, call, kernel
from footfall.errors import FootfallError
from footfall.jit import announcement, native
from footfall.jit.announcement import compilations
from footfall.jit.compiling import Binding, binding_of
from footfall.jit.native import cell_of
from footfall.jit.stages import Callback, CallingBinding, LateStage, Stage

UNLOCKED = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


@pytest.fixture(autouse=True)
def late(monkeypatch):
    """Let nothing be compiled ahead, as ``footfall warm`` leaves it."""
    monkeypatch.setattr(compilations, "ahead", False)


@kernel
def count_up(numbers):
    numbers[0] += 1
    return numbers[0]


@kernel
def wrong(numbers):
    numbers[0] = numbers.no_such_thing


@kernel
def call_it(cell, answer):
    answer[0] = call(cell[0], cell[1])


@kernel
def call_both(cells, answers):
    for k in range(len(cells)):
        answers[k] = call(cells[k, 0], cells[k, 1])


def late_stage(function):
    """Return a late stage, its argument, what calls it, and what it answers."""
    numbers, answer, late = np.zeros(1, np.int64), np.zeros(1, np.int64), call.late()
    caller = bind(call_it, late.cell, answer)
    late.bind(caller, function, numbers)
    return late, numbers, caller, answer


def test_the_first_call_compiles_and_every_call_calls():
    late, numbers, caller, answer = late_stage(count_up)
    before = int(late.cell[0])
    for k in range(1, 4):
        caller()
        assert (numbers[0], answer[0]) == (k, k)
        if k == 1:
            after = int(late.cell[0])
            assert after != before
    assert late.cell[0] == after
    late.check()


def test_threads_without_the_lock_may_be_the_first():
    found = [late_stage(count_up) for _ in range(8)]
    stages = [stage_of(caller) for _, _, caller, _ in found]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            list(pool.map(lambda stage: UNLOCKED(stage.function)(stage.frame), stages))
    for late, numbers, _, answer in found:
        late.check()
        assert (numbers[0], answer[0]) == (3, 3)


def test_a_stage_lives_as_long_as_what_calls_it():
    late, numbers, caller, answer = late_stage(count_up)
    stage = stage_of(caller)
    del late, caller
    UNLOCKED(stage.function)(stage.frame)
    assert (numbers[0], answer[0]) == (1, 1)


def test_what_cannot_be_compiled_is_raised_once_when_looked_at():
    late, numbers, caller, answer = late_stage(wrong)
    caller()
    assert (numbers[0], answer[0]) == (0, -1)
    with pytest.raises(Exception, match="no_such_thing"):
        late.check()
    late.check()


def test_ctrl_c_at_the_moment_of_a_call_is_raised_when_looked_at():
    """What C code notes just before Python is called, Python acts upon as soon as it is."""
    calls = []
    python = Callback(lambda: calls.append(1))
    interrupt = ctypes.cast(ctypes.pythonapi.PyErr_SetInterrupt, ctypes.c_void_p).value
    answers = np.zeros(2, np.int64)
    noted = bind(call_both, np.array([[interrupt, 0], python.cell]), answers)
    plain = bind(call_both, python.cell[None], answers[:1])
    for _ in range(3):
        noted()
        assert answers[1] == -1
        with pytest.raises(KeyboardInterrupt):
            python.check()
        plain()
        assert answers[0] == 0
        python.check()
    assert len(calls) == 3


def test_everything_is_compiled_at_once_if_that_is_asked_for(monkeypatch):
    monkeypatch.setattr(compilations, "ahead", True)
    late, *_ = late_stage(count_up)
    assert late.cell[1] != 0


def test_compiling_in_the_middle_of_a_run_is_announced(monkeypatch, capsys):
    monkeypatch.setattr(announcement, "SHORT", 0.0)
    monkeypatch.setattr(compilations, "silent", False)
    never_before = time.time_ns() % 10**9  # no cache has it
    late, _, caller, _ = late_stage(kernel(lambda numbers: never_before + len(numbers)))
    native.finish()
    capsys.readouterr()
    caller()
    assert late.cell[1] != 0
    assert "compiling 1 kernel of tests" in capsys.readouterr().err


def test_a_law_that_cannot_compile_its_rare_path_ends_the_run(monkeypatch):
    """Not the sweeps alone, which would go on without it."""
    sim = footfall.load("icub/standing")

    def fail(self):
        raise OSError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(LateStage, "compiled", fail)
        with pytest.raises((OSError, FootfallError), match="the disk is full"):
            sim.record(0.01)


def test_runs_of_a_batch_that_need_what_cannot_be_compiled_fail_with_the_reason(monkeypatch):
    batch = footfall.Batch("icub/standing", 4, threads=2)
    monkeypatch.setattr(LateStage, "compiled", lambda self: 1 / 0)
    batch.step()
    assert len(batch.failures) == 4
    assert all("ZeroDivisionError" in reason for reason in batch.failures.values())


def test_what_sweeps_leave_unsolved_is_solved_in_checked_mode():
    """A tower of mass ratio 1000 takes Newton's steps."""
    script = (
        "import numpy as np\n"
        "from footfall.testing.problems.cases import tower\n"
        "from footfall_coulomb.law import solve\n"
        "case = tower(2, 1000.0)\n"
        "r = solve(case.delassus, case.J @ case.v_free, case.mu).impulse\n"
        "print(*r.tolist())\n"
    )
    both = []
    for checked in "01":
        done = subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "FOOTFALL_CHECKED": checked},
            capture_output=True,
            text=True,
            check=True,
        )
        both.append(np.array(done.stdout.split(), float))
    np.testing.assert_allclose(*both, rtol=1e-6, atol=1e-9)
    assert both[0].max() > 0.0


def test_a_bound_kernel_and_a_stage_say_what_they_are_made_of():
    numbers = np.zeros(2, np.int64)
    bound = bind(call_it, numbers, like=(numbers,))
    binding = binding_of(bound)
    assert binding is bound.binding
    assert (binding.kernel, binding.fixed, binding.like) == (call_it, (numbers,), (numbers,))
    stage = stage_of(bound, cell_of(numbers))
    assert (stage.function, stage.called, stage.late) == (binding.address, binding, None)
    late = LateStage()
    assert late.stage.late is late
    assert binding_of(print) is stage_of(print) is None


def test_a_stage_waits_for_the_kernels_that_it_calls(monkeypatch):
    """Its own kernel is loaded; one that it calls is still compiled, and its address is 0."""
    outer, inner, told = native.Entry("outer", ""), native.Entry("inner", ""), []
    monkeypatch.setattr(native, "_load", lambda code, symbol: (int(code), 0))
    monkeypatch.setattr(native, "finish", lambda: inner.load(b"7"))
    outer.load(b"5")
    inner.tell(told.append)
    called = Stage(0, 0, Binding(None, inner, (), ()))
    stage = Stage(0, 0, CallingBinding(None, outer, (), (), [], (called,)))
    assert (stage.function, told) == (5, [7])
