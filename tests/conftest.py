"""Shared by all tests: skips that fail in CI, a part of the tests, their order, one browser."""

import gc
import os
import re
import signal
import sys
import time
import zlib
from functools import cache

import pytest

from footfall.jit.announcement import compilations

MISSING = re.compile(r"could not import|install", re.IGNORECASE)
"""What a skip says when a package, an extra or a program is missing."""

STARTED = pytest.StashKey[float]()
"""When the tests began, for their time box."""
COMPILED = pytest.StashKey[int]()
"""How many kernels had been compiled when last all there was was said to stay."""
SEARCHED = 8
"""Kernels that are compiled from one such time to the next."""

OTHER_END = os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] in "13579"
"""Whether this process reads the files of tests from the last to the first."""
DRAWS = "pytest.mark.browser"
"""Stands in a file that has tests that draw."""
LONGEST = (
    *("plugins/test_meshcat_page_controls.py", "plugins/test_conformance.py"),
    *("meta/test_docs_code.py", "robots/test_scenes_run.py", "plugins/test_sweep.py"),
    *("plugins/test_gradients.py", "robots/test_imported_gaits.py", "robots/test_engines_agree.py"),
    *("robots/test_imported_robots.py", "core/test_kernels_checked.py", "fuzz/test_bad_input.py"),
    *("meta/test_new_plugin.py", "meta/test_wheel.py", "physics/test_validation.py"),
    *("physics/test_trotting.py", "core/test_kernels_local_solve.py", "physics/test_stack.py"),
    *("robots/test_balancing.py", "meta/test_template_plugin.py", "plugins/test_restitution.py"),
    *("plugins/test_coulomb_recorded.py", "plugins/test_batch.py", "plugins/test_law_inputs.py"),
)
"""Files begun first, so that none is left to one worker at the end; one of those that draw."""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what runs in the background so, and tests interrupt processes of their own.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def no_thread(monkeypatch):
    """Have the system start no further thread."""

    def refuse(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading.Thread.start", refuse)


def pytest_addoption(parser):
    parser.addoption("--part", metavar="K/N", help="run the K-th of N parts of the tests")
    parser.addoption("--time-box", type=float, metavar="SECONDS", help="skip what is left then")


def pytest_configure(config):
    config.stash[STARTED] = time.monotonic()
    config.option.maxworkerrestart = "0"  # one begun anew is lost to a scheduler by files
    config.option.loadscopereorder = False  # by the number of tests, which says little
    # Each process that tests start would compile every module anew.
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    # Workers inherit it: on cores that are taken, threads of BLAS mostly wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    compilations.silent = True  # tests read stderr
    gc.set_threshold(200_000, 20, 100)  # searches took a fortieth of the time


def pytest_collection_modifyitems(config, items):
    """Begin with the longest files; keep a part: names decide, so that a test stays in its part."""
    turns = {config.rootpath / "tests" / file: turn for turn, file in enumerate(LONGEST)}
    items.sort(key=lambda item: (turns.get(item.path, len(turns)), item.path))
    if part := config.getoption("--part"):
        number, parts = map(int, part.split("/"))
        by_choice = {True: [], False: []}
        for item in items:
            chosen = zlib.crc32(item.nodeid.encode()) % parts == number % parts
            by_choice[chosen].append(item)
        config.hook.pytest_deselected(items=by_choice[False])
        items[:] = by_choice[True]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give all files that draw to one worker: a browser draws in software, with all there is."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = super()._split_scope(nodeid)
            return "browser" if _draws(config.rootpath / file) else file

        def remove_node(self, node):
            """Return the test that crashed a worker; what it had left is for the others."""
            units = self.assigned_work[node].values()
            left = ((unit, test) for unit in units for test, done in unit.items() if not done)
            unit, crashed = next(left, ({}, None))
            unit[crashed] = True
            super().remove_node(node)
            return crashed

    return Scheduling(config, log)


@cache
def _draws(file):
    """Whether a file has tests that draw."""
    return DRAWS in file.read_text(encoding="utf-8")


def pytest_runtest_setup(item):
    box = item.config.getoption("--time-box")
    if box and time.monotonic() - item.config.stash[STARTED] > box:
        pytest.skip("the time box is over")


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item, nextitem):
    """End a browser that is not needed next; spare searches for garbage what stays for good."""
    drawing = sys.modules.get("tests.browser")  # this file is also tried where there is no other
    if drawing and (nextitem is None or not _draws(nextitem.path)):
        drawing.end_browser()
    if compilations.kernels - item.config.stash.get(COMPILED, -SEARCHED) >= SEARCHED:
        item.config.stash[COMPILED] = compilations.kernels
        gc.collect(1)
        gc.freeze()


def _missing(report):
    """Return the reason if a report is a skip for something that is not installed."""
    if not report.skipped or hasattr(report, "wasxfail") or not isinstance(report.longrepr, tuple):
        return None
    reason = str(report.longrepr[-1])
    return reason if MISSING.search(reason) else None


def _fail_in_ci(report):
    reason = _missing(report)
    if reason and os.environ.get("CI"):
        report.outcome = "failed"
        report.longrepr = f"{reason}\nmust not be skipped where CI is set"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    _fail_in_ci(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Every other worker begins at the other end: what one has compiled, the next one reads."""
    report = yield
    _fail_in_ci(report)
    if isinstance(collector, pytest.Dir) and OTHER_END:
        report.result.reverse()
    return report
