"""Each check of actuators fails one that is broken in its way, and passes a sound one."""

import numpy as np
import pytest

import footfall.testing
from footfall.interfaces.actuator import Actuator
from footfall.interfaces.plugin import NoConfig, StatePart
from footfall.testing.check import subject_of

CHECKS = {check.name: check for check in footfall.testing.checks("actuator")}


class Sound(Actuator):
    """A first-order lag."""

    name = "sound"
    state_parts = (StatePart("torque", per="joint"),)

    def __init__(self, config: NoConfig) -> None:
        self.config = config

    def start(self, drive):
        drive.state["torque"][:] = 0.0

    def bound(self, drive):
        def call():
            a, torque = drive.arrays, drive.state["torque"]
            torque[:, 0] += 0.1 * (a.tau[a.dof] - torque[:, 0])
            a.tau[a.dof] = torque[:, 0]
            self.spoil(a)

        return call

    def spoil(self, a):
        """Do nothing."""


def broken(spoil):
    """Return the sound actuator, spoiled after each call."""
    return type("Broken", (Sound,), {"spoil": spoil, "__doc__": "Broken."})


def weak(self, a):
    a.tau[a.dof] *= 0.99


def pushes(self, a):
    a.tau[a.dof] += 0.01


def not_a_number(self, a):
    a.tau[a.dof[0]] = np.nan


def negative_gain(self, a):
    a.rate_gain[a.dof] = -1.0


def moves_the_joint(self, a):
    a.q[a.coordinate] += 1e-12


def drives_the_base(self, a):
    a.tau[0] = 1.0


def counts(self, a):
    self.calls = getattr(self, "calls", 0) + 1
    a.tau[a.dof] *= 1.0 - 0.1 / (1.0 + self.calls)


@pytest.mark.parametrize(
    ("spoil", "check"),
    [
        (weak, "steady_state"),
        (pushes, "no_push_at_rest"),
        (not_a_number, "finite"),
        (negative_gain, "finite"),
        (moves_the_joint, "inputs"),
        (drives_the_base, "inputs"),
        (counts, "no_hidden_state"),
    ],
)
def test_a_broken_actuator_fails_the_check_of_its_fault(spoil, check):
    finding = CHECKS[check].examine(subject_of("actuator", broken(spoil)))
    assert not finding.passed


def test_a_sound_actuator_passes_all_checks():
    footfall.testing.assert_conforms("actuator", Sound)
