"""What bounces beside an impact model comes to rest under every kind of law."""

import numpy as np
import pytest
from tests.cases import each
from tests.physics.composed import G

from footfall.api.kernels import kernel
from footfall.problem.arrays import problem_from_arrays
from footfall.problem.contact_problem import ContactProblem
from footfall.registry.discover import discover
from footfall_stepper.kernels.step.impacts import drop_slow_restitution, mark_fast
from footfall_validate.combination import combine
from footfall_validate.lab import Lab
from footfall_validate.shapes import ball

REGISTRY = discover()
SPRINGS = ("compliant", "regularized")
THRESHOLD = 1e-2


def dropped(law, impact, height=0.0, speed=0.0, e=0.5):
    body = ball().at((0, 0, 0.1 + height), linear=(0, 0, -speed))
    return Lab(combine(REGISTRY, law, impact)).simulator(body, e=e)


@pytest.mark.parametrize("law", SPRINGS)
def test_springs_are_left_alone_by_the_impact_model(law):
    """A ball that is released on the ground sinks in, faster than the threshold, as without it."""
    beside, alone = (dropped(law, impact, e=e) for impact, e in (("restitution", 0.5), ("none", 0)))
    fastest = 0.0
    for _ in range(300):
        beside.step()
        alone.step()
        fastest = max(fastest, -alone.v[2])
        assert beside.v.tobytes() == alone.v.tobytes()
    assert fastest > 2.0 * THRESHOLD


@each("law", ["gauss", "gauss_discrete"])
@each("speed", [0.5e-2, 0.95e-2])
@each("part", [0.1, 0.5, 0.9])
def test_a_slow_landing_between_two_steps_ends_at_rest(law, speed, part):
    """It is noticed a step late, at up to the threshold and g dt: above the threshold."""
    sim = dropped(law, "restitution", height=part * speed * 1e-3, speed=speed)
    for _ in range(20):
        sim.step()
    assert np.abs(sim.v).max() < 1e-12
    assert -(speed + 0.5 * G * 1e-3) * 1e-3 <= sim.q[2] - 0.1 <= 1e-9


@pytest.mark.parametrize("speed", [1.1e-2, 1.5e-2, 2.5e-2])
def test_a_law_of_accelerations_does_not_carry_what_an_impact_threw_up(speed):
    """It rises with e times the speed of its approach, however little, on a parabola."""
    height = 0.4 * speed * 1e-3
    sim = dropped("gauss", "restitution", height=height, speed=speed)
    approach = np.sqrt(speed**2 + 2.0 * G * height)
    touched = (approach - speed) / G
    for _ in range(2):
        sim.step()
        t = sim.time - touched
        if 0.5 * approach < G * t:
            break
        assert sim.v[2] == pytest.approx(0.5 * approach - G * t, abs=1e-9)


def landing(speeds, gaps, coupled):
    """Points of 1 kg each, on one body or on one each, after a step of free fall from speeds."""
    n = len(speeds)
    W = np.ones((3 * n, 3 * n)) if coupled else np.eye(3 * n)
    velocity = np.zeros(3 * n)
    velocity[2::3] = speeds
    free = velocity.copy()
    free[2::3] -= G * 1e-3
    problem = ContactProblem.from_dense(
        W, free, np.full(n, 0.5), velocity=velocity, gap=np.array(gaps), restitution=np.ones(n)
    )
    return problem


@kernel
def mark(table, fast, threshold, touch):
    mark_fast(problem_from_arrays(table), fast, threshold, touch)


@kernel
def drop(table, fast, label):
    drop_slow_restitution(problem_from_arrays(table), fast, label)


def fast_points(problem):
    """Return 1 for each point that came fast."""
    fast = np.zeros(problem.n_blocks, np.int64)
    mark(problem.table, fast, THRESHOLD, 0.0)
    return fast


def test_points_are_judged_by_the_speed_with_which_they_came_to_the_ground():
    """9 mm/s at the ground are 15.9 mm/s after another 0.7 ms and 8.7 um."""
    after, depth = 9e-3 + G * 7e-4, 9e-3 * 7e-4 + 0.5 * G * 7e-4**2
    problem = landing([-after, -after, -after, -9e-3], [-depth, 0.0, 1e-9, 0.0], False)
    assert fast_points(problem).tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("coupled", [True, False])
def test_slow_points_keep_their_restitution_beside_a_fast_one_that_they_are_linked_with(coupled):
    problem = landing([-1.0, -1e-3], [0.0, 0.0], coupled)
    if not coupled:
        problem.arrays.pair_start[:] = 0, 1, 2
        problem.arrays.pair_block[:2] = 0, 1
    drop(problem.table, fast_points(problem), np.zeros(problem.n_blocks, np.int64))
    assert problem.restitution.tolist() == [1.0, 1.0 if coupled else 0.0]
