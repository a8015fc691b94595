"""Each check of input devices fails one that is broken in its way, and passes a sound one."""

import time

import numpy as np
from tests.cases import each

import footfall.testing
from footfall.interfaces.input_device import LiveDevice, Reading
from footfall.interfaces.plugin import NoConfig
from footfall.testing.check import subject_of

CHECKS = {check.name: check for check in footfall.testing.checks("input_device")}


class Sound(LiveDevice):
    """Hands on what it gets."""

    name = "sound"

    def __init__(self, config: NoConfig) -> None:
        self.newest = None

    def put(self, reading):
        self.newest = reading

    def read(self, time):
        return self.newest


class Undocumented(Sound):
    pass


Undocumented.__doc__ = ""


class ClosesOnce(Sound):
    """Broken."""

    def open(self):
        self.there = True

    def close(self):
        if not getattr(self, "there", False):
            raise RuntimeError("not open")
        self.there = False


class OpensOnce(Sound):
    """Broken."""

    opened = False

    def open(self):
        if self.opened:
            raise OSError("in use")
        self.opened = True


class Flat(Sound):
    """Broken."""

    def read(self, time):
        return Reading(True, np.zeros(2))


class Words(Sound):
    """Broken."""

    def read(self, time):
        return "here"


class Slow(Sound):
    """Broken."""

    def read(self, instant):
        time.sleep(1e-3)
        return self.newest


class Keeps(Sound):
    """Broken."""

    def feel(self, time, force, moment):
        self.kept = force


class Changes(Sound):
    """Broken."""

    def feel(self, time, force, moment):
        force *= -1.0


class Queues(Sound):
    """Broken."""

    def __init__(self, config: NoConfig) -> None:
        self.queue = []

    def put(self, reading):
        self.queue.append(reading)

    def read(self, time):
        return self.queue.pop(0) if self.queue else None


@each(
    ("device", "check"),
    [
        (Undocumented, "declarations"),
        (ClosesOnce, "opens_and_closes"),
        (OpensOnce, "opens_again"),
        (Flat, "readings"),
        (Words, "readings"),
        (Slow, "quick"),
        (Keeps, "inputs"),
        (Changes, "inputs"),
        (Queues, "newest_wins"),
    ],
)
def test_a_broken_device_is_found(device, check):
    finding = CHECKS[check].examine(subject_of("input_device", device))
    assert not finding.passed, finding.message
    assert CHECKS[check].examine(subject_of("input_device", Sound)).passed


def test_a_sound_device_conforms():
    footfall.testing.assert_conforms("input_device", Sound)
