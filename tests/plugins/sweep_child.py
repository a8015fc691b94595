"""A program that goes on with a sweep and is killed while it stores runs and writes results.

Run as ``python -m tests.plugins.sweep_child FOLDER KILLS SEED`` from the top of the repository. The
sweep's runs are made up, so that what takes time is the writing. Nothing is written, or read, by
the process that kills, because a process that has used Zarr cannot be forked.
"""

import os
import random
import signal
import sys
import time
import traceback
from pathlib import Path

import numpy as np
import xarray as xr

from footfall_sweep.dataset import write_results
from footfall_sweep.grid import make_grid
from footfall_sweep.store import NEW, OLD, RESULTS, STORE, Store
from footfall_sweep.sweep import carry_out, make_plan
from footfall_sweep.task import FIGURES, Outcome
from footfall_sweep.workers import Workers

RUNS, LONGEST = 6, 0.6
"""Of the sweep; and the latest kill after runs have been stored, [s]."""


class MakesUp(Workers):
    """Nobody does runs; what is missing at the end is a mistake."""

    def begin(self, brief, samples):
        raise AssertionError("all runs are stored")

    def submit(self, brief, number, values):
        raise AssertionError

    def __exit__(self, *error):
        pass


def outcomes(k):
    """Return outcomes of all runs that hold a number."""
    return [Outcome(n, "complete", figures=dict.fromkeys(FIGURES, k)) for n in range(RUNS)]


def write_for_ever(plan, folder, k):
    """Store other runs and write results, over and over until killed."""
    with Store(folder, plan.identity) as store:
        while True:
            store.add(outcomes(k))
            write_results(plan.grid, plan.brief, store)
            k += 1


def check(plan, folder):
    """Go on with the sweep as the same command does, and see that its results are the stored."""
    with Store(folder, plan.identity) as store:
        carry_out(plan, store, MakesUp(), progress=False)
        stored = store.figure(FIGURES[0], RUNS)
    results = xr.open_zarr(folder / RESULTS, chunks=None)
    assert (results.ending == 1).all()
    assert np.array_equal(results[FIGURES[0]], stored)
    assert stored.min() == stored.max()
    assert not (folder / NEW).exists()


def until_stored(folder, times):
    """Wait until something has been stored so many times."""
    ended, stamp = time.monotonic() + 60.0, (folder / STORE).stat().st_mtime_ns
    while times:
        assert time.monotonic() < ended, "nothing is stored"
        time.sleep(0.002)
        now = (folder / STORE).stat().st_mtime_ns
        times, stamp = times - (now != stamp), now


def stop_while_written(child, folder):
    """Stop a writer at a moment at which new results are there and not yet in their place."""
    ended = time.monotonic() + 60.0
    while True:
        assert time.monotonic() < ended, "nothing is written"
        os.kill(child, signal.SIGSTOP)
        os.waitpid(child, os.WUNTRACED)
        if (folder / NEW).exists():
            return
        os.kill(child, signal.SIGCONT)
        time.sleep(0.002)


def in_a_child(action, *arguments):
    """Fork a child that does something and ends; return its process."""
    child = os.fork()
    if child == 0:
        try:
            action(*arguments)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return child


def killed(plan, folder, kills, seed):
    """Kill as many writers; return in how many cases no results, or unfinished ones, were there."""
    rng, unfinished = random.Random(seed), 0
    for i in range(kills):
        child = in_a_child(write_for_ever, plan, folder, 1000 * (i + 1))
        until_stored(folder, rng.randint(1, 2))
        time.sleep(rng.uniform(0.0, LONGEST))
        if i % 3 == 0:
            stop_while_written(child, folder)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        unfinished += (
            any((folder / n).exists() for n in (NEW, OLD)) or not (folder / RESULTS).exists()
        )
        if os.waitpid(in_a_child(check, plan, folder), 0)[1]:
            raise SystemExit(f"kill {i} of seed {seed}: the sweep cannot go on")
    return unfinished


def begin(plan, folder):
    """Store the runs and write results for the first time."""
    with Store(folder, plan.identity) as store:
        store.add(outcomes(0))
        write_results(plan.grid, plan.brief, store)


def main(folder, kills, seed):
    """Kill, and print how many kills there were and how many hit the writing of results."""
    grid = make_grid({"seed": range(RUNS)}.items())
    plan = make_plan("cube/sliding", grid, {}, "summary", folder)
    assert os.waitpid(in_a_child(begin, plan, folder), 0)[1] == 0
    print(kills, killed(plan, folder, kills, seed))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
