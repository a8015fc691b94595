"""Standing on coplanar points, beside its check: where it ends, and points that are doubled."""

import numpy as np
from tests.physics.composed import (
    Shape,
    points,
    simulator,
    steps,
    table,
)


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
