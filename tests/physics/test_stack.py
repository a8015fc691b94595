"""A stack of ten cubes stays where it is. ``tests/benchmarks/stack.py`` prints the whole table."""

import numpy as np
import pytest
from tests.physics.box_stack import LENGTH, BoxStack, G

from footfall_coulomb.contact import Coulomb, CoulombConfig

long = pytest.mark.long


def stack(mass=1.0, gap=0.0, dt=1e-3, **settings):
    return BoxStack(Coulomb(CoulombConfig(**settings)), mass=mass, gap=gap, dt=dt)


@pytest.fixture(
    scope="module",
    params=[
        (1.0, 200),
        pytest.param((0.01, 200), marks=long),
        *(pytest.param((m, 1000), marks=long) for m in (1.0, 0.01)),
    ],
)
def overlapping(request):
    """Return a stack that began with overlaps, 200 steps later, and the steps from there on."""
    mass, rows = request.param
    return stack(mass, gap=-1e-4).settle(200).run(rows), rows


def test_ten_cubes_drift_less_than_a_millimetre_in_twenty_seconds(overlapping):
    """A part is simulated, after they have settled, in which 0.05 mm a second are allowed."""
    cubes, rows = overlapping
    assert cubes.drift < 5e-5 * rows * cubes.dt
    assert cubes.worst < 1e-6
    assert np.abs(cubes.v).max() < 1e-6


def test_the_lowest_corners_carry_all_of_it():
    cubes = stack().run(50)
    normal = cubes.problem.impulse[2::3].reshape(10, 4).sum(axis=1) / cubes.dt
    np.testing.assert_allclose(normal, G * np.arange(10, 0, -1), rtol=1e-6)


def test_overlaps_are_pushed_out_up_to_the_slop(overlapping):
    cubes, _ = overlapping
    assert cubes.problem.gap.min() == pytest.approx(-1e-5, abs=1e-7)
    assert cubes.x[-1, 2] == pytest.approx(10 * LENGTH - 0.5 * LENGTH - 10e-5, abs=1e-5)


def test_without_position_correction_they_stay():
    cubes = stack(gap=-1e-4, position_gain=0.0).run(100)
    np.testing.assert_allclose(cubes.problem.gap, -1e-4, atol=1e-7 / 3)


def test_a_cube_that_stands_too_far_out_falls():
    """The stack is no drawing: the upper half, put 9 cm out, tips over the edge below it."""
    cubes = stack(dt=2e-3)
    cubes.x[5:, 0] += 0.09
    cubes.run(250)
    assert cubes.x[-1, 2] < 0.9
