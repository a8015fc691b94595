"""A hand follows a device that gives positions in jumps: smoothly, and from the same step on."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.benchmarks.hand_jumps import RATES, measure
from tests.cases import first
from tests.physics.hand_scenes import DT, Told, at, light_box, teach

import footfall
from footfall_hands.hand_memory import FIRST, PAUSE, SHARE

JUMP = 0.1
BEGIN = 0.02


def jumping(t):
    """Jump once, soon enough to leave the estimate of the device's pace as it is."""
    return at([JUMP if t >= BEGIN - 1e-9 else 0.0, 0.0, 1.0])


def slow(rate, place):
    """Say where the hand is so many times a second."""
    return lambda t: at([place(np.floor(t * rate + 1e-9) / rate), 0.0, 1.0])


@pytest.mark.parametrize("step", [1e-3, 4e-3])
def test_a_jump_is_followed_critically_damped_at_any_time_step(step):
    follow_time = 0.05
    sim = light_box({"stiffness": 300.0, "follow_time": follow_time}, mass=2.0, step=step)
    teach(sim, jumping)
    run = sim.run(0.4)
    after = np.maximum(run.time.values + step - BEGIN, 0.0) / follow_time  # at the end of steps
    expected = JUMP * (1.0 - (1.0 + after) * np.exp(-after))
    speed = JUMP / follow_time * after * np.exp(-after)
    np.testing.assert_allclose(run.hand_target.values[:, 0, 0], expected, atol=1e-12)
    np.testing.assert_allclose(run.hand_target_velocity.values[:, 0, 0], speed, atol=1e-12)


def test_the_force_begins_to_change_in_the_step_of_the_reading():
    sim = light_box({"stiffness": 300.0}, mass=2.0)
    teach(sim, jumping)
    run = sim.run(0.03)
    force, first = run.hand_force.values[:, 0, 0], round(BEGIN / DT)
    np.testing.assert_allclose(force[:first], 0.0, atol=1e-12)
    assert force[first] > 1.0


def test_the_force_has_no_jumps():
    def largest_change(step, **hand):
        sim = light_box({"stiffness": 300.0, "force_limit": 1e3, **hand}, mass=2.0, step=step)
        teach(sim, slow(10.0, lambda t: 0.2 * t))
        return np.abs(np.diff(sim.run(0.6).hand_force.values[:, 0, 0])).max()

    # What is continuous changes by as much less as the step is shorter; a blow does not.
    # Its slope is that of the damper, which itself changes a little over a step.
    assert largest_change(1e-3) / largest_change(2.5e-4) == pytest.approx(4.0, rel=0.1)
    blow = {"follow_time": 0.0, "velocity_filter": 0.0}
    assert largest_change(1e-3, **blow) < 2.0 * largest_change(2.5e-4, **blow)


@pytest.mark.parametrize("rate", first(*RATES))
def test_a_slow_device_gives_no_peaks_of_the_force(rate):
    smooth, followed, blows = measure(None), measure(rate), measure(rate, follow_time=0.0)
    assert followed.most < 4.0 * smooth.most
    assert followed.most < 0.5 * blows.most
    assert followed.jump < 0.15 * blows.jump
    # One interval behind the device, which itself is late by up to one; or two time constants.
    assert followed.delay < max(2.0 / rate, 1.0 / rate + 0.02) + 2.0 * DT


def test_steady_motion_is_followed_one_interval_behind():
    rate, speed = 20.0, 0.3
    sim = light_box({"stiffness": 300.0}, mass=2.0)
    teach(sim, slow(rate, lambda t: speed * t))
    run = sim.run(2.0)
    said = speed * np.floor(run.time.values * rate + 1e-9) / rate
    late = (said - run.hand_target.values[:, 0, 0])[1000:] / speed
    assert late.mean() == pytest.approx(2.0 * SHARE / rate, abs=1.5 * DT)
    fast = run.hand_target_velocity.values[1000:, 0, 0] / speed
    # The response to steps of one interval, two time constants long: see the sum of its bumps.
    u, q = np.linspace(0.0, 2.0, 2001), np.exp(-2.0)
    ripple = 2.0 * np.exp(-u) * (u / (1.0 - q) + 2.0 * q / (1.0 - q) ** 2)
    assert fast.max() == pytest.approx(ripple.max(), abs=0.01)
    assert fast.min() == pytest.approx(ripple.min(), abs=0.02)


