"""Moreau's midpoint: second order between events, energy that stays, contacts as good as ever."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.physics.composed import Shape, box, rigid_model, simulator, steps, world_velocity
from tests.physics.test_convergence import pendulum_angle
from tests.physics.test_free_flight import flight_errors, momentum, tumbling, tumbling_humanoid

import footfall
from footfall.interfaces.plugin import NoConfig
from footfall.world.arrays import Energy
from footfall_standard.integrator import MoreauMidpoint

MIDPOINT = {"integrator.plugin": "moreau_midpoint"}
G = 9.81
SECOND = pytest.approx(4.0, rel=0.1)
"""Of the errors at two steps of which one is half the other, for a scheme of second order."""


def loaded(scene, dt, **overrides):
    return footfall.load(scene, MIDPOINT | {"simulation.time_step": dt} | overrides)


def energy(sim):
    """Return kinetic and potential energy at the start of the last step, [J]."""
    return float(sim.signal("kinetic_energy") + sim.signal("potential_energy"))


def test_a_pendulum_converges_with_second_order():
    errors = []
    for dt in (2e-3, 1e-3, 5e-4):
        sim = loaded("pendulum/swing", dt)
        sim.record(1.0)
        errors.append(float(sim.q[0]) - pendulum_angle(1.0))
    assert errors[0] / errors[1] == SECOND
    assert errors[1] / errors[2] == SECOND


@pytest.mark.parametrize("start", [(1.57, 0.0), (2.5, -1.0), (1.57, 1.57)])
def test_an_undamped_double_pendulum_keeps_its_energy_for_a_minute(start):
    """To 1e-3 of ``m g l``, at 1 ms; what is seen is 1e-5 of it, and no drift."""
    sim = loaded("rrbot/swing", 1e-3, **{"simulation.duration": 100.0})
    sim.stepper.world.joints.damping[:] = 0.0
    sim.q[:], sim.v[:] = start, 0.0
    sim.step()
    first, worst = energy(sim), 0.0
    for _ in range(60_000):
        sim.step()
        worst = max(worst, abs(energy(sim) - first))
    assert worst < 1e-3 * sim.world.mass * G * 0.9


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_a_body_in_flight_keeps_momentum_and_energy_to_rounding(dt):
    """It flies as under every one-step scheme: as if there were no middle."""
    shape = Shape(rigid_model(1.3, (0.010, 0.020, 0.025), (0.1, 0.05, -0.03)), [])
    top = shape.at((0, 0, 0), angular=(3.0, -4.0, 2.0))
    sim = simulator(top, gravity=np.zeros(3), dt=dt, integrator=MoreauMidpoint(NoConfig()))
    _, velocity, L = momentum(sim)
    kinetic = sim.world.dynamics.energy[Energy.KINETIC]
    steps(sim, 2000)
    _, now, L_now = momentum(sim)
    assert np.abs(now - velocity).max() < 1e-13
    assert np.linalg.norm(L_now - L) < 5e-13 * np.linalg.norm(L)
    assert abs(sim.world.dynamics.energy[Energy.KINETIC] - kinetic) < 1e-12 * kinetic


def test_a_body_in_flight_goes_the_way_of_other_schemes():
    one, other = (
        tumbling((0.1, 0.05, -0.03), 1e-3, **more)
        for more in ({}, {"integrator": MoreauMidpoint(NoConfig())})
    )
    steps(one, 200)
    steps(other, 200)
    np.testing.assert_allclose(one.q, other.q, atol=1e-13)
    np.testing.assert_allclose(one.v, other.v, atol=1e-13)


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_a_humanoid_in_flight_keeps_its_momentum(dt):
    assert flight_errors(tumbling_humanoid(dt, **MIDPOINT), 0.4).max() < 1e-11


def test_joints_in_flight_move_to_second_order():
    ends = []
    for dt in (2e-3, 1e-3, 5e-4):
        sim = tumbling_humanoid(dt, **MIDPOINT)
        steps(sim, round(0.2 / dt))
        ends.append(np.concatenate([sim.q, sim.v]))
    coarse, fine = (np.linalg.norm(ends[k] - ends[k + 1]) for k in range(2))
    assert coarse / fine == SECOND


def test_a_closed_loop_moves_to_second_order_and_stays_closed():
    errors = []
    for dt in (2e-3, 1e-3, 5e-4):
        sim = loaded("fourbar/swinging", dt)
        sim.stepper.world.joints.damping[:] = 0.0
        sim.record(0.5)
        assert np.abs(sim.world.loops.start_gap).max() < 1e-9
        errors.append(float(sim.signal("integration_energy_error")))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.15)


@pytest.mark.parametrize("scene", ["humanoid/standing", "humanoid/drop", "fourbar/swinging"])
def test_the_recorded_terms_of_the_energy_add_up(scene):
    run = loaded(scene, 1e-3).run(0.2)
    total = run.kinetic_energy + run.potential_energy + run.dissipated_energy
    total = (total + run.elastic_energy - run.work - run.integration_energy_error).values
    size = np.abs(run.potential_energy.values).max() + run.kinetic_energy.values.max()
    assert np.abs(total - total[0]).max() < 1e-9 * size


def test_recorded_accelerations_are_differences_of_velocities():
    """Of the base along its old axes, though it has turned by half a step when forces act."""
    run = loaded("humanoid/drop", 1e-3, **{"bodies.humanoid.base_angular_velocity": [2, -1, 3]})
    run = run.run(0.05)
    for k in range(0, len(run.time) - 1, 7):
        R, R_next = (
            Rotation.from_quat(run.base_quaternion.values[i].ravel()).as_matrix()
            for i in (k, k + 1)
        )
        v, v_next = (run.v.values[i] for i in (k, k + 1))
        for part in (slice(0, 3), slice(3, 6)):
            change = R.T @ R_next @ v_next[part] - v[part]
            np.testing.assert_allclose(run.a.values[k][part], change / 1e-3, atol=1e-9)


def test_standing_feet_carry_the_weight_with_the_usual_residual():
    sim = loaded("humanoid/standing", 1e-3)
    sim.record(1.0)
    assert sim.stepper.monitor.worst_residual < 1e-8
    weight = sim.world.mass * G
    assert sim.signal("contact_force").sum(axis=0)[2] == pytest.approx(weight, rel=1e-3)


@pytest.mark.parametrize("e", [0.0, 0.25, 0.5, 0.75, 1.0])
def test_a_ball_rebounds_to_e_squared(e):
    coefficients = {"world.terrain.restitution": e, "bodies.ball.restitution": e}
    sim = loaded("ball/bounce", 1e-3, **coefficients)
    down, top = False, 0.0
    for _ in range(1200):
        sim.step()
        down = down or sim.v[2] > 0.0
        top = max(top, float(sim.q[2]) - 0.1) if down else 0.0
    assert top == pytest.approx(e * e, abs=1e-4)


def test_a_dropped_box_comes_to_rest_without_a_bounce():
    """A trapezoidal rule on ``gap / dt`` would throw it up again; ends of steps do not.

    The law's tolerance is 1e-9 m/s.
    """
    sim = simulator(
        box(1.3, (0.2, 0.1, 0.06)).at((0, 0, 0.0305)), integrator=MoreauMidpoint(NoConfig())
    )
    steps(sim, 15)
    for _ in range(200):
        sim.step()
        assert np.abs(world_velocity(sim)).max() < 1e-8
        assert -2e-5 < sim.stepper.problem.gap.min() < 2e-5


def test_the_way_to_rest_is_v_squared_over_two_mu_g():
    sim = loaded("cube/sliding", 1e-3)
    start, v, mu = float(sim.q[0]), float(sim.v[0]), 0.5
    sim.record(1.5)
    assert float(sim.q[0]) - start == pytest.approx(v * v / (2.0 * mu * G), abs=v * 5e-4 + 1e-4)


def test_stiff_gains_neither_ring_nor_blow_up():
    gains = {"plugin": "posture", "stiffness": 1e6, "damping": 1e3}
    sim = loaded("humanoid/standing", 1e-3, **{"bodies.humanoid.controller": gains})
    posture = sim.q[7:].copy()
    sim.record(0.5)
    assert np.abs(sim.q[7:] - posture).max() < 1e-3
    assert np.abs(sim.v).max() < 1e-2


def test_a_run_of_a_batch_has_the_bits_that_it_has_alone():
    with footfall.Batch("humanoid/standing", 2, overrides=MIDPOINT) as batch:
        batch.step(substeps=100)
        alone = footfall.load("humanoid/standing", MIDPOINT)
        steps(alone, 100)
        assert batch.q[1].tobytes() == alone.q.tobytes()
        assert batch.v[1].tobytes() == alone.v.tobytes()


def test_impacts_after_the_forces_are_refused():
    with pytest.raises(footfall.SceneError, match=r"impact_order: integrator .*middle of a step"):
        footfall.load("icub/seed", MIDPOINT)
