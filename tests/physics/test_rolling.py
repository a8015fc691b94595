"""Rolling of balls and coins, beside the checks of the validation."""

import numpy as np
import pytest
from tests.physics.composed import (
    G,
    ball,
    coin,
    rotation_quaternion,
    simulator,
    steps,
    world_velocity,
)

from footfall import load
from footfall.registry.discover import discover
from footfall_validate.checks.rolling.spinning_coin import spin
from footfall_validate.combination import combine
from footfall_validate.lab import Lab

MU, V0, RADIUS = 0.3, 2.0, 0.1
COIN_RADIUS = 0.05
"""[m]"""


def test_a_ball_with_backspin_comes_back():
    """``v = (5 v0 + 2 r w0) / 7`` whatever the spin: here it turns round."""
    w0 = -80.0
    sim = simulator(ball().at((0, 0, RADIUS), linear=(V0, 0, 0), angular=(0, w0, 0)), mu=MU)
    steps(sim, 2500)
    expected = (5.0 * V0 + 2.0 * RADIUS * w0) / 7.0
    assert expected < 0.0
    np.testing.assert_allclose(world_velocity(sim)[:3], (expected, 0, 0), atol=1e-9)


def test_a_rolling_ball_keeps_rolling():
    """Without rolling resistance: no energy is lost over ten seconds, to the law's tolerance."""
    sim = simulator(ball().at((0, 0, RADIUS), linear=(V0, 0, 0), angular=(0, V0 / RADIUS, 0)))
    steps(sim, 10_000)
    np.testing.assert_allclose(world_velocity(sim)[:3], (V0, 0, 0), atol=1e-9)
    assert abs(sim.q[0] - V0 * sim.time) < 1e-8


def test_the_ball_of_the_scene_rolls_in_the_end():
    sim = load("ball/rolling")
    sim.record()
    np.testing.assert_allclose(world_velocity(sim)[:3], (5.0 / 7.0 * V0, 0, 0), atol=1e-9)


@pytest.mark.parametrize("slope", np.radians([25.0, 45.0, 70.0]))
def test_the_lean_of_a_spinning_coin_changes_to_first_order(slope):
    """Rotation is of first order: the error halves with the step."""
    lab = Lab(combine(discover(), "coulomb"))
    coarse, fine = (spin(lab, slope, dt, 0.3)[1] for dt in (2e-4, 1e-4))
    assert coarse / fine == pytest.approx(2.0, abs=0.2)


def test_an_upright_coin_rolls_straight():
    R = COIN_RADIUS
    sim = simulator(coin(0.2, R).at((0, 0, R), linear=(1, 0, 0), angular=(0, 1 / R, 0)))
    steps(sim, 500)
    np.testing.assert_allclose(world_velocity(sim), (1, 0, 0, 0, 1 / R, 0), atol=1e-7)


def test_a_coin_that_lies_flat_rests_on_three_points():
    R, m = COIN_RADIUS, 0.2
    sim = simulator(coin(m, R).at((0, 0, 0), rotation_quaternion((np.pi / 2, 0, 0))))
    steps(sim, 300)
    assert np.abs(sim.v).max() < 1e-9
    np.testing.assert_allclose(sim.signal("contact_force")[:, 2], m * G / 3.0, atol=1e-6)
