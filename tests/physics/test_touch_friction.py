"""The ball of a hand rubs on what it touches by Coulomb's law."""

import numpy as np
import pytest
from tests.physics.hand_scenes import DT, at, light_box, teach

import footfall
from footfall import assemble
from footfall.scene.load import scene_from_dict
from footfall_hands.touch import friction_force

STIFFNESS, MU, DEPTH = 500.0, 0.4, 4e-3
TOUCH = {"mode": "touch", "stiffness": STIFFNESS, "tip_friction": MU, "follow_time": 0.0}
PRESS = STIFFNESS * DEPTH
HOLDS = MU * DEPTH
"""Way sideways after which a ball on something fixed begins to slide, [m]."""


def tip(x, y, z):
    return at([x, y, z], link=None, point=None)


@pytest.mark.parametrize("friction", [0.0, 0.3, 1.0])
def test_the_force_obeys_coulombs_law_and_the_spring_and_damper(friction):
    rng = np.random.default_rng(1)
    stuck = slid = off = 0
    for _ in range(2000):
        root = rng.standard_normal((3, 3))
        W, d = root @ root.T, rng.standard_normal(3)
        d /= np.linalg.norm(d)
        wanted, give = rng.standard_normal(3), rng.random()
        force, slides = friction_force(wanted, W, d, give, friction)
        press, side = d @ force, force - (d @ force) * d
        assert press >= 0.0
        assert np.linalg.norm(side) <= friction * press * (1.0 + 1e-9) + 1e-12
        left = wanted - give * W @ force - force
        if not slides:
            np.testing.assert_allclose(left, 0.0, atol=1e-12)
            stuck += 1
        elif press > 0.0:
            assert d @ left == pytest.approx(0.0, abs=1e-9)
            slid += 1
        else:
            off += 1
    assert min(slid, off) > 100
    assert (stuck > 20) == (friction > 0.0)


def on_the_ground(say, duration):
    sim = light_box(TOUCH, mass=1.0)
    teach(sim, say)
    return sim.run(duration)


def test_a_ball_sticks_as_a_spring_and_slides_with_the_friction_of_the_cone():
    speed, z = 0.01, 0.01 - DEPTH
    run = on_the_ground(lambda t: tip(2.0 + speed * t, 0.0, z), 0.4)
    force = run.hand_support.values[:, 0]
    np.testing.assert_allclose(force[:, 2], -PRESS, rtol=1e-9)
    way = run.hand_target.values[:, 0, 0] - 2.0
    sticks = way < HOLDS
    assert sticks.any()
    assert not sticks.all()
    np.testing.assert_allclose(force[sticks, 0], STIFFNESS * way[sticks], atol=1e-9)
    np.testing.assert_allclose(force[~sticks, 0], MU * PRESS, rtol=1e-9)
    np.testing.assert_allclose(force[:, 1], 0.0, atol=1e-12)


def test_a_ball_that_comes_back_sticks_at_once():
    top, z = 3.0 * HOLDS, 0.01 - DEPTH
    run = on_the_ground(lambda t: tip(2.0 + min(0.02 * t, 2.0 * top - 0.02 * t), 0.0, z), 0.6)
    force, x = run.hand_support.values[:, 0, 0], run.hand_target.values[:, 0, 0] - 2.0
    turn = np.argmax(x)
    np.testing.assert_allclose(force[turn], MU * PRESS, rtol=1e-9)
    back = (np.arange(len(x)) > turn) & (x > top - 2.0 * HOLDS)
    # Between the two sides of the cone it is the spring that gives way.
    np.testing.assert_allclose(
        force[back], MU * PRESS - STIFFNESS * (x[turn] - x[back]), atol=2.0 * STIFFNESS * 0.02 * DT
    )
    np.testing.assert_allclose(force[-1], -MU * PRESS, rtol=1e-9)


@pytest.mark.parametrize(("friction", "follows"), [(0.0, False), (1.0, True)])
def test_friction_takes_a_box_along(friction, follows):
    hand = {**TOUCH, "tip_friction": friction, "stiffness": 300.0, "tip_radius": 0.02}
    sim = light_box({**hand, "follow_time": 0.01}, mass=0.2)
    teach(sim, lambda t: tip(-0.069 + 0.02 * t, 0.05 * t, 1.0))
    run = sim.run(0.2)
    sideways = run.base_position.values[-1, 0, 1]
    assert (sideways > 1e-4) == follows
    assert run.hand_force.values[:, 0, 0].max() > 0.0


def test_a_ball_at_rest_on_a_box_holds_it_against_a_push_sideways():
    def pushed(friction):
        hand = {**TOUCH, "tip_friction": friction, "stiffness": 2e3, "tip_radius": 0.02}
        tables = light_box(hand, mass=0.2, gravity=(0.0, 0.0, -9.81)).provenance.resolved["scene"]
        box = {**tables["bodies"]["box"], "base_position": (0.0, 0.0, 0.05), "friction": 0.0}
        scene = {**tables, "bodies": {"box": box}}
        scene["pushes"] = [
            {"body": "box", "link": "object", "start": 0.3, "duration": 0.5, "force": (0.5, 0, 0)}
        ]
        sim = assemble(scene_from_dict(scene))
        teach(sim, lambda t: tip(0.0, 0.0, 0.12 - 2e-3 * min(1.0, t / 0.1)))
        return sim.run(0.8)

    held, lost = pushed(0.5), pushed(0.0)
    # 4 N of pressure hold 2 N; the push of 0.5 N moves the spring by a quarter of a millimetre.
    assert abs(held.base_position.values[-1, 0, 0]) < 5e-4
    assert lost.base_position.values[-1, 0, 0] > 0.1


def test_a_light_box_rubbed_by_a_stiff_ball_is_not_thrown():
    hand = {**TOUCH, "tip_friction": 1.0, "stiffness": 1e6, "force_limit": 1e9}
    sim = light_box(hand, mass=0.01)
    teach(sim, lambda t: tip(-0.058, 0.2 * t, 1.0))
    fastest = 0.0
    for _ in range(300):
        sim.step()
        fastest = max(fastest, float(np.abs(sim.v[:3]).max()))
    assert fastest < 0.002 / DT  # it was in the box by 2 mm
    assert np.isfinite(sim.q).all()


def test_a_box_that_a_ball_sticks_to_goes_on_to_the_bit_in_a_saved_state(tmp_path):
    points = [(0.0, (-0.058, 0.0, 1.0)), (0.5, (-0.03, 0.01, 1.0))]
    script = [{"time": t, "position": where} for t, where in points]
    hand = {**TOUCH, "device": {"plugin": "scripted", "waypoints": script}}
    sim, other = light_box(hand, mass=0.5), light_box(hand, mass=0.5)
    for _ in range(40):
        sim.step()
    assert sim.state["hand.right"][42] == 1.0  # it sticks to link 0
    sim.save(tmp_path / "half.npz")
    other.resume(tmp_path / "half.npz")
    plate = {"shape": {"type": "box", "size": (1.0, 1.0, 0.1)}, "friction": 0.5}
    plate["base_position"] = (0.0, 0.0, 0.06)
    more = footfall.with_object(sim, "plate", plate)
    for _ in range(40):
        sim.step()
        other.step()
        more.step()
    np.testing.assert_array_equal(sim.q, other.q)
    np.testing.assert_array_equal(sim.q, more.q[:7])
    assert sim.hands["right"].status.held == "box/object"
