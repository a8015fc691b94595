"""Each term of the energy balance against a closed form.

That the balance closes on every scene is tested where they are run, in ``tests/robots``.

The balance alone proves little, since the integrator's error is what is left of it: so that error,
the work and the dissipation are each compared with what they must be.
"""

import numpy as np
import pytest
from tests.physics.composed import G, ball, box, simulator, steps

from footfall import load
from footfall.interfaces.plugin import NoConfig
from footfall_standard.integrator import ExplicitEuler

FLAT = (0.2, 0.2, 0.04)
"""Of a box that slides without tipping, [m]."""
MU, DT = 0.5, 1e-3
WORK, DISSIPATED, INTEGRATION = range(3)
"""Places in the ledger."""


def energy(sim):
    """Return kinetic plus potential energy of free bodies from the state itself, [J]."""
    total = 0.0
    for index, body in enumerate(sim.world.bodies):
        q, v = sim.q[sim.world.q_slice(index)], sim.v[sim.world.v_slice(index)]
        m, inertia = body.model.link_mass[0], body.model.link_inertia[0]
        total += 0.5 * m * v[:3] @ v[:3] + 0.5 * v[3:] @ inertia @ v[3:]
        total -= m * sim.world.topology.gravity @ q[:3]
    return total


@pytest.mark.parametrize("name", ["cube/drop", "cube/sliding", "ball/bounce", "ball/rolling"])
def test_the_recorded_terms_add_up_in_every_row(name):
    """Kinetic + potential + dissipated - work - integration error is the same in every row."""
    run = load(name).run()
    total = (
        run.kinetic_energy
        + run.potential_energy
        + run.dissipated_energy
        - run.work
        - run.integration_energy_error
    ).values
    np.testing.assert_allclose(total, total[0], atol=1e-9 * abs(total[0]))


@pytest.mark.parametrize("name", ["cube/drop", "ball/bounce"])
def test_the_ledger_agrees_with_the_state(name):
    """What has left the ledger is what the positions and velocities have lost."""
    sim = load(name)
    start = energy(sim)
    sim.record(0.7)
    sim.stepper.observe(sim.time)
    ledger = sim.state["ledger"]
    expected = start + ledger[WORK] - ledger[DISSIPATED] + ledger[INTEGRATION]
    assert energy(sim) == pytest.approx(expected, rel=1e-9)


def test_friction_dissipates_mu_m_g_times_the_distance():
    """To ``v0 dt / 2`` in the distance and the tolerance of the impulses."""
    m, v0 = 1.7, 3.0
    sim = simulator(box(m, FLAT).at((0, 0, 0.02), linear=(v0, 0, 0)), mu=MU)
    steps(sim, 400)
    distance = sim.q[0] + 0.5 * DT * (v0 - sim.v[0])
    assert sim.state["ledger"][DISSIPATED] == pytest.approx(MU * m * G * distance, abs=1e-7)
    assert abs(sim.state["ledger"][INTEGRATION]) < 1e-9


def test_the_work_of_an_external_force_is_force_times_distance():
    m, force = 1.3, 20.0
    sim = simulator(box(m, FLAT).at((0, 0, 0.02)), mu=MU)
    sim.stepper.world.joints.external[0] = force
    steps(sim, 300)
    # The mean velocity of a step moves with its mean: half a step behind the position.
    distance = sim.q[0] - 0.5 * DT * sim.v[0]
    assert sim.state["ledger"][WORK] == pytest.approx(force * distance, abs=1e-7)


def test_sliding_down_a_slope_has_the_error_of_semi_implicit_euler():
    """``z`` falls by ``a t dt / 2`` further than v^2 says: off by ``-m g sin a t dt / 2``.

    Exact for constant acceleration.
    """
    theta, m, t = 0.6, 1.0, 0.5
    n = np.array([np.sin(theta), 0.0, np.cos(theta)])
    tilt = np.array([0.0, np.sin(theta / 2), 0.0, np.cos(theta / 2)])
    sim = simulator(box(m, FLAT).at(0.02 * n, tilt), mu=0.3, normal=n)
    steps(sim, round(t / DT))
    sim.stepper.observe(sim.time)
    a = G * (np.sin(theta) - 0.3 * np.cos(theta))
    expected = -m * G * np.sin(theta) * a * t * DT / 2.0
    assert sim.state["ledger"][INTEGRATION] == pytest.approx(expected, rel=1e-6)


