"""Shared by all tests: skips that fail in CI, a part of the tests, one browser at a time."""

import fcntl
import os
import re
import signal
import time
import zlib

import pytest

from footfall.jit.announcement import compilations

MISSING = re.compile(r"could not import|install", re.IGNORECASE)
"""What a skip says when a package, an extra or a program is missing."""

STARTED = pytest.StashKey[float]()
"""When the tests began, for their time box."""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what runs in the background so, and tests interrupt processes of their own.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser):
    parser.addoption("--part", metavar="K/N", help="run the K-th of N parts of the tests")
    parser.addoption("--time-box", type=float, metavar="SECONDS", help="skip what is left then")


def pytest_configure(config):
    config.stash[STARTED] = time.monotonic()
    compilations.told = True  # tests read what is said on stderr


def pytest_collection_modifyitems(config, items):
    """Keep the tests of a part: names decide which, so that a test stays in its part."""
    if part := config.getoption("--part"):
        number, parts = map(int, part.split("/"))
        by_choice = {True: [], False: []}
        for item in items:
            chosen = zlib.crc32(item.nodeid.encode()) % parts == number % parts
            by_choice[chosen].append(item)
        config.hook.pytest_deselected(items=by_choice[False])
        items[:] = by_choice[True]


def pytest_runtest_setup(item):
    box = item.config.getoption("--time-box")
    if box and time.monotonic() - item.config.stash[STARTED] > box:
        pytest.skip("the time box is over")


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
    report = yield
    _fail_in_ci(report)
    return report


@pytest.fixture(autouse=True)
def _one_browser_at_a_time(request):
    """Let no two workers draw at once: each browser draws in software and takes all there is."""
    if not request.node.get_closest_marker("browser"):
        yield
        return
    shared = request.getfixturevalue("tmp_path_factory").getbasetemp().parent
    with (shared / "browser.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
