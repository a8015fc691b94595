"""The parts of the trot: clock, curve of the foot, Raibert's rule, course, sharing of forces."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.cases import each

import footfall
from footfall.errors import SceneError
from footfall_controllers.trot import kernels
from footfall_controllers.trot.kernels import (
    STANDS,
    WEIGHT,
    glide,
    goal,
    ground_plane,
    landing,
    lift,
    to_upright,
    turned,
)

START, PERIOD, DUTY = 0.5, 0.4, 0.6
SQUARE = np.array([[0.2, 0.13, -0.3], [0.2, -0.13, -0.3], [-0.2, 0.13, -0.3], [-0.2, -0.13, -0.3]])
WEIGHT_OF_IT = np.array([0.0, 0.0, 150.0, 0.0, 0.0, 0.0])
FINE = 1e-6


def swing(time, phase):
    return kernels.swing(float(time), START, PERIOD, DUTY, float(phase))


def share(arms, wrench, friction):
    n = len(arms)
    force, x = np.zeros((n, 3)), np.zeros(3 * n)
    pivot, N = np.zeros(3 * n, np.int64), np.zeros((3 * n, 3 * n))
    kernels.share(np.array(arms), wrench, friction, n, N, pivot, x, force)
    return force


def land(v, desired, reach):
    return np.array(landing(np.array(v), np.array(desired), 0.24, 0.12, reach))


def wrench_of(arms, forces):
    return np.concatenate([forces.sum(axis=0), np.cross(arms, forces).sum(axis=0)])


@pytest.mark.parametrize("phase", [0.0, 0.25, 0.5])
def test_a_leg_steps_once_a_cycle_for_its_part_of_it(phase):
    times = 0.5 + 0.4 * (phase + np.arange(20 * 997) / 997)
    progress = np.array([swing(t, phase) for t in times])
    progress[progress == STANDS] = np.nan
    assert np.isfinite(progress).mean() == pytest.approx(0.4, abs=2e-3)
    starts = np.flatnonzero(np.isfinite(progress[1:]) & ~np.isfinite(progress[:-1]))
    np.testing.assert_allclose(np.diff(times[starts]), 0.4, atol=0.4 / 997)
    rate = np.diff(progress) / np.diff(times)
    np.testing.assert_allclose(rate[np.isfinite(rate)], 1.0 / ((1.0 - DUTY) * PERIOD), rtol=1e-6)


def test_all_legs_stand_until_the_start():
    assert all(swing(t, p) == STANDS for t in (0.0, 0.3, 0.4999) for p in (0.0, 0.3, 0.9))
    assert swing(0.5, 0.0) == 0.0
    assert swing(0.5, 0.5) == STANDS


@pytest.mark.parametrize("curve", [lift, glide])
def test_curves_start_and_end_at_rest_and_their_rates_are_their_derivatives(curve):
    ends = [curve(s) for s in (0.0, 1.0)]
    assert [rate for _, rate in ends] == [0.0, 0.0]
    for s in np.linspace(0.05, 0.95, 19):
        slope = (curve(s + FINE)[0] - curve(s - FINE)[0]) / (2.0 * FINE)
        assert curve(s)[1] == pytest.approx(slope, abs=1e-8)


def test_a_foot_is_highest_halfway_and_ends_on_the_ground_where_it_is_to_land():
    assert [lift(s)[0] for s in (0.0, 0.5, 1.0)] == [0.0, 1.0, 0.0]
    assert [glide(s)[0] for s in (0.0, 0.5, 1.0)] == [0.0, 0.5, 1.0]
    assert max(lift(s)[0] for s in np.linspace(0.0, 1.0, 101)) == 1.0


def test_feet_land_in_the_middle_of_where_the_trunk_will_be():
    """At the wanted speed: half of the way that it makes while the foot stands, in front of it."""
    v = np.array([0.5, -0.2])
    np.testing.assert_allclose(land(v, v, reach=0.5), 0.12 * v)


def test_feet_step_out_to_the_side_to_which_the_trunk_is_thrown_but_not_out_of_reach():
    still = np.zeros(2)
    np.testing.assert_allclose(land([0.0, 0.5], still, reach=0.15), [0.0, 0.06])
    thrown = land([3.0, 4.0], still, reach=0.15)
    np.testing.assert_allclose(thrown, 0.15 * np.array([0.6, 0.8]))


@pytest.mark.parametrize("rate", [0.0, 0.7, -0.3])
def test_the_course_moves_with_its_velocity(rate):
    def course(time):
        """Position, velocity and heading since a start at 0.5 s."""
        home, velocity = np.array([1.0, 2.0]), np.array([0.6, 0.1])
        x, y, u, v, heading, _ = goal(time - 0.5, home, 0.4, velocity, rate)
        return np.array([x, y]), np.array([u, v]), heading

    np.testing.assert_array_equal(course(0.3)[0], [1.0, 2.0])
    for t in (0.6, 1.7, 5.0):
        (one, *_), (two, *_), (_, velocity, heading) = (course(t + d) for d in (-FINE, FINE, 0.0))
        np.testing.assert_allclose((two - one) / (2.0 * FINE), velocity, atol=1e-8)
        assert np.hypot(*velocity) == pytest.approx(np.hypot(0.6, 0.1))
        assert heading == pytest.approx(0.4 + rate * (t - 0.5))
        np.testing.assert_allclose(turned(-heading, *velocity), [0.6, 0.1], atol=1e-12)


def test_the_turn_to_upright_ends_upright():
    for seed in range(20):
        R = Rotation.random(random_state=seed)
        turn = Rotation.from_rotvec(np.array(to_upright(R.as_matrix(), 0.3)))
        np.testing.assert_allclose(
            (turn * R).as_matrix(), Rotation.from_rotvec([0.0, 0.0, 0.3]).as_matrix(), atol=1e-12
        )


def test_four_feet_make_any_wrench_within_their_cones():
    wanted = WEIGHT_OF_IT + np.array([10.0, -8.0, 5.0, 4.0, -6.0, 3.0])
    forces = share(SQUARE, wanted, friction=0.6)
    # The weight of the forces themselves, 1e-6, costs a little of the wrench.
    np.testing.assert_allclose(wrench_of(SQUARE, forces), wanted, atol=1e-3)


def test_two_feet_miss_at_most_the_moment_about_the_line_between_them():
    """Without friction's help there is none: a vertical force on the line makes no moment."""
    diagonal = SQUARE[[0, 3]]
    line = (diagonal[0] - diagonal[1]) / np.linalg.norm(diagonal[0] - diagonal[1])
    across = np.cross(line, [0.0, 0.0, 1.0])
    wanted = WEIGHT_OF_IT.copy()
    wanted[3:] = 5.0 * across
    made = wrench_of(diagonal, share(diagonal, wanted, friction=0.6))
    np.testing.assert_allclose(made, wanted, atol=1e-3)
    wanted[3:] = 5.0 * line
    error = wrench_of(diagonal, share(diagonal, wanted, friction=0.6)) - wanted
    assert abs(error[3:] @ line) > 0.02
    assert abs(error[3:] @ across) < 1e-3
    # It pays with sideways forces, as far as attitude counts more than drift.
    assert np.abs(error[:2]).max() > 1.0
    assert WEIGHT[3] > WEIGHT[0]