def test_free_flight_has_no_integration_error():
    sim = simulator(ball().at((0, 0, 100.0), linear=(1, 2, 3)))
    steps(sim, 2000)
    sim.stepper.observe(sim.time)
    assert abs(sim.state["ledger"][INTEGRATION]) < 1e-9 * 100.0 * G


@pytest.mark.parametrize("dt", [1e-3, 5e-4])
def test_explicit_euler_gains_half_m_g_squared_dt_a_second(dt):
    sim = simulator(ball(2.0).at((0, 0, 100.0)), dt=dt, integrator=ExplicitEuler(NoConfig()))
    steps(sim, round(1.0 / dt))
    sim.stepper.observe(sim.time)
    assert sim.state["ledger"][INTEGRATION] == pytest.approx(2.0 * G**2 * dt / 2.0, rel=1e-9)


TUMBLING = {
    "bodies.humanoid.base_position": [0.0, 0.0, 20.0],
    "bodies.humanoid.base_angular_velocity": [1.0, -2.0, 1.5],
    "bodies.humanoid.joint_velocities": {"*_elbow": 3.0, "*_knee": 1.5},
}


@pytest.mark.parametrize(
    ("name", "overrides"),
    [("pendulum/swing", {}), ("rrbot/swing", {}), ("humanoid/standing", TUMBLING)],
)
def test_the_integration_error_halves_with_the_step(name, overrides):
    """Over a stretch without impacts, in which gains and damping act implicitly."""
    errors = [
        load(name, {"simulation.time_step": dt, **overrides}).record(0.4).integration_error
        for dt in (1e-3, 5e-4)
    ]
    assert abs(errors[0]) > 1e-4
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.15)


def test_passive_damping_dissipates():
    """Viscous joints: ``integral of d s_dot^2``, from the recorded velocities, to first order."""
    sim = load("rrbot/swing")
    run = sim.run(2.0)
    rates = run.joint_velocity.values
    power = (sim.world.joints.damping * rates**2).sum(axis=1)
    assert (sim.world.joints.damping > 0.0).all()
    expected = np.trapezoid(power, dx=DT)
    assert float(run.dissipated_energy[-1]) == pytest.approx(expected, rel=0.01)


def test_the_work_of_motors_is_torque_times_speed():
    """Of a torque that swings the pendulum: the integral over the recorded rows, to first order."""
    sim = load("pendulum/swing")
    total = 0.0
    for _ in range(1000):
        before = sim.v.copy()
        sim.step(np.array([2.0]))
        total += DT * 2.0 * 0.5 * float(before[0] + sim.v[0])
    assert sim.state["ledger"][WORK] == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize("mu", [0.0, 0.3, 1.0])
def test_contacts_take_energy_in_every_step(mu):
    """From a tumbling cube, but for the first order of the scheme.

    A corner at a distance R of a body that turns with w rises by ``w^2 R dt`` a second in a step in
    which its weight holds it down: that much work, half an impulse ``m (g + w^2 R) dt`` times it.
    """
    sim = simulator(
        box().at((0, 0, 0.4), (0.1, 0.2, 0.3, np.sqrt(0.86)), (1, 0, 0), (5, 3, -4)), mu=mu, e=0.4
    )
    taken, rate = [0.0], 0.0
    for _ in range(2000):
        sim.step()
        taken.append(float(sim.state["ledger"][DISSIPATED]))
        rate = max(rate, np.linalg.norm(sim.v[3:]))
    rise = rate**2 * np.sqrt(3.0) * 0.05 * DT
    assert np.diff(taken).min() > -0.5 * (G * DT + rise) * rise
    assert taken[-1] > 0.5
