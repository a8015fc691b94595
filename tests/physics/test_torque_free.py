"""Torque-free rotation where it is constant; the asymmetric body is a check of the validation."""

import numpy as np
from tests.physics.composed import Shape, rigid_model, simulator, world_velocity

INERTIA = np.array([0.010, 0.018, 0.025])
"""Principal moments, [kg m^2]."""


def test_a_spin_about_a_principal_axis_stays():
    shape = Shape(rigid_model(1.0, INERTIA), [])
    spin = np.array([0.0, 0.0, 7.0])
    sim = simulator(shape.at((0, 0, 0), angular=spin), gravity=np.zeros(3))
    for _ in range(1000):
        sim.step()
    np.testing.assert_allclose(sim.v[3:], spin, atol=1e-13)


def test_a_sphere_keeps_any_spin():
    """With equal moments there is no gyroscopic term: the angular velocity is constant."""
    shape = Shape(rigid_model(1.0, np.full(3, 0.01)), [])
    sim = simulator(shape.at((0, 0, 0), angular=(1.0, -2.0, 3.0)), gravity=np.zeros(3))
    for _ in range(1000):
        sim.step()
    np.testing.assert_allclose(world_velocity(sim)[3:], (1.0, -2.0, 3.0), atol=1e-12)
