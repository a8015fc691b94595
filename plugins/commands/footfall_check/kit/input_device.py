"""The checks of input devices."""

from __future__ import annotations

import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from footfall.api.viewer import LiveDevice, Reading
from footfall.testing.check import Finding, NotApplicable, Subject, checks_of, within
from footfall.testing.declarations import declarations

QUICK = 1e-4
"""Longest median time of a ``read`` and of a ``feel``, [s]: a tenth of a step of 1 ms."""
TIMES = np.linspace(0.0, 2.0, 81)
VECTORS = ("position", "velocity", "force", "point")


@contextmanager
def opened(subject: Subject) -> Iterator[Any]:
    """Open a fresh device, and close it."""
    device = subject.make()
    device.open()
    try:
        yield device
    finally:
        device.close()


def opens_and_closes(subject: Subject) -> Finding:
    """Check that it opens and closes; closing it twice, or unopened, does no harm."""
    with opened(subject) as device:
        device.read(0.0)
    device.close()
    subject.make().close()
    return Finding(True, "open, read, close, close")


def opens_again(subject: Subject) -> Finding:
    """Check that it opens, reads and closes a second time, as in the scene's next run."""
    device = subject.make()
    for _ in range(2):
        device.open()
        device.read(0.0)
        device.close()
    return Finding(True, "twice")


def readings(subject: Subject) -> Finding:
    """Check that ``read`` returns None or a Reading of the right shapes."""
    with opened(subject) as device:
        for instant in TIMES:
            wrong = _wrong(device.read(float(instant)))
            if wrong:
                return Finding(False, f"t = {instant:g} s: {wrong}")
    return Finding(True, f"{len(TIMES)} readings")


def _wrong(reading: object) -> str | None:
    """Return the error in a reading's types and shapes; None if there is none."""
    if reading is None:
        return None
    if not isinstance(reading, Reading):
        return f"got {type(reading).__name__}, expected Reading or None"
    for name in VECTORS:
        value = getattr(reading, name)
        if (value is not None or name == "position") and np.shape(value) != (3,):
            return f"{name} has shape {np.shape(value)}, expected (3,)"
    if reading.rotation is not None and np.shape(reading.rotation) != (3, 3):
        return f"rotation has shape {np.shape(reading.rotation)}, expected (3, 3)"
    return None


def quick(subject: Subject) -> Finding:
    """Check that ``read`` and ``feel`` return at once when no user is connected."""
    seconds, force = [], np.array([1.0, 2.0, 3.0])
    with opened(subject) as device:
        for instant in np.tile(TIMES, 3):
            start = time.perf_counter()
            device.read(float(instant))
            device.feel(float(instant), force, force)
            seconds.append(time.perf_counter() - start)
    return within(f"median of {len(seconds)} [s]", float(np.median(seconds)), QUICK)


def inputs(subject: Subject) -> Finding:
    """Check that ``feel`` neither changes nor keeps its arrays: the simulator overwrites them."""
    force, moment = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    before, alive = [*force, *moment], [weakref.ref(force), weakref.ref(moment)]
    with opened(subject) as device:
        for _ in range(5):
            device.feel(0.0, force, moment)
            time.sleep(0.01)
        changed = [*force, *moment] != before
        del force, moment
        kept = sum(each() is not None for each in alive)
    return Finding(not changed and not kept, f"changed: {changed}, {kept} arrays still held")


def newest_wins(subject: Subject) -> Finding:
    """Check that a live device gives its newest reading, and None once the user has gone."""
    if not issubclass(subject.cls, LiveDevice):
        raise NotApplicable("is not a live device")
    first, second = (Reading(True, np.full(3, x)) for x in (1.0, 2.0))
    with opened(subject) as device:
        device.put(first)
        device.put(second)
        read = device.read(0.0)
        device.put(None)
        gone = device.read(0.001) is None
    found = read is not None and bool((read.position == second.position).all())
    return Finding(found and gone, f"the second of two: {found}; gone: {gone}")


CHECKS = checks_of(
    "input_device",
    declarations,
    opens_and_closes,
    opens_again,
    readings,
    quick,
    inputs,
    newest_wins,
)
