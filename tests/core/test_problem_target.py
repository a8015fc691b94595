"""What velocity-level laws aim at."""

import numpy as np

from footfall.problem.contact_problem import ContactProblem

DT = 1e-3


def problem(**given):
    free = np.array([0.1, 0.2, -0.3, 0.4, 0.5, -0.6])
    return ContactProblem.from_dense(np.eye(6), free, np.full(2, 0.5), dt=DT, **given)


def test_an_open_point_may_close_its_gap_and_no_more():
    given = problem(gap=np.array([2e-4, -1e-3]), restitution=np.full(2, 0.5))
    given.write_offset()
    np.testing.assert_allclose(given.offset, [0, 0, 0.2, 0, 0, 0], atol=1e-15)


def test_an_impact_rebounds_with_its_coefficient():
    given = problem(restitution=np.array([0.5, 1.0]), impulsive=True)
    given.write_offset()
    np.testing.assert_allclose(given.offset, [0, 0, -0.15, 0, 0, -0.6])


def test_penetration_beyond_the_slop_is_pushed_out_in_part():
    push = problem(gap=np.array([2e-4, -1e-3])).push_out(gain=0.2, slop=1e-5)
    np.testing.assert_allclose(push, [0, 0, 0.2, 0, 0, -0.2 * (1e-3 - 1e-5) / DT])


def test_nothing_is_pushed_within_the_slop_or_in_an_impact():
    assert problem(gap=np.array([0.0, -0.9e-5])).push_out() is None
    assert problem(gap=np.array([0.0, -1.0]), impulsive=True).push_out() is None
