"""Compiling is announced, wherever the output goes, and is not counted as a run's time."""

import os
import re
import subprocess
import sys
import time
from contextlib import suppress

import numpy as np

import footfall
from footfall.jit import native
from footfall.jit.announcement import Compilations, compilations
from footfall.jit.cache_folder import cache_root
from footfall.jit.compiling import kernel
from footfall_stepper.simulation.run import Run

SCRIPT = """
import footfall

footfall.load("cube/sliding")
"""


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


def test_kernels_are_counted_before_they_are_compiled_and_nothing_is_said_again(tmp_path):
    (line,) = said_by_a_process(tmp_path)
    told = re.fullmatch(
        r"compiling (\d+) kernels of footfall_coulomb, footfall_s\w+, footfall_s\w+, "
        r"about \d+ s",
        line,
    )
    kept = list(tmp_path.glob("*/*.o"))
    assert 5 < int(told[1]) <= len(kept)
    assert said_by_a_process(tmp_path) == []


def test_what_takes_no_time_is_not_announced(capsys):
    with Compilations().announced(["footfall.small"], 0.1):
        pass
    assert capsys.readouterr().err == ""


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
    with told.announced(["law.outer", "law.inner"], 3.0):
        told.now("law.outer")
    with suppress(ZeroDivisionError), told.announced(["law.broken"], 1.0):
        told.now("law.broken")
        print(1 / 0)
    shown = "".join(screen)
    assert "compiling 2 kernels of law, about 3 s" in shown
    assert "compiling 1 kernel of law, about 1 s" in shown
    assert "kernel 1 of 2: law.outer" in shown
    assert "kernel 1 of 1: law.broken" in shown
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
            with compilations.announced(["a kernel"], 0.5):
                time.sleep(0.5)
        return make(self, n)

    monkeypatch.setattr(Run, "make", compile_and_make)
    before = compilations.seconds
    report = sim.record(0.2)
    assert compilations.seconds - before >= 0.5
    assert report.wall < 0.45
    assert report.steps == 200
