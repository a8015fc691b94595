"""Penetration is removed by split impulses: positions move, velocities do not know."""

import numpy as np
import pytest
from tests.physics.composed import (
    G,
    ball,
    box,
    rotation_quaternion,
    simulator,
    steps,
    world_velocity,
)

DEPTH = 1e-3
"""Of the cube's lower face below the ground at the start, [m]."""
SLOP, GAIN = 1e-5, 0.2
"""The law's defaults: what is left alone [m], and the part of the rest removed in a step."""


def sunk_cube(depth=DEPTH, settings=None, **law):
    return simulator(box().at((0, 0, 0.05 - depth)), law=law, settings=settings)


def heights(sim, n):
    z = [sim.q[2] - 0.05]
    for _ in range(n):
        sim.step()
        z.append(sim.q[2] - 0.05)
    return np.array(z)


@pytest.mark.parametrize(("gain", "slop"), [(GAIN, SLOP), (0.5, 1e-4), (1.0, 0.0)])
def test_the_depth_beyond_the_slop_shrinks_by_the_gain_each_step(gain, slop):
    """``depth - slop`` falls geometrically and stops at the slop, never above it.

    To the tolerance of the correction's own sweeps, 1e-7 m/s, times dt and the steps it lasts.
    """
    quick = {"max_correction_speed": 2.0}
    z = heights(sunk_cube(settings=quick, position_gain=gain, position_slop=slop), 100)
    expected = -slop - (DEPTH - slop) * (1.0 - gain) ** np.arange(101)
    np.testing.assert_allclose(z, expected, atol=1e-8)
    assert z[-1] <= -slop + 1e-9


@pytest.mark.parametrize(("speed", "gain"), [(0.5, GAIN), (0.1, GAIN), (0.5, 0.8)])
def test_what_is_deep_comes_out_at_the_speed_that_is_allowed_and_no_faster(speed, gain):
    """A law is told ``speed dt / gain`` at most: ``speed - gain slop / dt`` in each step.

    So until no more than that is left; then geometrically as ever.
    """
    deep = 0.03
    z = heights(sunk_cube(deep, {"max_correction_speed": speed}, position_gain=gain), 400)
    rise = speed * 1e-3 - gain * SLOP
    steady = int((deep - speed * 1e-3 / gain) / rise)
    np.testing.assert_allclose(z[: steady + 1], -deep + rise * np.arange(steady + 1), atol=1e-7)
    assert np.diff(z).max() <= speed * 1e-3
    assert z[-1] == pytest.approx(-SLOP, abs=1e-8)


def test_a_depth_that_is_not_bounded_is_corrected_to_the_last_bit_as_without_a_bound():
    paths = [heights(sunk_cube(settings={"max_correction_speed": v}), 50) for v in (0.5, 1e9)]
    np.testing.assert_array_equal(*paths)


def test_no_kinetic_energy_is_gained():
    sim = sunk_cube()
    for _ in range(200):
        sim.step()
        assert float(sim.signal("kinetic_energy")) < 1e-18
        assert np.abs(sim.v).max() < 1e-9


def test_the_contact_force_is_the_weight_while_it_is_pushed_out():
    sim = sunk_cube()
    for _ in range(20):
        sim.step()
        assert sim.signal("contact_force").sum(axis=0)[2] == pytest.approx(G, abs=1e-6)


def test_without_gain_the_depth_stays():
    z = heights(sunk_cube(position_gain=0.0), 1000)
    np.testing.assert_allclose(z, -DEPTH, atol=1e-12)


def test_a_cube_that_is_sunk_with_one_corner_is_pushed_out():
    """No corner is left deeper than the slop, and the cube is at rest."""
    turned = rotation_quaternion((0.01, 0.02, 0.0))
    sim = simulator(box().at((0, 0, 0.05 - DEPTH), turned))
    start = sim.world.candidates.gap.min()
    assert start < -DEPTH
    steps(sim, 3000)
    assert sim.world.candidates.gap.min() > -SLOP - 1e-9
    assert np.abs(sim.v).max() < 1e-9


def test_a_sunk_cube_slides_as_far_as_any_other():
    """Friction does not see the push: ``v0^2 / (2 mu g)`` less ``v0 dt / 2``."""
    v0 = 2.0
    sim = simulator(box(1.0, (0.2, 0.2, 0.04)).at((0, 0, 0.02 - DEPTH), linear=(v0, 0, 0)), mu=0.5)
    steps(sim, 600)
    assert sim.q[0] == pytest.approx(v0**2 / G - 0.5 * v0 * 1e-3, abs=1e-6)


def test_a_ball_deep_in_the_ground_does_not_jump_out():
    """Even with restitution: pushing out gives no velocity to return."""
    sim = simulator(ball().at((0, 0, 0.09)), e=0.9)
    top = 0.0
    for _ in range(500):
        sim.step()
        top = max(top, sim.q[2])
        assert abs(world_velocity(sim)[2]) < 1e-9
    assert top <= 0.1 - SLOP + 1e-9


def test_a_resting_cube_stays_where_it_is_for_ten_seconds():
    sim = simulator(box().at((0, 0, 0.05)))
    steps(sim, 10_000)
    np.testing.assert_allclose(sim.q, (0, 0, 0.05, 0, 0, 0, 1), atol=1e-9)
