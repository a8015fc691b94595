"""Rolling: a ball that is launched sliding, a coin that spins on its edge."""

import numpy as np
import pytest
from tests.physics.composed import (
    G,
    Shape,
    ball,
    feature,
    rigid_model,
    rotation_matrix,
    rotation_quaternion,
    simulator,
    steps,
    world_velocity,
)

from footfall.loading import load

MU, V0, RADIUS = 0.3, 2.0, 0.1
COIN_RADIUS = 0.05
"""[m]"""


def slip(v):
    """Return the velocity of a ball's lowest point, (2,)."""
    return np.array([v[0] - RADIUS * v[4], v[1] + RADIUS * v[3]])


@pytest.mark.parametrize("direction", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("dt", [1e-3, 5e-4])
def test_a_ball_that_is_launched_sliding_rolls_at_five_sevenths(direction, dt):
    """It rolls from ``t = 2 v0 / (7 mu g)`` on, within the step in which that is."""
    d = np.array([np.cos(direction), np.sin(direction)])
    sim = simulator(ball().at((0, 0, RADIUS), linear=(*(V0 * d), 0)), mu=MU, dt=dt)
    rolls = None
    for _ in range(round(0.5 / dt)):
        sim.step()
        v = world_velocity(sim)
        if rolls is None and np.linalg.norm(slip(v)) < 1e-8:
            rolls = sim.time
    np.testing.assert_allclose(v[:2], 5.0 / 7.0 * V0 * d, atol=1e-9)
    expected = 2.0 * V0 / (7.0 * MU * G)
    assert rolls is not None
    assert expected <= rolls <= expected + 2 * dt
    assert abs(sim.q[2] - RADIUS) < 1e-9


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


def spinning_disc(slope, dt, duration):
    """Let a thin disc spin on its rim, its mass centre at rest.

    With the disc's plane at an angle a to the ground the mass centre rests if the disc turns about
    the line from it to the contact point, and that line precesses with
    ``W^2 = m g / (k m R sin a)``, ``k = 1/4``: 4 g / (R sin a).

    Returns:
        Ratio of the precession to W, largest change of a [rad], largest shift of the centre [m].
    """
    R, m = COIN_RADIUS, 0.2
    k = m * R * R
    rim = feature("rim", (0, 0, 0), kind="rim", axis=(0, 1, 0), radius=R)
    shape = Shape(rigid_model(m, (k / 4, k / 2, k / 4)), [rim])
    quaternion = rotation_quaternion((np.pi / 2 - slope, 0, 0))
    axis = rotation_matrix(quaternion)[:, 1]
    up = np.array([0.0, 0.0, 1.0])
    down = (up @ axis) * axis - up
    down /= np.linalg.norm(down)
    W = np.sqrt(4.0 * G / (R * np.sin(slope)))
    angular = -W * np.sin(slope) * down
    sim = simulator(shape.at((0, 0, R * np.sin(slope)), quaternion, angular=angular), mu=1.0, dt=dt)
    angle = change = 0.0
    for _ in range(round(duration / dt)):
        before = axis
        sim.step()
        axis = rotation_matrix(sim.q[3:7])[:, 1]
        angle += np.arctan2(before[0] * axis[1] - before[1] * axis[0], before[:2] @ axis[:2])
        change = max(change, abs(np.arccos(axis[2]) - slope))
    return angle / (W * duration), change, np.abs(sim.q[:2]).max()


@pytest.mark.parametrize("slope", np.radians([25.0, 45.0, 70.0]))
def test_a_coin_spins_with_precession_squared_4_g_over_r_sin_a(slope):
    """Rotation is first order: errors halve with the step, and are below 1 % at 0.1 ms."""
    (_, coarse, _), (ratio, fine, shift) = (spinning_disc(slope, dt, 0.3) for dt in (2e-4, 1e-4))
    assert coarse / fine == pytest.approx(2.0, abs=0.2)
    assert ratio == pytest.approx(1.0, abs=0.01)
    assert fine < 0.01
    assert shift < 0.01 * COIN_RADIUS


def test_an_upright_coin_rolls_straight():
    R, m = COIN_RADIUS, 0.2
    rim = feature("rim", (0, 0, 0), kind="rim", axis=(0, 1, 0), radius=R)
    shape = Shape(rigid_model(m, m * R * R * np.array([0.25, 0.5, 0.25])), [rim])
    sim = simulator(shape.at((0, 0, R), linear=(1, 0, 0), angular=(0, 1 / R, 0)))
    steps(sim, 500)
    np.testing.assert_allclose(world_velocity(sim), (1, 0, 0, 0, 1 / R, 0), atol=1e-7)


def test_a_coin_that_lies_flat_rests_on_three_points():
    R, m = COIN_RADIUS, 0.2
    rim = feature("rim", (0, 0, 0), kind="rim", axis=(0, 1, 0), radius=R)
    shape = Shape(rigid_model(m, m * R * R * np.array([0.25, 0.5, 0.25])), [rim])
    sim = simulator(shape.at((0, 0, 0), rotation_quaternion((np.pi / 2, 0, 0))))
    steps(sim, 300)
    assert np.abs(sim.v).max() < 1e-9
    np.testing.assert_allclose(sim.signal("contact_force")[:, 2], m * G / 3.0, atol=1e-6)
