"""Each check of controllers fails one that is broken in its way, and passes a sound one."""

import numpy as np
import pytest

import footfall.testing
from footfall.plugin import NoConfig
from footfall.roles.controller import Controller
from footfall.testing.subject import subject_of

CHECKS = {check.name: check for check in footfall.testing.checks("controller")}


class Sound(Controller):
    """A spring to the posture."""

    name = "sound"

    def __init__(self, config: NoConfig) -> None:
        self.config = config

    def setup(self, model, posture):
        self.first = model.nq - len(posture)
        self.posture = posture.copy()

    def command(self, observation, command):
        command.tau[:] = self.posture - observation.q[self.first :]


def after(spoil):
    """Return the sound controller, spoiled by ``spoil(self, observation, command)``."""

    def command(self, observation, command):
        Sound.command(self, observation, command)
        spoil(self, observation, command)

    return type("Broken", (Sound,), {"command": command, "__doc__": "Broken."})


@after
def negative_gain(self, observation, command):
    command.damping[:] = -1.0


@after
def mutates(self, observation, command):
    observation.v[:] = 0.0


@after
def random(self, observation, command):
    command.tau[:] += 1e-12 * np.random.default_rng().normal(size=3)


@after
def integral(self, observation, command):
    self.sum = getattr(self, "sum", 0.0) + command.tau
    command.tau[:] += 0.01 * self.sum


@after
def adds_to_the_last(self, observation, command):
    command.target_rate[:] += 0.1


class KeepsThePosture(Sound):
    """Broken: keeps the array that it was given."""

    def setup(self, model, posture):
        super().setup(model, posture)
        self.posture = posture


class FirstSetup(Sound):
    """Broken: only the first setup counts."""

    def setup(self, model, posture):
        if not hasattr(self, "posture"):
            super().setup(model, posture)


absurd = type("Broken", (Sound,), {"capabilities": {"force"}, "__doc__": "Broken."})
BROKEN = {
    "declarations": absurd,
    "finite": negative_gain,
    "inputs": KeepsThePosture,
    "deterministic": random,
    "no_hidden_state": integral,
    "set_up_again": FirstSetup,
}


def examine(name, controller):
    return CHECKS[name].examine(subject_of("controller", controller))


def test_every_check_has_a_controller_that_it_must_fail():
    assert set(BROKEN) == set(CHECKS)


@pytest.mark.parametrize("name", CHECKS)
def test_the_check_fails_the_controller_that_is_broken_in_its_way(name):
    finding = examine(name, BROKEN[name])
    assert not finding.passed, finding


def test_a_sound_controller_conforms():
    footfall.testing.assert_conforms("controller", Sound)


def test_changing_the_observation_is_seen():
    assert not examine("inputs", mutates).passed


def test_adding_to_the_last_command_is_seen():
    assert not examine("no_hidden_state", adds_to_the_last).passed
