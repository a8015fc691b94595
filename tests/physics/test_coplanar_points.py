"""Standing on many coplanar points: forces are not unique, their sum and the motion are."""

import numpy as np
import pytest
from tests.physics.composed import (
    G,
    Shape,
    points,
    rigid_model,
    rotation_quaternion,
    simulator,
    steps,
)


def table(n, radius=0.3, height=0.2, com=(0.0, 0.0, 0.0), mass=2.0):
    """Return a body that stands on n points on a circle below it."""
    angle = 2.0 * np.pi * np.arange(n) / n
    feet = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(n, -height)])
    return Shape(rigid_model(mass, (0.05, 0.06, 0.07), com), points(feet))


@pytest.mark.parametrize("n", [3, 4, 8, 30])
@pytest.mark.parametrize("com", [(0.0, 0.0, 0.0), (0.1, -0.05, 0.0)])
def test_forces_sum_to_the_weight_and_balance_the_moment(n, com):
    """Under the mass centre, whatever their distribution; to tolerance, m v / dt = 2e-6 N."""
    body = table(n, com=com)
    sim = simulator(body.at((0, 0, 0.2), rotation_quaternion((0, 0, 0.3))))
    steps(sim, 100)
    force, at = sim.signal("contact_force"), sim.signal("contact_position")
    np.testing.assert_allclose(force.sum(axis=0), (0, 0, 2.0 * G), atol=1e-5)
    moment = np.cross(at - sim.signal("com"), force).sum(axis=0)
    np.testing.assert_allclose(moment, 0.0, atol=1e-5)
    assert (force[:, 2] >= 0.0).all()
    assert sim.stepper.monitor.run[0] <= 1e-9


@pytest.mark.parametrize("n", [3, 4, 8])
def test_nothing_drifts_in_ten_seconds(n):
    sim = simulator(table(n, com=(0.05, 0.02, 0.0)).at((0, 0, 0.2)))
    steps(sim, 500)
    settled = sim.q.copy()
    steps(sim, 10_000)
    np.testing.assert_allclose(sim.q, settled, atol=1e-10)


def test_a_table_whose_mass_hangs_over_the_edge_tips():
    """Over four points of a square the support ends at the line between two of them."""
    over, edge = 0.02, 0.3 * np.cos(np.pi / 4)
    for x, tips in ((edge - over, False), (edge + over, True)):
        com = x / np.sqrt(2) * np.array([1.0, 1.0, 0.0])
        sim = simulator(table(4, com=com).at((0, 0, 0.2)), mu=1.0)
        steps(sim, 200)
        assert (np.abs(sim.q[3:5]).max() > 1e-3) == tips


def test_the_same_point_twice_changes_nothing():
    """A doubled point makes the Delassus matrix singular; the motion stays the same.

    On three points: with four in a plane the share of each in the weight, and with it the friction
    torque of a body that slides and spins, would be open.
    """
    shape = table(3)
    positions = [f.position for f in shape.features]
    ends = []
    for feet in (positions, [*positions, *positions]):
        body = Shape(shape.model, points(feet))
        sim = simulator(body.at((0, 0, 0.201), linear=(1.0, 0.3, 0), angular=(0, 0, 2)), mu=0.2)
        steps(sim, 150)
        ends.append(np.concatenate([sim.q, sim.v]))
    assert np.linalg.norm(ends[0][7:10]) > 0.5
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-7)