def test_a_hand_that_has_rested_is_followed_at_its_old_pace():
    sim = light_box({"stiffness": 300.0, "follow_time": 0.001}, mass=2.0)
    begin = 0.05 + 2.0 * PAUSE
    teach(sim, lambda t: at([JUMP if t >= begin else 0.0, 0.0, 1.0]))
    run = sim.run(begin + 0.2)
    after = np.maximum(run.time.values + DT - begin, 0.0) / (SHARE * FIRST)
    expected = JUMP * (1.0 - (1.0 + after) * np.exp(-after))
    np.testing.assert_allclose(run.hand_target.values[:, 0, 0], expected, atol=1e-12)


@pytest.mark.parametrize("live", [True, False])
def test_what_is_exact_acts_exactly(live):
    """A function of time does, and a device that gives its velocity."""
    sim = light_box({"stiffness": 300.0}, mass=2.0)
    speed = np.array([0.2, 0.0, 0.0])
    given = {"velocity": speed} if live else {}
    device = Told(lambda t: at([0.2 * t, 0.0, 1.0], **given), live=live)
    sim.hands["right"].device = device
    run = sim.run(0.3)
    expected = 0.2 * run.time.values + DT * run.hand_target_velocity.values[:, 0, 0]
    np.testing.assert_allclose(run.hand_target.values[:, 0, 0], expected, atol=1e-15)
    np.testing.assert_allclose(run.hand_target_velocity.values[-1, 0], speed, atol=1e-6)


def test_a_jump_is_measured_between_readings_not_from_where_the_hand_has_got_to(caplog):
    sim = light_box({"follow_time": 10.0}, mass=2.0)
    teach(sim, lambda t: at([0.9 * np.floor(t / 0.01 + 1e-9), 0.0, 1.0]))
    for _ in range(50):
        sim.step()
    hand = sim.hands["right"]
    assert hand.status.held == "box/object"
    assert hand.status.target[0] < 1.0 < 3.0 < hand.device.read(sim.time).position[0]
    assert not caplog.records


def test_turning_is_followed_without_jumps():
    turn = Rotation.from_rotvec([0.0, 0.6, 0.8])

    def say(t):
        return at([0, 0, 1.0], rotation=(turn if t >= 0.1 else Rotation.identity()).as_matrix())

    def largest_change(**hand):
        sim = light_box({"stiffness": 300.0, "rotational_stiffness": 2.0, **hand}, mass=2.0)
        teach(sim, say)
        moment = sim.run(2.0).hand_moment.values[:, 0]
        turned = Rotation.from_matrix(sim.world.dynamics.pose[0, :9].reshape(3, 3).T)
        assert (turned * turn.inv()).magnitude() < 1e-6
        return np.linalg.norm(np.diff(moment, axis=0), axis=1).max()

    assert largest_change(follow_time=0.03) < 0.1 * largest_change(follow_time=0.0)


def test_a_hand_in_the_middle_of_a_move_goes_on_in_a_world_with_an_object_more():
    def half_way():
        sim = light_box({"stiffness": 300.0, "follow_time": 0.05}, mass=2.0)
        device = teach(sim, jumping)
        for _ in range(50):
            sim.step()
        return sim, device

    plain, _ = half_way()
    sim, device = half_way()
    plate = {"shape": {"type": "box", "size": (1.0, 1.0, 0.1)}, "friction": 0.5}
    more = footfall.with_object(sim, "plate", {**plate, "base_position": (0.0, 0.0, 0.06)})
    more.hands.take_over(sim.hands)
    for _ in range(50):
        plain.step()
        more.step()
    assert more.hands["right"].device is device
    np.testing.assert_array_equal(
        more.hands["right"].status.target, plain.hands["right"].status.target
    )
    np.testing.assert_array_equal(
        more.hands["right"].status.force, plain.hands["right"].status.force
    )
