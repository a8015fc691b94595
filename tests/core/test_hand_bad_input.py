"""What a device says that makes no sense is let go of and logged, and the run goes on."""

import logging

import numpy as np
import pytest
from tests.physics.hand_scenes import at, light_box, teach

import footfall
from footfall.errors import SimulationError
from footfall.interfaces.input_device import Reading

NAN = np.array([np.nan, 0.0, 1.0])
WHERE = [0.05, 0.0, 1.0]
GOOD = at(WHERE)


def shown(sim, caplog):
    """Return the hand's status and the warnings, after a few steps that must be finite."""
    for _ in range(5):
        sim.step()
    assert np.isfinite(sim.q).all()
    warnings = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
    return sim.hands["right"].status, warnings


@pytest.mark.parametrize(
    ("bad", "expected"),
    [
        (at(NAN), "position is not finite"),
        (at([np.inf, 0, 1]), "position is not finite"),
        (at(WHERE, velocity=NAN), "velocity is not finite"),
        (at(WHERE, force=NAN), "force is not finite"),
        (at(WHERE, point=NAN), "point is not finite"),
        (at([0.0, 1.0]), "position has shape (2,)"),
        (Reading(True, "here"), "position must be numbers"),
        (at(WHERE, rotation=2.0 * np.eye(3)), "rotation must be a rotation matrix"),
        (at(WHERE, rotation=-np.eye(3)), "rotation must be a rotation matrix"),
        (at(WHERE, mode="poke"), "mode is 'poke'"),
        ("hello", "expected a Reading, got str"),
        (at([1.2, 0.0, 1.0]), "moved by 1.15 m from one reading to the next, allowed are 1 m"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bad_reading_lets_go_and_is_logged_once(caplog, bad, expected):
    sim = light_box({"stiffness": 300.0})
    says = [GOOD]
    teach(sim, lambda t: says[0])
    status, warnings = shown(sim, caplog)
    assert status.held == "box/object"
    assert not warnings
    says[0] = bad
    status, warnings = shown(sim, caplog)
    assert status.held is None
    assert not status.force.any()
    assert len(warnings) == 1
    assert expected in warnings[0]
    assert "hand right: lets go of box/object: " in warnings[0]
    assert expected in status.problem
    # It holds again once it has opened and closed, not before.
    says[0] = GOOD
    assert shown(sim, caplog)[0].held is None
    says[0] = Reading(False, np.array(WHERE))
    shown(sim, caplog)
    says[0] = GOOD
    status, warnings = shown(sim, caplog)
    assert status.held == "box/object"
    assert len(warnings) == 1
    assert status.problem == ""


def test_a_slow_walk_of_more_than_a_metre_is_no_jump(caplog):
    sim = light_box({"stiffness": 300.0})
    teach(sim, lambda t: at([2.0 * t, 0.0, 1.0]))
    for _ in range(1000):
        sim.step()
    assert sim.hands["right"].status.held == "box/object"
    assert sim.q[0] > 1.8


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        (at(WHERE, link="objct"), "did you mean 'object'"),
        (at(WHERE, link="bax/object"), "did you mean 'box'"),
        (at(WHERE, link=""), "has no link ''"),
        (at(WHERE, link=7), "link must be text"),
    ],
    ids=str,
)
def test_an_unknown_link_is_not_held(caplog, reading, expected):
    sim = light_box({})
    teach(sim, lambda t: reading)
    status, warnings = shown(sim, caplog)
    assert status.held is None
    assert len(warnings) == 1
    assert expected in warnings[0]


def test_a_link_that_cannot_move_is_not_held(caplog):
    sim = footfall.load("pendulum/swing", {"hands.right.device.plugin": "mouse"})
    fixed = sim.world.bodies[0].model.link_names[0]
    teach(sim, lambda t: at(WHERE, link=fixed))
    status, warnings = shown(sim, caplog)
    assert status.held is None
    assert len(warnings) == 1
    assert "cannot move" in warnings[0]


@pytest.mark.parametrize("mode", ["drag", "touch"])
def test_a_device_that_goes_away_while_it_holds_lets_go(caplog, mode):
    caplog.set_level(logging.INFO)
    sim = light_box({"mode": mode})
    says = [at([0.055, 0.0, 1.0])]
    device = teach(sim, lambda t: says[0])
    assert shown(sim, caplog)[0].held == "box/object"
    says[0] = None
    status, _ = shown(sim, caplog)
    assert status.held is None
    assert "gone away" in caplog.text
    assert not device.felt[-1][1].any()
    assert sim.stepper.pull is None
    says[0] = at([0.05, 0.0, 1.0])
    assert shown(sim, caplog)[0].mode == mode


@pytest.mark.parametrize("how", ["read", "feel"])
def test_a_device_that_fails_is_left_and_the_run_goes_on(caplog, how):
    sim = light_box({"stiffness": 300.0})
    device = teach(sim, lambda t: GOOD)
    assert shown(sim, caplog)[0].held == "box/object"

    def fail(*given):
        raise OSError("cable pulled")

    whole = device.feel
    device.say, device.feel = (fail, whole) if how == "read" else (device.say, fail)
    status, warnings = shown(sim, caplog)
    assert status.held is None
    assert "its device has failed: OSError: cable pulled" in warnings[0]
    assert len(warnings) == 1  # of five steps in which it failed
    device.say, device.feel = (lambda t: GOOD), whole
    assert shown(sim, caplog)[0].held is None
    device.say = lambda t: Reading(False, np.array(WHERE))
    shown(sim, caplog)
    device.say = lambda t: GOOD
    assert shown(sim, caplog)[0].held == "box/object"


def test_hands_need_time_stepping():
    scene = {"hands.right.device.plugin": "mouse"}
    with pytest.raises(footfall.errors.SceneError, match=r"hands\.right: needs time stepping"):
        footfall.load("disc/rolling", scene)


def test_an_unknown_hand_is_refused_with_the_nearest():
    with pytest.raises(SimulationError, match="did you mean 'right'"):
        light_box({}).hands["rihgt"]


def test_modes_may_change_while_it_is_closed():
    sim = light_box({"stiffness": 300.0})
    says = [at(WHERE)]
    teach(sim, lambda t: says[0])
    sim.step()
    assert sim.hands["right"].status.mode == "drag"
    middle = sim.q[:3].copy()
    says[0] = at([middle[0] - 0.055, 0.0, middle[2]], mode="touch", velocity=np.zeros(3))
    sim.step()
    status = sim.hands["right"].status
    assert (status.mode, status.held) == ("touch", "box/object")
    assert status.force[0] > 0.0
