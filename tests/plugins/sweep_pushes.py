"""Pushes of a sweep's scenes; alone in a file, so that worker processes find it quickly."""

import os
import signal
from pathlib import Path


def steady(time):
    """Return force and moment, [N], [N m]."""
    return 1.0, 0.0, 0.0, 0.0, 0.0, 0.0


def deadly(time):
    """End the process that simulates."""
    os.kill(os.getpid(), signal.SIGKILL)


def deadly_once(time):
    """End the process that simulates, the first time that it comes to it."""
    mark = Path(os.environ["FOOTFALL_TEST_MARK"])
    if not mark.exists():
        mark.touch()
        deadly(time)
    return 1.0, 0.0, 0.0, 0.0, 0.0, 0.0


def faulty(time):
    """Fail after a while."""
    if time > 0.005:
        raise ValueError("no more force")
    return 1.0, 0.0, 0.0, 0.0, 0.0, 0.0
