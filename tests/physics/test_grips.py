"""A hand on a link: an implicit spring and damper to where the hand is."""

import numpy as np
import pytest

import footfall
from footfall.errors import SimulationError
from footfall_hands.grip import Springs

DT = 1e-3
WEIGHTLESS = {"world.gravity": [0.0, 0.0, 0.0], "bodies.cube.base_position": [0.0, 0.0, 5.0]}
START = ("base_linear_velocity", "base_angular_velocity", "base_orientation")
STILL = {f"bodies.cube.{key}": [0.0, 0.0, 0.0] for key in START}


def floating_cube(**more):
    """Return a cube far above the ground, at rest, without weight unless it is given."""
    return footfall.load("cube/drop", overrides={**WEIGHTLESS, **STILL, **more})


def test_a_held_point_follows_implicit_euler():
    sim = floating_cube()
    grip = sim.grab("cube", springs=Springs(stiffness=50.0, damping_ratio=0.3))
    m, c = grip.mass, grip.damping
    assert m == pytest.approx(sim.world.mass, rel=1e-12)
    assert c == pytest.approx(2 * 0.3 * np.sqrt(m * 50.0), rel=1e-12)
    start = sim.q[:3].copy()
    grip.move(start + np.array([0.1, 0.0, 0.0]))
    v, f = 0.0, 0.0
    for _ in range(200):
        x = sim.q[0] - start[0]
        # m (v+ - v) / dt = k (0.1 - x - dt v+) - c v+
        f = (50.0 * (0.1 - x - DT * v) - c * v) / (1.0 + DT * (DT * 50.0 + c) / m)
        v += DT * f / m
        sim.step()
        assert grip.force[0] == pytest.approx(f, rel=1e-9, abs=1e-12)
        assert sim.v[0] == pytest.approx(v, rel=1e-9, abs=1e-12)


def test_a_stiff_spring_held_off_centre_stays_stable_and_arrives():
    sim = floating_cube(**{"simulation.time_step": 1e-2})
    k = 1e5 * sim.world.mass
    grip = sim.grab("cube", (0.02, 0.03, 0.01), Springs(stiffness=k))
    assert np.sqrt(k / grip.mass) * 1e-2 > 2.0  # where an explicit spring has left
    start, way = grip.position, np.array([0.1, 0.2, -0.1])
    spin = []
    for step in range(2000):
        grip.move(start + min(1.0, step / 100) * way)
        sim.step()
        spin.append(float(np.linalg.norm(sim.v[3:])))
    # It goes on turning about the point, which nothing damps, and pulls on the spring by that.
    np.testing.assert_allclose(grip.position, start + way, atol=1e-3)
    assert max(spin[200:]) <= spin[200]


def test_a_hand_that_jumps_by_a_metre_throws_nothing_away():
    sim = floating_cube()
    grip = sim.grab("cube", (0.02, 0.03, 0.01), Springs(stiffness=5e3, force_limit=20.0))
    goal = grip.position + np.array([1.0, 0.0, 0.0])
    grip.move(goal)
    for _ in range(20000):
        sim.step()
        assert np.linalg.norm(grip.force) <= 20.0 * (1.0 + 1e-12)
        assert np.linalg.norm(grip.position - goal) < 2.0
    np.testing.assert_allclose(grip.position, goal, atol=1e-3)


def test_a_weight_hangs_by_its_weight_over_the_stiffness():
    sim = floating_cube(**{"world.gravity": [0.0, 0.0, -9.81]})
    grip = sim.grab("cube", springs=Springs(stiffness=2000.0))
    start = grip.position
    for _ in range(4000):
        sim.step()
    weight = 9.81 * sim.world.mass
    np.testing.assert_allclose(grip.force, [0.0, 0.0, weight], rtol=1e-9, atol=1e-9)
    assert start[2] - sim.q[2] == pytest.approx(weight / 2000.0, rel=1e-9)


def test_a_limit_caps_the_force():
    sim = floating_cube()
    grip = sim.grab("cube", springs=Springs(stiffness=1e4, force_limit=2.0))
    grip.move(grip.position + np.array([1.0, 1.0, 0.0]))
    sim.step()
    np.testing.assert_allclose(grip.force, np.array([1.0, 1.0, 0.0]) * np.sqrt(2.0), rtol=1e-12)
    np.testing.assert_allclose(sim.v[:3], grip.force * DT / sim.world.mass, rtol=1e-12)


