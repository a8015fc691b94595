"""Contacts between two moving bodies: conservation, closed forms, every law and impact model."""

import numpy as np
import pytest
from tests.cases import each
from tests.physics.composed import DOWN, ball, steps
from tests.physics.meeting import Ball, meeting, momentum

from footfall.world.arrays import Energy
from footfall_impacts.inelastic import Inelastic
from footfall_impacts.restitution.impact import Restitution
from footfall_stepper.world.step_arrays import RunSum

NOWHERE = np.zeros(3)


def two_balls(e, mu, **physics):
    """A spinning ball of 2 kg flies past the middle of one of 1 kg at rest, without gravity."""
    bodies = [
        ball(2.0, 0.1).at(
            (-0.25, 0.06, 5.0), linear=(2.0, 0.0, 0.1), angular=(3, -20, 9), name="a"
        ),
        ball(1.0, 0.08).at((0.0, 0.0, 5.03), angular=(0.0, 4.0, 0.0), name="b"),
    ]
    shapes = [Ball("a/body/s", 5, 0, 0.1, friction=mu, restitution=e), Ball("b/body/s", 6, 1, 0.08)]
    return meeting(bodies, shapes, gravity=NOWHERE, **physics)


IMPACTS = {
    "the law": None,
    "inelastic": lambda: Inelastic(Inelastic.Config()),
    "restitution": lambda: Restitution(Restitution.Config()),
}


@each("impact", IMPACTS)
@each(("e", "mu"), [(0.0, 0.0), (0.0, 0.8), (0.6, 0.3), (1.0, 0.8)])
def test_momentum_of_colliding_bodies_is_conserved(impact, e, mu):
    make = IMPACTS[impact]
    sim = two_balls(e if impact != "inelastic" else 0.0, mu, impact=make() if make else None)
    before, scale = momentum(sim)
    kinetic = sim.world.dynamics.energy[Energy.KINETIC]
    steps(sim, 300)
    after, _ = momentum(sim)
    np.testing.assert_allclose((after - before) / scale, 0.0, atol=1e-12)
    assert abs(world_speed(sim, 1)[1]) > 0.1, "the balls have not met"
    assert sim.world.dynamics.energy[Energy.KINETIC] <= kinetic * (1.0 + 1e-12)


def world_speed(sim, index):
    """Linear velocity of a free body along the world's axes."""
    from footfall_validate.lab import world_velocity

    return world_velocity(sim, index)[:3]


