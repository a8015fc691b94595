"""Each check of controllers fails one that is broken in its way, and passes a sound one."""

import numpy as np
import pytest

import footfall.testing
from footfall.errors import PluginError
from footfall.interfaces.controller import Controller
from footfall.interfaces.plugin import NoConfig, PluginConfig, StatePart
from footfall.testing.check import subject_of
from footfall_check.kit.stage import chain_model, chain_signals
from footfall_standard.controller import Posture

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


class Momentum(Sound):
    """Drives against the momentum of the body, by its signals."""

    def command(self, observation, command):
        signals, n = observation.signals, len(self.posture)
        inertia = signals.mass_matrix + signals.motor_inertia
        foot = signals.feet["foot"]
        force = signals.bias_force + signals.centroidal_map.T @ signals.centroidal_momentum
        force += foot.jacobian.T @ (foot.jdot_nu + foot.velocity)
        command.tau[:] = (force + inertia @ signals.nu)[-n:]
        command.target[:] = signals.joint_positions + signals.contact_flags.sum()


def test_a_controller_may_use_signals():
    footfall.testing.assert_conforms("controller", Momentum)


def test_the_signals_of_the_kit_are_those_of_its_chain():
    """``h`` is what holds the chain without acceleration: virtual work against a difference."""
    model = chain_model("floating")
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=model.nq), np.zeros(model.nv)
    q[3:7] /= np.linalg.norm(q[3:7])
    signals = chain_signals(model, q, v)
    weight = signals.mass * signals.gravity
    np.testing.assert_allclose(signals.bias_force[:3], -weight, atol=1e-12)
    moved = q.copy()
    moved[7] += 1e-6
    rise = (chain_signals(model, moved, v).com - signals.com) / 1e-6
    assert signals.bias_force[6] == pytest.approx(-weight @ rise, abs=1e-5)


class Integral(Sound):
    """Keeps an integral where it belongs."""

    state_parts = (StatePart("sum", "joint"),)

    def command(self, observation, command):
        total = observation.state["sum"][:, 0]
        super().command(observation, command)
        total += command.tau
        command.tau[:] += 0.01 * total


def test_a_controller_may_keep_what_it_declares():
    footfall.testing.assert_conforms("controller", Integral)


class RateConfig(PluginConfig):
    """Has a key that is every controller's."""

    rate: float = 100.0
    """Of what, [Hz]."""


def test_a_setting_may_not_hide_the_pace():
    broken = type("Broken", (Sound,), {"Config": RateConfig, "__doc__": "Broken."})
    finding = examine("declarations", broken)
    assert not finding.passed
    assert "Config.rate" in str(finding)


def test_changing_the_observation_is_seen():
    assert not examine("inputs", mutates).passed


def test_adding_to_the_last_command_is_seen():
    assert not examine("no_hidden_state", adds_to_the_last).passed


class Counts(Posture):
    """Broken: stiffer from command to command."""

    def setup(self, model, posture):
        super().setup(model, posture)
        self.asked = 0

    def command(self, observation, command):
        super().command(observation, command)
        self.asked += 1
        command.stiffness[:] += self.asked


class Pushes(Posture):
    """Broken: moves the robot itself."""

    def command(self, observation, command):
        super().command(observation, command)
        observation.v[:] += 1.0


def test_a_controller_conforms_on_a_scene_with_the_scenes_settings():
    subject = subject_of("controller", "posture", scene="humanoid/standing")
    assert subject.config.stiffness["*_knee"] == 3000.0
    footfall.testing.assert_conforms("controller", "posture", scene="humanoid/standing")


@pytest.mark.parametrize(("name", "broken"), [("no_hidden_state", Counts), ("inputs", Pushes)])
def test_a_controller_that_is_broken_fails_on_a_scene(name, broken):
    subject = subject_of("controller", broken, scene="humanoid/standing")
    assert not CHECKS[name].examine(subject).passed


def test_a_scene_must_have_the_controller_and_only_controllers_have_scenes():
    with pytest.raises(PluginError, match="nothing in cube/drop is driven by the controller 'pos"):
        subject_of("controller", "posture", scene="cube/drop")
    with pytest.raises(PluginError, match="only controllers take one here"):
        subject_of("contact", "coulomb", scene="cube/drop")
