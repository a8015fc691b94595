"""The rocking block (Housner 1963): what an impact on the other corner leaves of the rotation."""

import numpy as np
import pytest
from tests.physics.composed import (
    Shape,
    points,
    rigid_model,
    rotation_matrix,
    rotation_quaternion,
    simulator,
)

R = 0.5
"""From the mass centre to a corner, [m]."""
J = R**2 / 3.0
"""Inertia of a slender-in-depth block about its mass centre, for 1 kg, [kg m^2]."""


def impact_ratio(a, mu, dt):
    """Return omega+ / omega- of a block with half-diagonal angle a that falls on its other corner.

    The law closes the gap in one step and stops the corner in the next: the rates before and after
    are carried on to the first of them along the straight lines of ten steps each.
    """
    b, h = R * np.sin(a), R * np.cos(a)
    block = Shape(rigid_model(1.0, (J, J, J)), points([(b, 0, -h), (-b, 0, -h)]))
    tilted = rotation_quaternion((0, 0.3 * a, 0))
    pivot = rotation_matrix(tilted) @ (b, 0, -h)
    sim = simulator(block.at(-pivot, tilted), mu=mu, dt=dt)
    rates, impulses = [], []
    while len(impulses) < 15 or impulses[-15] == 0.0:
        sim.step()
        rates.append(sim.v[4])
        impulses.append(sim.signal("impulse")[1, 2])
        assert sim.time < 2.0
    k, steps = len(impulses) - 15, np.arange(len(impulses))
    before = np.polyfit(steps[k - 10 : k] - k, rates[k - 10 : k], 1)
    after = np.polyfit(steps[k + 2 : k + 12] - k, rates[k + 2 : k + 12], 1)
    return after[1] / before[1]


@pytest.mark.parametrize("degrees", [5, 10, 15, 20, 25, 30])
@pytest.mark.parametrize("mu", [0.6, 1.0])
def test_the_rotation_left_is_one_minus_three_halves_sin_squared(degrees, mu):
    """``omega+ = (1 - 3/2 sin^2 a) omega-``, mu >= 0.6, a <= 30 degrees.

    The impact is spread over two steps, in which gravity still turns the block: off by twice
    ``g R sin(a) / (J + R^2) dt / omega-``, 1e-3 at 0.1 ms.
    """
    a = np.radians(degrees)
    assert impact_ratio(a, mu, 1e-4) == pytest.approx(1.0 - 1.5 * np.sin(a) ** 2, abs=1.5e-3)


@pytest.mark.parametrize("degrees", [10, 25])
def test_the_ratio_converges_to_first_order(degrees):
    a = np.radians(degrees)
    exact = 1.0 - 1.5 * np.sin(a) ** 2
    coarse, fine = (impact_ratio(a, 0.8, dt) - exact for dt in (4e-4, 1e-4))
    assert coarse / fine == pytest.approx(4.0, abs=0.4)