@pytest.mark.parametrize("e", [0.0, 0.5, 0.9, 1.0])
def test_a_head_on_collision_follows_newtons_hypothesis(e):
    m1, m2, u = 2.0, 1.0, 1.5
    bodies = [
        ball(m1, 0.1).at((-0.5, 0.0, 0.0), linear=(u, 0, 0), name="a"),
        ball(m2, 0.1).at((0.0, 0.0, 0.0), name="b"),
    ]
    shapes = [Ball("a/body/s", 1, 0, 0.1, restitution=e), Ball("b/body/s", 2, 1, 0.1)]
    sim = meeting(bodies, shapes, gravity=NOWHERE)
    steps(sim, 400)
    first = (m1 - e * m2) / (m1 + m2) * u
    second = m1 * (1.0 + e) / (m1 + m2) * u
    np.testing.assert_allclose(world_speed(sim, 0), [first, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(world_speed(sim, 1), [second, 0.0, 0.0], atol=1e-12)


def test_newtons_cradle_with_gaps_hands_the_speed_to_the_last_ball():
    n, r, gap = 5, 0.05, 1e-4
    bodies = [
        ball(1.0, r).at((k * (2 * r + gap), 0, 0), linear=(float(k == 0), 0, 0), name=f"b{k}")
        for k in range(n)
    ]
    shapes = [Ball(f"b{k}/body/s", k + 1, k, r, restitution=1.0) for k in range(n)]
    sim = meeting(bodies, shapes, gravity=NOWHERE, splits=8)
    steps(sim, 5)
    speeds = [world_speed(sim, k)[0] for k in range(n)]
    np.testing.assert_allclose(speeds, [0.0, 0.0, 0.0, 0.0, 1.0], atol=1e-12)
    assert sim.stepper.monitor.run[RunSum.SPLITS] == n - 1  # one split an impact
    assert sim.stepper.monitor.run[RunSum.UNRESOLVED] == 0


@pytest.mark.parametrize(("one", "other", "pair"), [(0.3, 0.6, 0.4), (0.3, np.nan, 0.3)])
def test_friction_of_the_pair_is_the_harmonic_mean(one, other, pair):
    """A ball slides onto the top of a fixed one: it loses mu times its normal speed."""
    shapes = [
        Ball("ground/fixed/s", 1, -1, 0.5, (0.0, 0.0, -0.5), friction=one),
        Ball("b/body/s", 2, 0, 0.1, friction=other),
    ]
    start = np.array([-0.03, 0.0, 0.11])
    body = ball(1.0, 0.1).at(start, linear=(3.0, 0.0, -1.0), name="b")
    sim = meeting([body], shapes, gravity=NOWHERE)
    sim.step()
    while not sim.signal("impacts") and sim.time < 0.1:
        sim.step()
    normal, gained = sim.world.detected.normal[0], world_speed(sim, 0) - [3.0, 0.0, -1.0]
    pressed = gained @ normal
    assert pressed > 1e-3
    assert np.linalg.norm(gained - pressed * normal) == pytest.approx(pair * pressed, rel=1e-9)


def test_a_pair_of_its_own_counts_over_the_sides():
    bodies = [
        ball(1.0, 0.1).at((-0.3, 0.0, 0.0), linear=(1, 0, 0), name="a"),
        ball(1.0, 0.1).at((0.0, 0.0, 0.0), name="b"),
    ]
    shapes = [Ball("a/body/s", 1, 0, 0.1, restitution=0.2), Ball("b/body/s", 2, 1, 0.1)]
    sim = meeting(bodies, shapes, gravity=NOWHERE, pairs={("a", "b"): (np.nan, 1.0)})
    steps(sim, 300)
    np.testing.assert_allclose(world_speed(sim, 0)[0], 0.0, atol=1e-12)


def test_a_ball_rests_on_two_that_rest_on_the_ground():
    """Friction holds the pyramid: forces follow from statics, 30 degrees from the vertical."""
    r, m = 0.1, 1.0
    bodies = [
        ball(m, r).at((-r, 0.0, r), name="a"),
        ball(m, r).at((r, 0.0, r), name="b"),
        ball(m, r).at((0.0, 0.0, r + np.sqrt(3.0) * r), name="c"),
    ]
    shapes = [Ball(f"{n}/body/s", k + 1, k, r, friction=1.0) for k, n in enumerate("abc")]
    sim = meeting(bodies, shapes, mu=1.0)
    steps(sim, 400)
    assert np.abs(sim.v).max() < 1e-5
    ground = sim.world.candidates.force[:, 2]
    np.testing.assert_allclose(ground[:2], 1.5 * m * 9.81, rtol=1e-4)
    rows = sim.stepper.collisions.rows(sim.time_step)
    top = rows[rows["body_2"] == 2]
    np.testing.assert_allclose(top["force"].sum(axis=0), [0, 0, m * 9.81], atol=1e-4)
    wrench = sim.signal("collision_wrench")
    np.testing.assert_allclose(wrench[2, :3], [0, 0, m * 9.81], atol=1e-4)
    np.testing.assert_allclose(wrench[:, :3].sum(axis=0), 0.0, atol=1e-12)


def test_gravity_without_contact_is_as_before_with_a_collider():
    bodies = [ball().at((0, 0, 3.0), name="a"), ball().at((1.0, 0, 3.0), name="b")]
    shapes = [Ball("a/body/s", 1, 0, 0.1), Ball("b/body/s", 2, 1, 0.1)]
    with_, without = meeting(bodies, shapes), meeting(bodies, [])
    steps(with_, 1200)
    steps(without, 1200)
    assert with_.q.tobytes() == without.q.tobytes()
    assert DOWN[2] < 0.0