def test_a_hand_that_turns_turns_the_link():
    sim = floating_cube()
    grip = sim.grab("cube", springs=Springs(stiffness=200.0, rotational_stiffness=5.0))
    c, s = np.cos(2.0), np.sin(2.0)
    goal = (
        np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        @ sim.world.dynamics.pose[0, :9].reshape(3, 3).T
    )
    grip.move(grip.position, rotation=goal)
    for _ in range(5000):
        sim.step()
    turned = sim.world.dynamics.pose[0, :9].reshape(3, 3).T
    np.testing.assert_allclose(turned, goal, atol=1e-6)


def test_a_hand_lifts_a_cube_off_the_ground_and_its_work_is_in_the_ledger():
    sim = footfall.load("cube/sliding")
    names = ("kinetic_energy", "potential_energy", "dissipated_energy")

    def account():
        spent = sum(float(sim.signal(name)) for name in names)
        return spent - float(sim.signal("work")) - float(sim.signal("integration_energy_error"))

    grip = sim.grab("cube", springs=Springs(stiffness=500.0))
    sim.step()
    first = account()
    for k in range(2000):
        grip.move([0.0, 0.0, 0.05 + 0.2 * min(1.0, k / 1000)])
        sim.step()
        assert account() == pytest.approx(first, rel=1e-9)
    assert sim.q[2] > 0.15
    assert float(sim.signal("work")) != 0.0


def test_a_humanoid_pulled_at_the_chest_leans_and_stands_again():
    sim = footfall.load("humanoid/standing")
    for _ in range(200):
        sim.step()
    before = sim.q.copy()
    grip = sim.grab("chest", springs=Springs(stiffness=300.0))
    grip.move(grip.position + np.array([0.05, 0.0, 0.0]))
    for _ in range(500):
        sim.step()
    assert grip.force[0] > 5.0
    assert np.abs(sim.q - before).max() > 1e-3
    grip.release()
    for _ in range(2000):
        sim.step()
    np.testing.assert_allclose(sim.q, before, atol=5e-3)


def test_two_grips_hold_one_body_level():
    sim = floating_cube(**{"world.gravity": [0.0, 0.0, -9.81]})
    sides = [(0.05, 0.0, 0.0), (-0.05, 0.0, 0.0)]
    grips = [sim.grab("cube", side, Springs(stiffness=2000.0)) for side in sides]
    for _ in range(4000):
        sim.step()
    total = sum(grip.force for grip in grips)
    np.testing.assert_allclose(total, [0.0, 0.0, 9.81 * sim.world.mass], atol=1e-6)
    assert grips[0].force[2] == pytest.approx(grips[1].force[2], abs=1e-2)


def test_after_release_it_is_as_if_nobody_had_been_there():
    plain, held = floating_cube(), floating_cube()
    grip = held.grab("cube")
    grip.release()
    grip.release()
    for _ in range(50):
        plain.step()
        held.step()
    np.testing.assert_array_equal(plain.q, held.q)
    assert held.stepper.pull is None
    assert held.stepper.pull is None


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda sim: sim.grab("cub"), "cube"),
        (lambda sim: sim.grab("cube", (np.nan, 0, 0)), "point"),
        (lambda sim: sim.grab("cube", springs=Springs(stiffness=-1.0)), "stiffness"),
        (lambda sim: sim.grab("cube", springs=Springs(stiffness=0.0)), "without stiffness"),
        (lambda sim: sim.grab("cube").move([np.nan, 0, 0]), "position"),
        (lambda sim: sim.grab("cube").move([0, 0]), "position"),
        (lambda sim: sim.grab("cube").move([0, 0, 0], rotation=np.ones((3, 3))), "rotation"),
    ],
)
def test_what_no_hand_can_do_is_refused(act, message):
    sim = floating_cube()
    with pytest.raises(SimulationError, match=message):
        act(sim)
    sim.step()
    assert np.isfinite(sim.q).all()


def test_what_cannot_move_and_continuous_time_are_refused():
    arm = footfall.load("pendulum/swing")
    fixed = next(iter(arm.world.bodies[0].model.link_names))
    with pytest.raises(SimulationError, match="cannot move"):
        arm.grab(fixed)
    with pytest.raises(SimulationError, match="time stepping"):
        footfall.load("disc/rolling").grab("disc")
