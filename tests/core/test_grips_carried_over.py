"""Grips hold on where an object comes or goes."""

import numpy as np
import pytest
from tests.live_viewers import live

import footfall
from footfall.interfaces.interactive_visualizer import CreateObject, DeleteObject, Restart
from footfall_hands.grip import Springs

BALL = {"shape": {"type": "sphere", "radius": 0.1}, "friction": 0.5}
FAR = {**BALL, "base_position": [3.0, 0.0, 1.0]}
SPRINGS = Springs(stiffness=500.0, rotational_stiffness=3.0, force_limit=30.0)
UP = np.array([0.0, 0.0, 0.4])


def lifted(steps=100):
    sim = footfall.load("cube/sliding")
    grip = sim.grab("cube", (0.02, 0.0, 0.05), SPRINGS)
    grip.move(grip.position + UP, (0.0, 0.1, 0.0))
    for _ in range(steps):
        sim.step()
    return sim, grip


def test_a_grip_goes_on_to_the_bit_beside_a_new_object():
    sim, grip = lifted()
    more = footfall.with_object(sim, "ball", FAR)
    (same,) = more.hands.grips
    assert (same.link, same.springs, same.mass) == (grip.link, grip.springs, grip.mass)
    np.testing.assert_array_equal(same.position, grip.position)
    for k in range(100):
        if k == 50:
            for one in (grip, same):
                one.move(one.target + np.array([0.1, 0.0, 0.0]))
        sim.step()
        more.step()
        np.testing.assert_array_equal(same.force, grip.force)
        np.testing.assert_array_equal(same.moment, grip.moment)
    np.testing.assert_array_equal(more.q[:7], sim.q)
    assert np.linalg.norm(same.force) > 1.0


def test_the_simulation_before_keeps_its_own_grips():
    sim, grip = lifted()
    more = footfall.with_object(sim, "ball", FAR)
    (same,) = more.hands.grips
    assert same is not grip
    assert sim.hands.grips == (grip,)
    same.release()
    assert more.hands.grips == ()
    assert more.stepper.pull is None
    sim.step()
    assert np.linalg.norm(grip.force) > 1.0


def test_a_grip_follows_its_body_to_another_place_and_goes_with_it():
    sim = footfall.load("cube/sliding")
    sim = footfall.with_object(sim, "aball", FAR)
    sim = footfall.with_object(sim, "ball", {**FAR, "base_position": [5.0, 0.0, 1.0]})
    sim.grab("aball/object")
    sim.grab("ball/object", springs=Springs(stiffness=300.0)).move([5.0, 0.0, 1.5])
    sim.grab("cube/cube")
    less = footfall.without_object(sim, "aball")
    assert [grip.link for grip in less.hands.grips] == ["ball/object", "cube/cube"]
    for _ in range(100):
        sim.step()
        less.step()
    np.testing.assert_array_equal(less.hands.grips[0].force, sim.hands.grips[1].force)
    assert less.hands.grips[0].force[2] > 1.0
    ball = [body.name for body in less.world.bodies].index("ball")
    assert less.q[less.world.q_slice(ball)][2] > 1.01


@pytest.mark.parametrize("change", ["create", "delete", "restart"])
def test_whoever_has_a_grip_moves_it_on_in_a_live_run(change):
    sim = footfall.with_object(footfall.load("cube/sliding"), "ball", FAR)
    grip = sim.grab("cube/cube", springs=Springs(stiffness=500.0))
    grip.move(grip.position + UP)
    command = {
        "create": CreateObject("sphere", (0.1,), (5.0, 0.0, 1.0), name="new"),
        "delete": DeleteObject("ball"),
        "restart": Restart(),
    }[change]
    run, viewer = live(sim, [100, command, 100], duration=0.4)
    run.record(None, False, False)
    assert not viewer.problems
    assert run.sim is not sim
    assert run.sim.hands.grips == (grip,)
    np.testing.assert_allclose(grip.position, run.sim.world.dynamics.pose[0, 9:], atol=2e-3)
    grip.move(grip.position + UP)
    before = grip.force.copy()
    run.sim.step()
    assert grip.force[2] > before[2] + 10.0
    grip.release()
    assert run.sim.stepper.pull is None


def test_a_grip_whose_body_is_deleted_in_a_live_run_pulls_no_more():
    sim = footfall.with_object(footfall.load("cube/sliding"), "ball", FAR)
    grip = sim.grab("ball/object")
    grip.move(grip.position + UP)
    run, viewer = live(sim, [10, DeleteObject("ball"), 10], duration=0.1)
    run.record(None, False, False)
    assert not viewer.problems
    assert run.sim.hands.grips == ()
    assert not grip.force.any()
    grip.release()
