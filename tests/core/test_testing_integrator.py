"""Each check of integrators fails one that is broken in its way, and passes a sound one."""

import numpy as np
import pytest

import footfall.testing
from footfall.interfaces.integrator import OneStep
from footfall.interfaces.plugin import NoConfig
from footfall.testing.check import subject_of
from footfall_check.kit.integrator import START, spinning_body
from footfall_standard.integrator import SemiImplicitEuler

CHECKS = {check.name: check for check in footfall.testing.checks("integrator")}


class Sound(SemiImplicitEuler):
    """Semi-implicit Euler."""

    name = "sound"


class Absurd(Sound):
    """Broken."""

    order = 0


class Better(Sound):
    """Broken: promises more than it does."""

    order = 3


class Undecided(OneStep):
    """Broken: another weight at each look."""

    name = "undecided"

    def __init__(self, config: NoConfig) -> None:
        self.looks = 0

    @property
    def theta(self):
        self.looks += 1
        return 0.5 if self.looks % 2 else 1.0


class Overshooting(Sound):
    """Broken."""

    theta = 1.5


class Infinite(Sound):
    """Broken."""

    theta = np.nan


class Random(Sound):
    """Broken."""

    @property
    def theta(self):
        return float(np.random.default_rng().uniform(0.4, 0.6))


BROKEN = {
    "declarations": Absurd,
    "weight": Overshooting,
    "order": Better,
    "free_fall": Infinite,
    "rest": Infinite,
    "restore": Random,
}


def examine(name, integrator):
    return CHECKS[name].examine(subject_of("integrator", integrator))


def test_every_check_has_an_integrator_that_it_must_fail():
    assert set(BROKEN) == set(CHECKS)


@pytest.mark.parametrize("name", CHECKS)
def test_the_check_fails_the_integrator_that_is_broken_in_its_way(name):
    finding = examine(name, BROKEN[name])
    assert not finding.passed, finding


@pytest.mark.parametrize("name", CHECKS)
def test_the_check_passes_a_sound_integrator(name):
    finding = examine(name, Sound)
    assert finding.passed, finding


def test_a_weight_that_changes_is_refused():
    assert not examine("weight", Undecided).passed


def test_the_reference_motion_is_converged():
    """Halving its step changes it by less than a millionth of the errors it is compared with."""
    difference = spinning_body(0.1, steps=400) - spinning_body(0.1, steps=200)
    assert np.abs(difference).max() < 1e-9


def test_the_reference_motion_keeps_the_angular_momentum():
    from footfall_check.kit.integrator import INERTIA

    end = spinning_body(0.1)
    R, omega = end[3:12].reshape(3, 3), end[15:]
    before = START.rotation @ INERTIA @ START.angular
    np.testing.assert_allclose(R @ INERTIA @ R.T @ omega, before, atol=1e-10)
