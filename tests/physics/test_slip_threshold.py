"""A resting box slips at mu m g, whichever way it is pulled."""

import numpy as np
import pytest
from tests.physics.composed import (
    G,
    box,
    rotation_matrix,
    rotation_quaternion,
    simulator,
    steps,
    world_velocity,
)

MASS, MU = 1.2, 0.5
DIRECTIONS = 2.0 * np.pi * np.arange(24) / 24.0


def pulled(factor, direction, yaw=0.3):
    """Return a resting box pulled with ``factor mu m g`` at its mass centre, and the pull."""
    shape = box(MASS, (0.2, 0.1, 0.06))
    sim = simulator(shape.at((0, 0, 0.03), rotation_quaternion((0, 0, yaw))), mu=MU)
    force = factor * MU * MASS * G * np.array([np.cos(direction), np.sin(direction), 0.0])
    sim.world.joints.external[:3] = rotation_matrix(sim.q[3:7]).T @ force
    return sim, force


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_it_holds_a_tenth_of_a_percent_below(direction):
    sim, force = pulled(0.999, direction)
    start = sim.q.copy()
    steps(sim, 500)
    assert np.abs(sim.q - start).max() < 1e-9
    # Friction is the opposite of the pull, to the law's tolerance m v / dt.
    friction = sim.signal("contact_force").sum(axis=0)[:2]
    np.testing.assert_allclose(friction, -force[:2], atol=1e-5)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_it_slips_a_tenth_of_a_percent_above(direction):
    """And moves with ``F/m - mu g`` along the pull, in the same way in every direction."""
    sim, force = pulled(1.001, direction)
    steps(sim, 500)
    expected = 0.001 * MU * G * sim.time * force / np.linalg.norm(force)
    np.testing.assert_allclose(world_velocity(sim)[:3], expected, atol=1e-9)
    assert (sim.signal("contact_status")[:4] == 2).all()


@pytest.mark.parametrize("factor", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("direction", [0.0, 0.7])
def test_it_creeps_at_most_a_nanometre_in_ten_seconds(factor, direction):
    sim, _ = pulled(factor, direction)
    start = sim.q[:3].copy()
    steps(sim, 10_000)
    assert np.linalg.norm(sim.q[:3] - start) <= 1e-9


def test_it_does_not_creep_up_a_slope_that_shakes():
    """A pull that changes its direction every step, inside the cone, moves nothing."""
    sim, force = pulled(0.95, 0.0)
    start = sim.q[:3].copy()
    for k in range(2000):
        sim.world.joints.external[:3] = (-1) ** k * force
        sim.step()
    assert np.linalg.norm(sim.q[:3] - start) <= 1e-9
