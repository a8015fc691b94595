"""Each check of sensors fails one that is broken in its way, and passes a sound one."""

from typing import Any, NamedTuple

import numpy as np
from tests.cases import each

import footfall.testing
from footfall.interfaces.plugin import NoConfig
from footfall.interfaces.sensor import Sensor, Signal
from footfall.testing.check import subject_of

CHECKS = {check.name: check for check in footfall.testing.checks("sensor")}


class Reading(NamedTuple):
    """Views."""

    height: Any
    orientation: Any


class Sound(Sensor):
    """Height and orientation of the base."""

    name = "sound"

    def __init__(self, config: NoConfig) -> None:
        self.config = config

    def signals(self, body):
        return (
            Signal("height", ("z",), "m", "height of the base"),
            Signal("orientation", ("x", "y", "z", "w"), "1", "of the base", "quaternion"),
        )

    def bound(self, mount):
        at, quaternion = mount.columns["q"] + 2, mount.columns["q"] + 3

        def call(row):
            mount.out[0] = row[at]
            mount.out[1:] = row[quaternion : quaternion + 4]
            self.spoil(mount, row)

        return call

    def spoil(self, mount, row):
        """Do nothing."""

    def reading(self, body, values):
        return Reading(values[:1], values[1:])


def broken(**methods):
    """Return the sound sensor with other methods."""
    return type("Broken", (Sound,), {**methods, "__doc__": "Broken."})


def not_written(self, mount, row):
    mount.out[0] = np.nan


def long_quaternion(self, mount, row):
    mount.out[1:] *= 1.1


def writes_the_row(self, mount, row):
    row[0] = 0.0


def remembers(self, mount, row):
    self.sum = getattr(self, "sum", 0.0) + mount.out[0]
    mount.out[0] = self.sum


@each(
    ("methods", "check"),
    [
        ({"spoil": not_written}, "measurement"),
        ({"spoil": long_quaternion}, "measurement"),
        ({"spoil": writes_the_row}, "inputs"),
        ({"spoil": remembers}, "no_hidden_state"),
        ({"reading": lambda self, body, values: values}, "reading"),
        ({"reading": lambda self, b, x: Reading(x[1:2], x[1:])}, "reading"),
        ({"reading": lambda self, b, x: Reading(x[:1].copy(), x[1:])}, "reading"),
        ({"signals": lambda self, body: (Signal("a b", ("z",), "m", "height"),)}, "signals"),
        ({"signals": lambda self, body: 2 * (Signal("z", ("z",), "m", "height"),)}, "signals"),
    ],
)
def test_a_broken_sensor_fails_the_check_of_its_fault(methods, check):
    finding = CHECKS[check].examine(subject_of("sensor", broken(**methods)))
    assert not finding.passed


def test_a_sound_sensor_passes_all_checks():
    footfall.testing.assert_conforms("sensor", Sound)
