"""Hands of the balancing controller: where they go, how hard they press, what they bear."""

import numpy as np
import pytest
from tests.plugins.balance_cases import TWO_FEET, balance, standing

import footfall
from footfall.spatial.pose import rotation_from_rpy
from footfall_controllers.balance.hands import HandSchedule, reaction
from footfall_controllers.balance.phase import HandGoal, Phase
from footfall_controllers.balance.schedule import Schedule, minimum_jerk

PALM = (-0.015, 0.0, -0.08)
"""Of the humanoid, in the frame of its hand, [m]."""
START = np.eye(4)
START[:3, 3] = 0.3, 0.2, 1.0
GOAL = HandGoal(
    at=(0.4, 0.1, 1.2),
    rpy=(0.4, -0.7, 1.1),
    press=(-20.0, 0.0, 5.0),
    press_at=(0.0, 0.02, -0.05),
    load=2.0,
    load_at=(0.0, 0.0, 0.1),
)
PHASES = (
    Phase(start=0.0, feet=TWO_FEET),
    Phase(start=1.0, feet=TWO_FEET, hands={"palm": GOAL}, transition=2.0),
    Phase(start=4.0, feet=TWO_FEET),
)
WHEN = Schedule(PHASES, TWO_FEET, [np.zeros(1)] * 3, load_time=0.2)
HAND = HandSchedule(PHASES, "palm", START)


def hand_at(time):
    return HAND.at(WHEN.progress(time))


def reaching(hands, **settings):
    """Return a humanoid that stands and moves its hands from 0.1 s on, for half a second."""
    phases = [
        *standing(TWO_FEET),
        {"start": 0.1, "feet": list(TWO_FEET), "hands": hands, "transition": 0.5},
    ]
    return balance(phases=phases, **settings)


def test_a_hand_goes_from_where_it_was_to_its_goal_and_back():
    for time in (0.5, 5.5):
        np.testing.assert_allclose(hand_at(time).place[0], START[:3, 3], atol=1e-12)
        np.testing.assert_allclose(hand_at(time).rotation, START[:3, :3], atol=1e-12)
    there = hand_at(3.5)
    np.testing.assert_allclose(there.place, [GOAL.at, np.zeros(3), np.zeros(3)], atol=1e-12)
    np.testing.assert_allclose(there.rotation, rotation_from_rpy(GOAL.rpy), atol=1e-12)
    np.testing.assert_allclose(there.press, GOAL.press)
    assert there.load == GOAL.load


def test_rates_of_a_hand_are_derivatives():
    """By central differences, to their order; the turn as the rotation from one to the next."""
    dt = 1e-4
    for time in np.linspace(1.1, 4.9, 30):
        before, now, after = (hand_at(time + k * dt) for k in (-1, 0, 1))
        for row in (0, 1):
            slope = (after.place[row] - before.place[row]) / (2 * dt)
            np.testing.assert_allclose(slope, now.place[row + 1], atol=1e-5)
        turned = (after.rotation @ before.rotation.T - np.eye(3)) / (2 * dt)
        rate = 0.5 * np.array(
            [turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]]
        )
        np.testing.assert_allclose(rate, now.turn[0], atol=1e-5)
        slope = (after.turn[0] - before.turn[0]) / (2 * dt)
        np.testing.assert_allclose(slope, now.turn[1], atol=1e-5)


def test_the_reaction_does_the_work_of_its_forces():
    """``nu . J' f`` is the power of force and moment at the hand, and the moments add up."""
    signals = footfall.load("humanoid/standing").signals("humanoid")
    frame = signals.frame("l_palm")
    hand = hand_at(2.2)
    back = reaction({"palm": hand}, {"palm": frame}, signals)
    weight = hand.load * (signals.gravity - hand.place[2])
    R, p = frame.pose[:3, :3], frame.pose[:3, 3]
    force = weight - R @ hand.press
    turn = np.cross(R @ hand.load_at, weight) - np.cross(R @ hand.press_at, R @ hand.press)
    nu = np.random.default_rng(0).normal(size=len(signals.nu))
    velocity = frame.jacobian @ nu
    np.testing.assert_allclose(back.generalized @ nu, velocity[:3] @ force + velocity[3:] @ turn)
    np.testing.assert_allclose(back.force, force)
    about = np.array([0.1, -0.2, 0.3])
    np.testing.assert_allclose(back.moment(about), turn + np.cross(p - about, force))


def test_hands_reach_their_places():
    """In the air, to 2 mm and 5 mrad: posture pulls at them with what weight it has."""
    goal, turned = [0.3, 0.25, 1.0], (0.0, -1.2, 0.0)
    sim = reaching({"l_palm": {"at": goal, "rpy": turned}})
    for _ in range(1500):
        sim.step()
    pose = sim.signals("humanoid").frame("l_palm").pose
    np.testing.assert_allclose(pose[:3, 3], goal, atol=2e-3)
    np.testing.assert_allclose(pose[:3, :3], rotation_from_rpy(turned), atol=5e-3)


@pytest.mark.long
def test_the_mass_centre_makes_way_for_what_hands_bear():
    """So far to the other side that it and a load of 3 kg are together over the feet."""
    sim = reaching({"l_palm": {"load": 3.0}})
    signals = sim.signals("humanoid")
    feet = np.mean([signals.feet[foot].pose[:2, 3] for foot in TWO_FEET], axis=0)
    middle = feet + np.array([0.035, 0.0])  # of the soles, before their frames
    before = signals.com[:2].copy()
    for k in range(3500):
        part, _, _ = minimum_jerk(min(max(k * sim.time_step - 0.1, 0.0), 0.5), 0.5)
        sim.push("l_hand", force=(0.0, 0.0, -3.0 * 9.81 * part), point=PALM)
        sim.step()
    hand = signals.frame("l_palm").pose[:2, 3]
    expected = middle - 3.0 / signals.mass * (hand - middle)
    assert np.linalg.norm(expected - middle) > 0.01
    assert np.linalg.norm(before - expected) > 0.01
    np.testing.assert_allclose(signals.com[:2], expected, atol=1e-3)


def test_a_hand_that_is_no_frame_is_named_with_its_key():
    with pytest.raises(footfall.FootfallError) as error:
        reaching({"l_plam": {}})
    for word in ("phases[1].hands", "no frame 'l_plam', did you mean 'l_palm'?"):
        assert word in str(error.value)
