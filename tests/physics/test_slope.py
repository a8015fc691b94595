"""A box on a slope: sticks iff the slope is below the angle of friction, slides as Coulomb says."""

import numpy as np
import pytest
from tests.physics.composed import (
    DOWN,
    G,
    ball,
    box,
    rotation_matrix,
    rotation_quaternion,
    simulator,
    steps,
    world_velocity,
)

LENGTHS = (0.2, 0.2, 0.04)
"""Flat, so that it slides before it tips at every mu below 5, [m]."""
AZIMUTHS = np.radians([0.0, 17.0, 45.0, 90.0, 133.0, 180.0, 251.0, 315.0])
FRICTION = (0.2, 0.5, 1.0)
VARIANTS = ("tilted plane", "tilted gravity")
DURATION, DT = 0.3, 1e-3


def normal_of(slope, azimuth):
    return np.array(
        [np.sin(slope) * np.cos(azimuth), np.sin(slope) * np.sin(azimuth), np.cos(slope)]
    )


def flat_on(normal, yaw):
    """Return the quaternion that turns z to the normal, after a turn of yaw about z."""
    axis = np.cross((0.0, 0.0, 1.0), normal)
    size = np.linalg.norm(axis)
    tilt = rotation_quaternion(axis / size * np.arctan2(size, normal[2])) if size else (0, 0, 0, 1)
    x, y, z, w = tilt
    s, c = np.sin(yaw / 2), np.cos(yaw / 2)
    return np.array([x * c + y * s, y * c - x * s, z * c + w * s, w * c - z * s])


def on_slope(variant, slope, azimuth, mu, yaw=0.4):
    """Return a simulator of a box at rest on a slope, and gravity along the slope, (3,)."""
    n = normal_of(slope, azimuth)
    shape = box(1.0, LENGTHS)
    if variant == "tilted plane":
        sim = simulator(shape.at(0.02 * n, flat_on(n, yaw)), normal=n, mu=mu)
        return sim, DOWN - (DOWN @ n) * n
    gravity = G * np.array([n[0], n[1], -n[2]])
    sim = simulator(
        shape.at((0, 0, 0.02), rotation_quaternion((0, 0, yaw))), gravity=gravity, mu=mu
    )
    return sim, np.array([gravity[0], gravity[1], 0.0])


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("mu", FRICTION)
@pytest.mark.parametrize("azimuth", AZIMUTHS)
@pytest.mark.parametrize("below", [0.3, 0.02, 1e-3])
def test_it_sticks_below_the_angle_of_friction(variant, mu, azimuth, below):
    """Creep is what the law's tolerance of 1e-9 m/s leaves until the warm start has settled."""
    slope = np.arctan(mu) - min(below, 0.9 * np.arctan(mu))
    sim, _ = on_slope(variant, slope, azimuth, mu)
    start = sim.q.copy()
    steps(sim, round(DURATION / DT))
    assert np.abs(sim.v).max() < 1e-9
    assert np.abs(sim.q - start).max() < 1e-9


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("mu", FRICTION)
@pytest.mark.parametrize("azimuth", AZIMUTHS)
@pytest.mark.parametrize("above", [1e-3, 0.02, 0.3])
def test_it_slides_with_the_acceleration_of_coulomb(variant, mu, azimuth, above):
    """``a = g (sin - mu cos)`` down the slope: v = a t to the law's tolerance a step."""
    slope = np.arctan(mu) + above
    sim, along = on_slope(variant, slope, azimuth, mu)
    start = sim.q[:3].copy()
    steps(sim, round(DURATION / DT))
    a = G * (np.sin(slope) - mu * np.cos(slope)) * along / np.linalg.norm(along)
    v = world_velocity(sim)
    np.testing.assert_allclose(v[:3], a * DURATION, atol=1e-9)
    np.testing.assert_allclose(v[3:], 0.0, atol=1e-8)
    # Semi-implicit Euler: a t (t + dt) / 2, exactly.
    moved = sim.q[:3] - start
    np.testing.assert_allclose(moved, 0.5 * a * DURATION * (DURATION + DT), atol=1e-8)


@pytest.mark.parametrize("azimuth", AZIMUTHS[::2])
def test_without_friction_it_slides_freely(azimuth):
    sim, along = on_slope("tilted plane", 0.3, azimuth, 0.0)
    steps(sim, round(DURATION / DT))
    np.testing.assert_allclose(world_velocity(sim)[:3], along * DURATION, atol=1e-9)


@pytest.mark.parametrize("azimuth", AZIMUTHS)
def test_the_force_on_a_resting_box_balances_its_weight(azimuth):
    """World-frame contact forces of a box at rest on a slope sum to -m g, to tolerance m v / dt."""
    sim, _ = on_slope("tilted plane", 0.3, azimuth, 0.5)
    steps(sim, 200)
    np.testing.assert_allclose(sim.signal("contact_force").sum(axis=0), -DOWN, atol=1e-6)


@pytest.mark.parametrize("azimuth", AZIMUTHS[:4])
def test_a_steep_wall_and_a_ceiling_hold_nothing(azimuth):
    """On a vertical wall the normal force is zero and the box falls freely; so under a ceiling."""
    for slope in (np.pi / 2, np.pi - 0.3):
        n = normal_of(slope, azimuth)
        sim = simulator(box(1.0, LENGTHS).at(0.02 * n, flat_on(n, 0.0)), normal=n, mu=1.0)
        steps(sim, 100)
        np.testing.assert_allclose(world_velocity(sim)[:3], DOWN * sim.time, atol=1e-9)


@pytest.mark.parametrize("azimuth", AZIMUTHS[:4])
@pytest.mark.parametrize("slope", [0.2, 0.6, 1.2])
def test_a_ball_rolls_down_a_slope(slope, azimuth):
    """Rolls with 5/7 g sin iff tan < 7/2 mu, else slides with g (sin - mu cos)."""
    mu, n = 0.4, normal_of(slope, azimuth)
    sim = simulator(ball().at(0.1 * n), normal=n, mu=mu)
    along = DOWN - (DOWN @ n) * n
    steps(sim, 200)
    a = 5.0 / 7.0 * G * np.sin(slope)
    if np.tan(slope) > 3.5 * mu:
        a = G * (np.sin(slope) - mu * np.cos(slope))
    direction = along / np.linalg.norm(along)
    v = world_velocity(sim)
    np.testing.assert_allclose(v[:3], a * sim.time * direction, atol=1e-8)
    if np.tan(slope) <= 3.5 * mu:
        # No slip: v + w x (-r n) = 0.
        np.testing.assert_allclose(v[:3] - 0.1 * np.cross(v[3:], n), 0.0, atol=1e-8)


def test_the_box_lies_flat_on_the_plane():
    """The set-up itself: the box's z axis is the normal."""
    n = normal_of(0.7, 2.0)
    np.testing.assert_allclose(rotation_matrix(flat_on(n, 0.9))[:, 2], n, atol=1e-15)