@each("seed", range(10))
def test_feet_never_pull_and_stay_in_their_cones(seed):
    rng = np.random.default_rng(seed)
    arms = SQUARE[: rng.integers(2, 5)]
    forces = share(arms, WEIGHT_OF_IT + 100.0 * rng.normal(size=6), friction=0.4)
    assert (forces[:, 2] >= 0.0).all()
    assert (np.hypot(forces[:, 0], forces[:, 1]) <= 0.4 * forces[:, 2] + 1e-9).all()


def test_the_ground_is_the_plane_through_the_feet():
    slope = np.array([0.3, -0.2])
    feet = SQUARE + np.array([1.0, 2.0, 0.0])
    feet[:, 2] = 0.7 + feet[:, :2] @ slope
    x, y, z, *found = ground_plane(feet)
    # 1e-6 m^2 beside the feet's own distances, a few times 1e-2 m^2.
    np.testing.assert_allclose(found, slope, rtol=1e-4)
    assert z + found @ (np.array([1.5, 2.5]) - [x, y]) == pytest.approx(0.65, abs=1e-4)


def test_a_line_of_feet_leaves_the_ground_level_across():
    plane = ground_plane(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.1], [2.0, 0.0, 0.2]]))
    np.testing.assert_allclose(plane[3:], [0.1, 0.0], atol=1e-6)


LEGS = [
    {"foot": f"{name}_foot", "phase": phase, "place": [0.0, 0.0]}
    for name, phase in (("fl", 0.0), ("rr", 0.0), ("fr", 0.5), ("rl", 0.5))
]


@pytest.mark.parametrize(
    ("number", "change", "said"),
    [
        (0, {"foot": "fl_foo"}, r"legs\[0\].foot: no frame 'fl_foo', did you mean 'fl_foot'"),
        (
            1,
            {"foot": "rr_thigh"},
            r"legs\[1\].foot: 'rr_thigh' is at the end of 2 joints",
        ),
        (2, {"foot": "fl_foot"}, "legs: each foot may be given once"),
        (2, {"phase": 1.0}, r"legs\[2\].phase: must be < 1"),
        (3, {"phase": 0.2}, "legs: fewer than two stand at phase 0.2 of the cycle"),
    ],
)
def test_legs_that_cannot_trot_are_refused(number, change, said):
    legs = [{**leg, **(change if k == number else {})} for k, leg in enumerate(LEGS)]
    with pytest.raises(SceneError, match=said):
        footfall.load("quadruped/trot", {"bodies.quadruped.controller.legs": legs})


def test_a_body_that_does_not_float_does_not_trot():
    settings = {"plugin": "trot", "height": 0.3, "legs": LEGS}
    with pytest.raises(SceneError, match="a body with a fixed base does not trot"):
        footfall.load("pendulum/swing", {"bodies.pendulum.controller": settings})
