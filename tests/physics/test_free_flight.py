"""Free flight: the parabola of the centre of mass, constant momentum."""

import numpy as np
import pytest
from tests.physics.composed import DOWN, Shape, rigid_model, rotation_matrix, simulator, steps

from footfall import load
from footfall.interfaces.plugin import NoConfig
from footfall.world.arrays import Energy
from footfall_standard.integrator import ExplicitEuler

MASS, INERTIA = 1.3, (0.010, 0.020, 0.025)
LINEAR, ANGULAR = np.array([1.0, 2.0, 3.0]), np.array([3.0, -4.0, 2.0])
SPEED = float(np.linalg.norm(ANGULAR))
"""[rad/s]"""
JOINT_VELOCITIES = {"*_elbow": 3.0, "*_hip_pitch": -2.0, "*_knee": 1.5}
"""Rates that set the humanoid's limbs going, [rad/s]."""


def momentum(sim):
    """Return centre of mass, its velocity, and the angular momentum about it, world axes.

    From the links' masses and the twists of their dofs: ``V = sum S_k v_k`` over the link's chain.
    """
    sim.stepper.observe(sim.time)
    t, d = sim.world.topology, sim.world.dynamics
    mass, points, velocities, spins = t.mass, [], [], []
    for link in range(len(mass)):
        chain = t.chain[t.chain_start[link] : t.chain_start[link + 1]]
        twist = d.S[chain].T @ sim.v[chain]
        R = d.pose[link, :9].reshape(3, 3).T
        points.append(R @ t.com[link] + d.pose[link, 9:])
        velocities.append(twist[:3] + np.cross(twist[3:], points[-1]))
        spins.append(R @ t.inertia[link] @ R.T @ twist[3:])
    weights = mass / mass.sum()
    com, velocity = weights @ np.array(points), weights @ np.array(velocities)
    orbital = mass @ np.cross(np.array(points) - com, np.array(velocities))
    return com, velocity, orbital + np.sum(spins, axis=0)


def flight_errors(sim, duration):
    """Return the errors at the end: of the parabola [m], of its velocity [m/s], of L, relative."""
    com, velocity, L = momentum(sim)
    steps(sim, round(duration / sim.time_step))
    com_end, velocity_end, L_end = momentum(sim)
    gravity, t = sim.world.topology.gravity, sim.time
    return np.array(
        [
            np.abs(com_end - (com + velocity * t + 0.5 * gravity * t * t)).max(),
            np.abs(velocity_end - (velocity + gravity * t)).max(),
            np.abs(L_end - L).max() / np.linalg.norm(L),
        ]
    )


def tumbling(com, dt, **options):
    shape = Shape(rigid_model(MASS, INERTIA, com), [])
    return simulator(shape.at((0, 0, 5), linear=LINEAR, angular=ANGULAR), dt=dt, **options)


def tumbling_humanoid(dt, **more):
    sim = load(
        "humanoid/standing",
        {
            "simulation.time_step": dt,
            "bodies.humanoid.base_position": [0.0, 0.0, 20.0],
            "bodies.humanoid.base_linear_velocity": LINEAR.tolist(),
            "bodies.humanoid.base_angular_velocity": [1.0, -2.0, 1.5],
            "bodies.humanoid.joint_velocities": JOINT_VELOCITIES,
            "bodies.humanoid.controller": {"plugin": "zero"},
            **more,
        },
    )
    sim.stepper.world.joints.damping[:] = 0.0
    return sim


def test_a_tumbling_body_flies_on_the_parabola_exactly():
    """A flying base moves with the mean of old and new velocity: exact for constant acceleration.

    What is left is rounding, some 1000 units in the last place of 5 m.
    """
    position, velocity, _ = flight_errors(tumbling((0, 0, 0), 1e-3), 1.0)
    assert position < 1e-12
    assert velocity < 1e-12


def test_explicit_euler_flies_half_a_step_above_the_parabola():
    """``z_n = z0 + v0 t - g t (t - dt) / 2``: above the parabola by g t dt / 2."""
    dt, duration = 1e-3, 1.0
    sim = tumbling((0, 0, 0), dt, integrator=ExplicitEuler(NoConfig()))
    start = sim.q[:3].copy()
    steps(sim, round(duration / dt))
    expected = start + LINEAR * duration + 0.5 * DOWN * duration * (duration - dt)
    np.testing.assert_allclose(sim.q[:3], expected, atol=1e-12)


def test_a_body_with_its_mass_off_its_base_flies_as_exactly():
    """What moves on is the momentum of the mass centre, wherever the base is."""
    errors = flight_errors(tumbling((0.1, 0.05, -0.03), 1e-3), 1.0)
    assert errors.max() < 1e-12


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_momentum_and_energy_of_a_tumbling_body_do_not_drift(dt):
    """Over 2000 steps to rounding, some 1e-16 each; the scheme's error would be ``dt |w|``."""
    shape = Shape(rigid_model(MASS, INERTIA, (0.1, 0.05, -0.03)), [])
    sim = simulator(shape.at((0, 0, 0), angular=ANGULAR), gravity=np.zeros(3), dt=dt)
    _, velocity, L = momentum(sim)
    energy, size = sim.world.dynamics.energy[Energy.KINETIC], np.linalg.norm(L)
    for _ in range(4):
        steps(sim, 500)
        _, now, L_now = momentum(sim)
        assert np.abs(now - velocity).max() < 1e-13
        assert np.linalg.norm(L_now - L) < 5e-13 * size
        assert abs(sim.world.dynamics.energy[Energy.KINETIC] - energy) < 1e-12 * energy


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_a_humanoid_that_moves_its_limbs_flies_exactly(dt):
    """Its momentum is kept to rounding, and its mass centre is on the parabola."""
    errors = flight_errors(tumbling_humanoid(dt), 0.5)
    assert errors.max() < 1e-11


def test_joints_of_a_tumbling_humanoid_move_to_first_order():
    """Only the motion of the whole is exact: angles still depend on the step."""
    ends = []
    for dt in (2e-3, 1e-3, 5e-4):
        sim = tumbling_humanoid(dt)
        steps(sim, round(0.4 / dt))
        ends.append(sim.q[7:].copy())
    coarse, fine = (np.linalg.norm(ends[k] - ends[k + 1]) for k in range(2))
    assert coarse / fine == pytest.approx(2.0, abs=0.3)


def test_a_humanoid_in_flight_feels_no_contact():
    sim = tumbling_humanoid(1e-3)
    steps(sim, 100)
    assert not sim.signal("contact_force").any()
    assert not sim.signal("in_contact").any()


def test_rotation_stays_a_unit_quaternion():
    """It is normalised in each step: the norm is 1 to rounding after thousands of turns."""
    sim = simulator(
        Shape(rigid_model(MASS, INERTIA), []).at((0, 0, 0), angular=(0.0, 0.0, 2000.0)),
        gravity=np.zeros(3),
    )
    steps(sim, 20000)
    assert abs(np.linalg.norm(sim.q[3:7]) - 1.0) < 1e-15
    # Spin about a principal axis: an angle of 2 rad a step, exactly.
    angle = np.mod(2.0 * 20000, 2.0 * np.pi)
    R = rotation_matrix(sim.q[3:7])
    assert np.mod(np.arctan2(R[1, 0], R[0, 0]) - angle + np.pi, 2 * np.pi) == pytest.approx(
        np.pi, abs=1e-9
    )
