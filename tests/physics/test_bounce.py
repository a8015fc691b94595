"""Bouncing: Newton's restitution of the pair, with steps split at the predicted impacts."""

import numpy as np
import pytest
from tests.physics.composed import (
    UPRIGHT,
    G,
    Shape,
    ball,
    box,
    feature,
    points,
    rigid_model,
    simulator,
    steps,
    world_velocity,
)

from footfall_stepper.world.step_arrays import Ledger, RunSum

H = 1.0
"""Height of the drop, [m]."""
FALL = np.sqrt(2.0 * H / G)
"""Time of the first fall, [s]."""
COEFFICIENTS = (0.0, 0.25, 0.5, 0.75, 1.0)
SHAPES = {
    "ball": (ball(), 0.1),
    "one point": (Shape(rigid_model(1.0, [0.01] * 3), points([(0, 0, -0.1)])), 0.1),
    # Two points at the height of the mass centre: neither hangs nor topples.
    "two points": (
        Shape(rigid_model(1.0, [0.01, 0.02, 0.025]), points([(0.2, 0, 0), (-0.2, 0, 0)])),
        0.0,
    ),
    "four points": (box(1.0, (0.3, 0.2, 0.2)), 0.1),
}
"""Shapes with the height of their origin where they touch, [m]."""


def drop(shape, e, duration, **options):
    """Return heights above touching [m] and vertical velocities [m/s], (n,) each, and the end."""
    body, low = SHAPES[shape]
    sim = simulator(body.at((0, 0, H + low)), e=e, **options)
    z, v = [H], [0.0]
    for _ in range(round(duration / sim.time_step)):
        sim.step()
        z.append(sim.q[2] - low)
        v.append(world_velocity(sim)[2])
    return np.array(z), np.array(v), sim


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("e", [0.25, 0.5, 0.75, 1.0])
def test_rebound_height_scales_with_e_squared(shape, e):
    """Closer than the check of the validation asks of every law and impact model.

    The top of the parabola lies between two steps: off by g dt^2 / 8 = 1.2e-6 m at most.
    """
    z, v, _ = drop(shape, e, FALL * (1.0 + 2.0 * e) - 0.02)
    top = z[np.flatnonzero(v > 0.0)[0] :].max()
    assert top == pytest.approx(e**2 * H, abs=1.3e-6)


@pytest.mark.parametrize("shape", SHAPES)
def test_flat_landings_do_not_turn_the_body(shape):
    """Impulses at symmetric points are equal: no rotation but that of rounding and tolerance."""
    _, _, sim = drop(shape, 0.75, 2.0)
    np.testing.assert_allclose(sim.q[3:7], UPRIGHT, atol=1e-8)


@pytest.mark.parametrize("e", COEFFICIENTS)
def test_the_impact_dissipates_one_minus_e_squared(e):
    """Of the kinetic energy m g h of the first impact; to the law's tolerance times momentum."""
    _, _, sim = drop("four points", e, FALL + 0.01)
    expected = (1.0 - e**2) * G * H
    # With e = 0 the step of the landing is not split: the fall over the rest of the step is in it.
    assert sim.state["ledger"][Ledger.TAKEN] == pytest.approx(
        expected, abs=2e-8 if e else G * 4.5e-3
    )


@pytest.mark.parametrize("e", [0.3, 0.8])
@pytest.mark.parametrize("azimuth", [0.0, 40.0, 200.0])
def test_a_tilted_smooth_plane_turns_only_the_normal_velocity(e, azimuth):
    """``u_n+ = -e u_n-``, ``u_t+ = u_t-`` at the instant of impact, without gravity: exact."""
    tilt, a = np.radians(25.0), np.radians(azimuth)
    n = np.array([np.sin(tilt) * np.cos(a), np.sin(tilt) * np.sin(a), np.cos(tilt)])
    v0 = np.array([0.7, -0.3, -2.0])
    sim = simulator(
        ball().at(0.1 * n - v0 * 0.0503, linear=v0), normal=n, mu=0.0, e=e, gravity=np.zeros(3)
    )
    steps(sim, 100)
    np.testing.assert_allclose(world_velocity(sim)[:3], v0 - (1 + e) * (n @ v0) * n, atol=1e-9)


def test_an_eccentric_impact_has_the_textbook_impulse():
    """``r = (1 + e) |u_n| / (1/m + x^2/J)`` at a point with arm x from the mass centre, smooth."""
    m, J, x, e, u = 1.3, 0.02, 0.15, 0.6, 2.0
    body = Shape(rigid_model(m, [0.01, J, 0.01]), points([(x, 0, -0.1)]))
    sim = simulator(body.at((0, 0, 0.1503), linear=(0, 0, -u)), mu=0.0, e=e, gravity=np.zeros(3))
    steps(sim, 30)
    r = (1 + e) * u / (1 / m + x * x / J)
    v = world_velocity(sim)
    assert v[2] == pytest.approx(-u + r / m, abs=1e-9)
    assert v[4] == pytest.approx(-x * r / J, abs=1e-8)


def test_points_of_different_restitution_each_keep_their_own():
    """A rod lands flat: ``u_i+ = -e_i u_i-`` at both ends, 0.9 and 0.2 of 1 m/s."""
    rod = Shape(
        rigid_model(1.0, [1e-4, 1.0 / 12.0, 1.0 / 12.0]),
        [feature("a", (0.5, 0, 0), e=0.9), feature("b", (-0.5, 0, 0), e=0.2)],
    )
    sim = simulator(rod.at((0, 0, 0.0103), linear=(0, 0, -1.0)), mu=0.0, gravity=np.zeros(3))
    steps(sim, 12)
    v = world_velocity(sim)
    assert v[2] == pytest.approx(0.5 * (0.9 + 0.2), abs=1e-8)
    # The end at +x rises with v_z - w_y x.
    assert v[4] == pytest.approx(-(0.9 - 0.2), abs=1e-8)


def test_splits_beyond_the_limit_are_counted_and_add_no_energy():
    """Without splits the impact is taken at the start of the step, before the rest of the fall."""
    z, v, sim = drop("ball", 0.75, 2.0 * FALL, max_impact_splits=0)
    assert sim.stepper.monitor.run[RunSum.UNRESOLVED] >= 1.0
    top = z[np.flatnonzero(v > 0.0)[0] :].max()
    # At most the fall of one step, v dt = 4.4e-3 m, is missed before and gained after the impact.
    assert top == pytest.approx(0.75**2 * H, abs=2 * 4.43 * 1e-3)
    assert sim.state["ledger"][Ledger.TAKEN] > 0.0


def test_ten_balls_land_in_one_step():
    """More impacts in a step than splits: each ball still rebounds to e^2 h within 1 %."""
    e, heights = 0.5, H + 1e-4 * np.arange(10)
    bodies = [ball().at((0.5 * k, 0, h + 0.1), name=f"ball{k}") for k, h in enumerate(heights)]
    sim = simulator(bodies, e=e)
    tops = np.zeros(10)
    for _ in range(round((FALL * 2.0) / sim.time_step)):
        sim.step()
        rising = sim.v[2::6] > 0.0
        tops = np.where(rising, np.maximum(tops, sim.q[2::7] - 0.1), tops)
    np.testing.assert_allclose(tops, e**2 * heights, rtol=0.01)
