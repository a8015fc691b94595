"""Shared by all tests: skips that are failures in continuous integration; one browser at a time."""

import fcntl
import os
import re
import signal

import pytest

MISSING = re.compile(r"could not import|install", re.IGNORECASE)
"""What a skip says when a package, an extra or a program is missing."""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what runs in the background so, and tests interrupt processes of their own.
    signal.signal(signal.SIGINT, signal.default_int_handler)


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
