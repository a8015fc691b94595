"""Friction on a resting box, beside the check of the force at which it slips."""

import numpy as np
import pytest
from tests.physics.composed import (
    G,
    box,
    rotation_matrix,
    rotation_quaternion,
    simulator,
    steps,
)

MASS, MU = 1.2, 0.5
DIRECTIONS = 2.0 * np.pi * np.arange(5) / 5.0


def pulled(factor, direction, yaw=0.3):
    """Return a resting box pulled with ``factor mu m g`` at its mass centre, and the pull."""
    shape = box(MASS, (0.2, 0.1, 0.06))
    sim = simulator(shape.at((0, 0, 0.03), rotation_quaternion((0, 0, yaw))), mu=MU)
    force = factor * MU * MASS * G * np.array([np.cos(direction), np.sin(direction), 0.0])
    sim.stepper.world.joints.external[:3] = rotation_matrix(sim.q[3:7]).T @ force
    return sim, force


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_friction_is_the_opposite_of_the_pull_up_to_the_cone(direction):
    sim, force = pulled(0.999, direction)
    start = sim.q.copy()
    steps(sim, 500)
    assert np.abs(sim.q - start).max() < 1e-9
    # Friction is the opposite of the pull, to the law's tolerance m v / dt.
    friction = sim.signal("contact_force").sum(axis=0)[:2]
    np.testing.assert_allclose(friction, -force[:2], atol=1e-5)


def test_it_does_not_creep_up_a_slope_that_shakes():
    """A pull that changes its direction every step, inside the cone, moves nothing."""
    sim, force = pulled(0.95, 0.0)
    start = sim.q[:3].copy()
    for k in range(2000):
        sim.stepper.world.joints.external[:3] = (-1) ** k * force
        sim.step()
    assert np.linalg.norm(sim.q[:3] - start) <= 1e-9
