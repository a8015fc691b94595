"""Slopes, beside the checks of sticking and sliding: the same by gravity, walls, balls."""

import numpy as np
import pytest
from tests.cases import each
from tests.physics.composed import (
    DOWN,
    G,
    ball,
    box,
    flat_on,
    rotation_matrix,
    rotation_quaternion,
    simulator,
    slope_normal,
    steps,
    world_velocity,
)

LENGTHS = (0.2, 0.2, 0.04)
"""Flat, so that it slides before it tips at every mu below 5, [m]."""
AZIMUTHS = np.radians([0.0, 17.0, 45.0, 90.0, 133.0, 180.0, 251.0, 315.0])
FRICTION = (0.2, 0.5, 1.0)
VARIANTS = ("tilted plane", "tilted gravity")
DURATION, DT = 0.3, 1e-3


def on_slope(variant, slope, azimuth, mu, yaw=0.4):
    """Return a simulator of a box at rest on a slope, and gravity along the slope, (3,)."""
    n = slope_normal(slope, azimuth)
    shape = box(1.0, LENGTHS)
    if variant == "tilted plane":
        sim = simulator(shape.at(0.02 * n, flat_on(n, yaw)), normal=n, mu=mu)
        return sim, DOWN - (DOWN @ n) * n
    gravity = G * np.array([n[0], n[1], -n[2]])
    sim = simulator(
        shape.at((0, 0, 0.02), rotation_quaternion((0, 0, yaw))), gravity=gravity, mu=mu
    )
    return sim, np.array([gravity[0], gravity[1], 0.0])


@each("mu", FRICTION)
@each("azimuth", AZIMUTHS[::2])
@each("beyond", [-1e-3, 1e-3])
def test_a_tilted_plane_and_a_tilted_gravity_are_the_same(mu, azimuth, beyond):
    """A thousandth of a radian before and behind the angle of friction.

    ``v = a t`` with ``a = g (sin - mu cos)`` or 0, exactly; ``a t (t + dt) / 2``, semi-implicit.
    """
    slope = np.arctan(mu) + beyond
    size = max(0.0, G * (np.sin(slope) - mu * np.cos(slope)))
    for variant in VARIANTS:
        sim, along = on_slope(variant, slope, azimuth, mu)
        start, a = sim.q[:3].copy(), size * along / np.linalg.norm(along)
        steps(sim, round(DURATION / DT))
        v = world_velocity(sim)
        np.testing.assert_allclose(v[:3], a * DURATION, atol=1e-9)
        np.testing.assert_allclose(v[3:], 0.0, atol=1e-8)
        moved = 0.5 * a * DURATION * (DURATION + DT)
        np.testing.assert_allclose(sim.q[:3] - start, moved, atol=1e-8)


@pytest.mark.parametrize("azimuth", AZIMUTHS[::2])
def test_without_friction_it_slides_freely(azimuth):
    sim, along = on_slope("tilted plane", 0.3, azimuth, 0.0)
    steps(sim, round(DURATION / DT))
    np.testing.assert_allclose(world_velocity(sim)[:3], along * DURATION, atol=1e-9)


@each("azimuth", AZIMUTHS)
def test_the_force_on_a_resting_box_balances_its_weight(azimuth):
    """World-frame contact forces of a box at rest on a slope sum to -m g, to tolerance m v / dt."""
    sim, _ = on_slope("tilted plane", 0.3, azimuth, 0.5)
    steps(sim, 200)
    np.testing.assert_allclose(sim.signal("contact_force").sum(axis=0), -DOWN, atol=1e-6)


@pytest.mark.parametrize("azimuth", AZIMUTHS[:4])
def test_a_steep_wall_and_a_ceiling_hold_nothing(azimuth):
    """On a vertical wall the normal force is zero and the box falls freely; so under a ceiling."""
    for slope in (np.pi / 2, np.pi - 0.3):
        n = slope_normal(slope, azimuth)
        sim = simulator(box(1.0, LENGTHS).at(0.02 * n, flat_on(n, 0.0)), normal=n, mu=1.0)
        steps(sim, 100)
        np.testing.assert_allclose(world_velocity(sim)[:3], DOWN * sim.time, atol=1e-9)


@each("azimuth", AZIMUTHS[:4])
@each("slope", [0.2, 0.6, 1.2])
def test_a_ball_rolls_down_a_slope(slope, azimuth):
    """Rolls with 5/7 g sin iff tan < 7/2 mu, else slides with g (sin - mu cos)."""
    mu, n = 0.4, slope_normal(slope, azimuth)
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
    n = slope_normal(0.7, 2.0)
    np.testing.assert_allclose(rotation_matrix(flat_on(n, 0.9))[:, 2], n, atol=1e-15)
