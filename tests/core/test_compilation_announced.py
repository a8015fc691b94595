"""Compiling is announced, wherever the output goes, and is not counted as a run's time."""

import os
import re
import subprocess
import sys
import time

import numpy as np
import pytest

import footfall
from footfall.jit import native
from footfall.jit.announcement import Compilations, compilations
from footfall.jit.cache_folder import cache_root
from footfall.jit.compiling import inner, kernel
from footfall_stepper.simulation.run import Run

SCRIPT = """
import numpy as np
from tests.core.test_compilation_announced import twice, twice_again

twice(np.ones(1))
twice_again(np.ones(1))
"""


@inner
def double(x):
    return 2.0 * x


@kernel
def twice(a):
    a[0] = double(a[0])


@kernel
def twice_again(a):
    a[0] = double(a[0])


@kernel
def total(a):
    return a[0] + a[1]


@kernel
def outermost(a):
    return 2.0 * total(a)


def said_by_a_process(cache):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=os.environ | {"FOOTFALL_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr.splitlines()


def test_compiling_is_said_in_one_line_without_a_terminal_and_not_again(tmp_path):
    (line,) = said_by_a_process(tmp_path)
    assert re.fullmatch(r"compiling kernels, once on this machine, usually \d+ to \d+ s", line)
    assert said_by_a_process(tmp_path) == []


class Terminal(list):
    def write(self, text):
        self.append(text)

    def flush(self):
        pass

    def isatty(self):
        return True


def test_a_terminal_shows_which_kernel_is_compiled_and_is_cleared(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    told = Compilations()
    with told.announced("outer"):
        pass
    with pytest.raises(ZeroDivisionError), told.announced("broken"):
        print(1 / 0)
    shown = "".join(screen)
    assert shown.count("compiling kernels") == 1
    assert "kernel 1: outer" in shown
    assert "kernel 2: broken" in shown
    assert shown.endswith("\r\x1b[2K")


def test_a_kernel_that_calls_a_kernel_is_one(tmp_path, monkeypatch):
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path))
    for known in (cache_root, native.cache_folder):
        known.cache_clear()
    before = compilations.kernels
    assert outermost(np.ones(2)) == 4.0
    assert compilations.kernels == before + 1
    for known in (cache_root, native.cache_folder):
        known.cache_clear()


def test_a_run_does_not_count_what_is_compiled_meanwhile(monkeypatch):
    sim = footfall.load("cube/drop", {"simulation.duration": 0.2})
    make = Run.make

    def compile_and_make(self, n):
        if self.sim.state.tick == 0:
            with compilations.announced("a kernel"):
                time.sleep(1.0)
        return make(self, n)

    monkeypatch.setattr(Run, "make", compile_and_make)
    before = compilations.seconds
    report = sim.record(0.2)
    assert compilations.seconds - before >= 1.0
    assert report.wall < 0.9
    assert report.steps == 200
